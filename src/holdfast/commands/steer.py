"""A turn that runs: stopping it, speaking into it, going on with one that was broken off or stopped."""

from holdfast.agent.unfinished import unanswered_turn
from holdfast.commands.answers import Answers, Prose
from holdfast.commands.context import ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.sessions import resume
from holdfast.goals.changes import paused
from holdfast.records.parts import Source

HERE = Source(host="command")
GO_ON = "Go on where you stopped."
"""What is said to the model to go on with a turn that has an end and no answer."""


async def stop(_: Inputs, context: ConversationContext) -> Answers:
    """Stop the turn that runs, and pause the goal."""
    goal = context.conversation.state.goal
    if goal is not None and goal.doing in {"active", "waiting"}:
        await context.conversation.halt(paused(context.conversation.state, by=HERE, why="stopped"))
        return (Prose(markdown="Stopped, and the goal is paused: `/goal resume` goes on with it."),)
    stopped = await context.conversation.cancel()
    return (Prose(markdown="Stopped; what was said so far is kept." if stopped else "Nothing runs."),)


async def steer(given: Inputs, context: ConversationContext) -> Answers:
    """Say something into the running turn."""
    text = given.text("text")
    if not text:
        raise given.refuse("What is to be said?")
    heard = "It hears that at its next step." if context.conversation.busy else ""
    await context.conversation.send(text, enters="step")
    return (Prose(markdown=heard),) if heard else ()


async def queue(given: Inputs, context: ConversationContext) -> Answers:
    """Say something that waits for the end of the running turn."""
    text = given.text("text")
    if not text:
        raise given.refuse("What is to be said?")
    waits = "That waits for the end of the turn." if context.conversation.busy else ""
    await context.conversation.send(text, enters="after")
    return (Prose(markdown=waits),) if waits else ()


async def go_on(given: Inputs, context: ConversationContext) -> Answers:
    """Go on with what was broken off, or choose a session."""
    if not given.text("name") and await context.conversation.resume():
        return (Prose(markdown="Going on where it broke off."),)
    if not given.text("name") and await unanswered_turn(context.session) is not None:
        await context.conversation.send(GO_ON)
        return (Prose(markdown="Going on with the turn that was stopped."),)
    if not context.may("store"):
        return (Prose(markdown="Nothing was broken off here."),)
    return await resume(given, context)
