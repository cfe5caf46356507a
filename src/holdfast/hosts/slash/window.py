"""What the model sees: how full its window is, and making room."""

from holdfast.agent.shares import Filling
from holdfast.hosts.slash.answer import Answers, Bar, Piece, Words
from holdfast.hosts.slash.desk import SlashDesk

NAMES: dict[Filling, str] = {
    "system": "system text",
    "tools": "tools",
    "summary": "summary",
    "kept": "kept from before",
    "turns": "what was said",
    "results": "results of tools",
    "reply": "room for the reply",
    "free": "free",
}
_STAGES = {
    "summary": "Older turns are summed up for the model",
    "results": "Old results of tools are shown shorter to the model",
    "truncation": "The oldest turns are left out of what the model sees",
}
FULL = 80
"""From so many hundredths on, making room is worth a thought."""


async def context(_: str, desk: SlashDesk) -> Answers:
    """Tell what fills the window."""
    shares = await desk.conversation.shares()
    name = (await desk.conversation.speaker()).name
    whole = sum(each.tokens for each in shares)
    used = sum(each.tokens for each in shares if each.filling not in {"reply", "free"})
    percent = used * 100 // max(1, whole)
    pieces = tuple(Piece(name=NAMES[each.filling], amount=each.tokens, free=each.filling == "free") for each in shares)
    note = "`/compact` makes room; the log keeps every word." if percent >= FULL else ""
    title = f"{name} sees {used:,} of {whole:,} tokens ({percent} %)"
    return (Bar(title=title, unit="tokens", pieces=pieces, note=note),)


async def compact(rest: str, desk: SlashDesk) -> Answers:
    """Make room, or take that back."""
    if rest.lower() == "undo":
        undone = await desk.conversation.undo_compaction()
        said = "There is no compaction to take back."
        if undone is not None:
            said = f"The compaction at position {undone} is taken back: the model sees those turns again."
        return (Words(markdown=said),)
    done = await desk.conversation.compact(rest)
    if done.stage is None:
        return (Words(markdown=f"Nothing was compacted. {done.failure or 'There is nothing to make shorter yet.'}"),)
    said = f"{_STAGES[done.stage]}: {done.before:,} tokens before, {done.after:,} now."
    failure = f" There is no summary: {done.failure}" if done.failure else ""
    return (Words(markdown=f"{said}{failure} The log keeps every word; `/compact undo` takes it back."),)
