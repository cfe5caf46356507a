"""A turn that runs: stopping it, speaking into it, going on with one that was broken off."""

from holdfast.hosts.slash.answer import Answers, Words
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.run import misused
from holdfast.hosts.slash.sessions import resume


async def stop(_: str, desk: SlashDesk) -> Answers:
    """Stop the turn that runs."""
    stopped = await desk.conversation.cancel()
    return (Words(markdown="Stopped; what was said so far is kept." if stopped else "Nothing runs."),)


async def steer(rest: str, desk: SlashDesk) -> Answers:
    """Say something into the running turn."""
    if not rest:
        raise misused("steer", "What is to be said?")
    heard = "It hears that at its next step." if desk.conversation.busy else ""
    await desk.conversation.send(rest, enters="step")
    return (Words(markdown=heard),) if heard else ()


async def queue(rest: str, desk: SlashDesk) -> Answers:
    """Say something that waits for the end of the running turn."""
    if not rest:
        raise misused("queue", "What is to be said?")
    waits = "That waits for the end of the turn." if desk.conversation.busy else ""
    await desk.conversation.send(rest, enters="after")
    return (Words(markdown=waits),) if waits else ()


async def go_on(rest: str, desk: SlashDesk) -> Answers:
    """Go on with what was broken off, or choose a session."""
    if not rest and await desk.conversation.resume():
        return (Words(markdown="Going on where it broke off."),)
    return await resume(rest, desk)
