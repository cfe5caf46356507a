"""`/effort`: how long the model may think before it answers."""

from holdfast.commands.answers import Answers, Prose
from holdfast.commands.context import ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.errors import BadInput
from holdfast.model.effort import LEVELS, takes_effort
from holdfast.records.entries import Described


async def effort(given: Inputs, context: ConversationContext) -> Answers:
    """Tell how long, or change it."""
    chat_model = await context.conversation.chat_model()
    can, level = takes_effort(chat_model.model.target), given.text("level")
    if not level:
        now = context.conversation.state.effort or "auto"
        cannot = "" if can else f" {chat_model.name} cannot be told, so it does not count for it."
        return (Prose(markdown=f"Thinking: {now}.{cannot} `/effort {' | '.join(LEVELS)}` changes it."),)
    found = LEVELS[level]
    if found and not can:
        raise BadInput(
            f"{chat_model.name} cannot be told how long to think.", hint="/model lists others; most newer ones can."
        )
    await context.conversation.describe(Described(effort=found))
    when = " from the next step on" if context.conversation.busy else ""
    said = f"thinks with {level} effort" if found else "decides by itself how long it thinks"
    return (Prose(markdown=f"{chat_model.name} {said}{when}, in this conversation."),)
