"""What the model sees: how full its window is, and making room."""

from holdfast.commands.answers import Answers, Bar, BarPiece, Prose
from holdfast.commands.context import ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.context.breakdown import Filling

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
    "summary": "Older turns are summarized for the model",
    "results": "Old results of tools are shown shorter to the model",
    "truncation": "The oldest turns are left out of what the model sees",
}
FULL = 80
"""From so many hundredths on, making room is worth a thought."""


async def show_context(_: Inputs, context: ConversationContext) -> Answers:
    """Tell what fills the window."""
    shares = await context.conversation.shares()
    name = (await context.conversation.chat_model()).name
    whole = sum(each.tokens for each in shares)
    used = sum(each.tokens for each in shares if each.filling not in {"reply", "free"})
    percent = used * 100 // max(1, whole)
    pieces = tuple(
        BarPiece(name=NAMES[each.filling], amount=each.tokens, free=each.filling == "free") for each in shares
    )
    note = "`/compact` makes room; the log keeps every word." if percent >= FULL else ""
    title = f"{name} sees {used:,} of {whole:,} tokens ({percent} %)"
    return (Bar(title=title, unit="tokens", pieces=pieces, note=note),)


async def compact(given: Inputs, context: ConversationContext) -> Answers:
    """Make room, or take that back."""
    focus = given.text("focus")
    if focus.lower() == "undo":
        undone = await context.conversation.undo_compaction()
        said = "There is no compaction to take back."
        if undone is not None:
            said = f"The compaction at position {undone} is taken back: the model sees those turns again."
        return (Prose(markdown=said),)
    done = await context.conversation.compact(focus)
    if done.stage is None:
        return (Prose(markdown=f"Nothing was compacted. {done.failure or 'There is nothing to make shorter yet.'}"),)
    said = f"{_STAGES[done.stage]}: {done.before:,} tokens before, {done.after:,} now."
    failure = f" There is no summary: {done.failure}" if done.failure else ""
    return (Prose(markdown=f"{said}{failure} The log keeps every word; `/compact undo` takes it back."),)
