"""How things stand: on one screen, or all that can be looked at."""

import asyncio
from collections.abc import Iterable
from itertools import groupby

from holdfast.commands.text.times import ago, count
from holdfast.hosts.command.health import machine
from holdfast.hosts.command.health.finding import Finding
from holdfast.hosts.command.health.model import model
from holdfast.hosts.command.health.settings import servers, sources
from holdfast.hosts.command.health.store import store
from holdfast.hosts.slash.answer import Answers, Column, Fact, Facts, Table
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.models import why
from holdfast.hosts.slash.money import spent
from holdfast.hosts.slash.sessions import place, promise
from holdfast.records.safe import safe_line

TITLE = 60


async def status(_: str, desk: SlashDesk) -> Answers:
    """Tell the most important things."""
    state, speaker = desk.conversation.state, await desk.conversation.speaker()
    since = f", begun {ago(state.created, desk.now())}" if state.created else ""
    sandbox = await asyncio.to_thread(lambda: list(machine.sandbox(desk.environment, desk.agent.settings)))
    rows = [
        ("model", f"{speaker.name} ({await why(speaker.name, desk)})"),
        ("session", f"{safe_line(state.title or state.key, TITLE)}, {count(state.messages, 'message')}{since}"),
        ("now", "a turn runs" if desk.conversation.busy else "nothing runs"),
        ("queued", count(len(state.queued), "message") if state.queued else ""),
        ("context", await _context(desk)),
        ("used", spent(state.usage)),
        ("kept in", await place(desk)),
        ("safe", await promise(desk)),
        ("workspace", str(desk.agent.root)),
        ("sandbox", "; ".join(each.text for each in sandbox)),
        ("servers", ", ".join(desk.agent.settings.mcp) or "none are set"),
        ("skills", ", ".join(each.name for each in desk.agent.skills.skills)),
        *(("note", note) for note in (*desk.agent.notes, *desk.agent.engine.setup.toolbox.notes)),
    ]
    return (Facts(facts=tuple(Fact(name=name, value=value) for name, value in rows if value)),)


async def _context(desk: SlashDesk) -> str:
    shares = await desk.conversation.shares()
    whole = sum(each.tokens for each in shares)
    used = sum(each.tokens for each in shares if each.filling not in {"reply", "free"})
    return f"{used:,} of {whole:,} tokens ({used * 100 // max(1, whole)} %)"


async def doctor(_: str, desk: SlashDesk) -> Answers:
    """Look at everything that Holdfast needs; the model is not asked."""
    values, settings = desk.environment, desk.agent.settings
    named = desk.agent.engine.setup.model or desk.conversation.state.model
    asked = (await desk.conversation.speaker()).name if named else ""
    found = [
        *machine.environment(values),
        *sources(desk.agent.loaded),
        *await store(settings),
        *await model(settings, values, ask=False, asked=asked),
        *await asyncio.to_thread(lambda: list(machine.sandbox(values, settings))),
        *servers(settings.mcp, values),
        *machine.packages(),
    ]
    problems, warnings = (sum(each.level == level for each in found) for level in ("problem", "warning"))
    said = [count(problems, "problem")] * bool(problems) + [count(warnings, "warning")] * bool(warnings)
    return (
        Table(
            columns=(Column(name="Area"), Column(name="State"), Column(name="Found")),
            rows=tuple(_rows(found)),
            note=f"{' and '.join(said)}." if said else "Everything is as it should be.",
        ),
    )


def _rows(found: Iterable[Finding]) -> Iterable[tuple[str, ...]]:
    """A row for each finding; the area stands in front of the first of its findings."""
    for area, findings in groupby(found, key=lambda each: each.area):
        name = area
        for each in findings:
            yield (name, each.level, f"{each.text}. {each.mend}" if each.mend else each.text)
            name = ""
