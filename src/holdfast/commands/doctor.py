"""`doctor`: whether everything that Holdfast needs is here, and how to mend it."""

import asyncio
from collections.abc import Iterable, Sequence
from itertools import groupby

from holdfast.commands.answers import Answers, Column, Data, Table
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.health import check_machine
from holdfast.commands.health.check_model import model
from holdfast.commands.health.check_settings import grants, servers, settings
from holdfast.commands.health.check_store import store
from holdfast.commands.health.finding import Finding, is_good
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import count


async def doctor(given: Inputs, context: CommandContext) -> Answers:
    """Look at everything that Holdfast needs; the model is asked only when told to."""
    found = await _findings(context, ask=given.flag("ask"))
    table = Table(
        columns=(Column(name="Area"), Column(name="State"), Column(name="Found")),
        rows=tuple(_rows(found)),
        note=summary(found),
    )
    good = is_good(found)
    return (table, Data(value={"good": good, "findings": found}, outcome="good" if good else "problem"))


def summary(found: Iterable[Finding]) -> str:
    """How many problems and warnings there are."""
    levels = [each.level for each in found]
    problems, warnings = levels.count("problem"), levels.count("warning")
    said = [count(problems, "problem")] * bool(problems) + [count(warnings, "warning")] * bool(warnings)
    return f"{' and '.join(said)}." if said else "Everything is as it should be."


async def _findings(context: CommandContext, *, ask: bool) -> Sequence[Finding]:
    values = context.environment
    found = list(check_machine.environment(values))
    loaded, about = settings(context)
    found += about
    if loaded is not None:
        found += grants(loaded, values)
        found += await store(loaded.settings)
        found += await model(loaded.settings, values, ask=ask, asked=await _model_here(context))
        found += await asyncio.to_thread(lambda: list(check_machine.sandbox(values, loaded.settings)))
        found += servers(loaded.settings.mcp, values)
    else:
        text = "store, model, sandbox and servers were not looked at, because the settings cannot be read"
        found.append(Finding(area="settings", level="warning", text=text, mend="Mend the settings first."))
    return [*found, *check_machine.packages()]


async def _model_here(context: CommandContext) -> str:
    """The model that was named for the conversation one is in; '' where none was."""
    if not isinstance(context, ConversationContext):
        return ""
    named = context.agent.engine.setup.model or context.conversation.state.model
    return (await context.conversation.chat_model()).name if named else ""


def _rows(found: Iterable[Finding]) -> Iterable[tuple[str, ...]]:
    """A row for each finding; the area stands in front of the first of its findings."""
    for area, findings in groupby(found, key=lambda each: each.area):
        name = area
        for each in findings:
            yield (name, each.level, f"{each.text}. {each.mend}" if each.mend else each.text)
            name = ""
