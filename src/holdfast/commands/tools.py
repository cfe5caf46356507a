"""What the model may ask for, and what it can read how to do."""

from holdfast.commands.answers import Answers, Column, Prose, Table
from holdfast.commands.context import ConversationContext
from holdfast.commands.inputs import Inputs

_FIRST = ". "


async def tools(_: Inputs, context: ConversationContext) -> Answers:
    """List the tools; servers that bring further ones are started if they were not."""
    toolbox = context.agent.engine.setup.toolbox
    rows = tuple((each.spec.name, _sentence(each.spec.description)) for each in await toolbox.tools())
    chat_model = await context.conversation.chat_model()
    if not rows:
        return (Prose(markdown="No tools are offered: the settings leave them out."),)
    table = Table(
        title="The model may ask for",
        columns=(Column(name="Tool"), Column(name="What it does")),
        rows=rows,
        note="What changes something is asked about first: `/permissions`.",
    )
    notes = [f"{chat_model.name} is offered none of them: it is too small to use them well."] * (
        not chat_model.takes_tools
    )
    said = "\n\n".join([*notes, *toolbox.notes])
    return (table, Prose(markdown=said)) if said else (table,)


def _sentence(text: str) -> str:
    """The first sentence of a text."""
    first, found, _ = text.partition(_FIRST)
    return f"{first}." if found else first


async def skills(_: Inputs, context: ConversationContext) -> Answers:
    """List the skills."""
    found = context.agent.skills
    notes = tuple(Prose(markdown=note) for note in found.notes)
    if not found.skills:
        place = context.agent.root / ".holdfast" / "skills"
        return (Prose(markdown=f"There are no skills. A folder with a SKILL.md in {place} is one."), *notes)
    table = Table(
        columns=(Column(name="Skill"), Column(name="From"), Column(name="What it is for")),
        rows=tuple((each.name, "the project" if each.project else "you", each.description) for each in found.skills),
        note="The model reads one when it needs it; you can also ask it to, by name.",
    )
    return (table, *notes)
