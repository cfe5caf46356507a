"""`stats`: all sessions in a few numbers, and when they were used."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from holdfast.commands.answers import Answers, Column, Data, Fact, Facts, Note, Plot, PlotPoint, Table
from holdfast.commands.context import CommandContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import ago, count, human_size
from holdfast.log.store import Trashed
from holdfast.session.catalog import Listed
from holdfast.session.store import Store

LARGEST = 5
LONGEST = 3650
"""How many days a plot has at most."""


async def stats(given: Inputs, context: CommandContext) -> Answers:
    """Sizes, counts and days of all sessions."""
    listed: list[Listed] = []
    trashed: tuple[Trashed, ...] = ()
    if context.has_sessions():
        store = await context.opened()
        listed, trashed = await _everything(store), await store.trash()
    today, days = context.now().astimezone().date(), min(given.number("days") or 1, LONGEST)
    data = Data(value=_numbers(context, listed, trashed, used_days(listed, today, days)))
    if not listed and not trashed:
        return (Note(text=f"There are no sessions in {context.place}."), data)
    facts = Facts(facts=tuple(Fact(name=name, value=value) for name, value in _facts(context, listed, trashed)))
    if not listed:
        return (facts, data)
    points = tuple(PlotPoint(label=f"{day:%m-%d}", amount=number) for day, number in used_days(listed, today, days))
    return (facts, Plot(title="last used, by day", unit="sessions", points=points), _table(listed, context.now()), data)


async def _everything(store: Store) -> list[Listed]:
    found: list[Listed] = []
    cursor = ""
    while True:
        page = await store.list(limit=1000, cursor=cursor, archived=None)
        found += page.sessions
        cursor = page.cursor
        if not cursor:
            return found


def used_days(listed: Sequence[Listed], last: date, days: int) -> list[tuple[date, int]]:
    """For each of the last days, oldest first, how many sessions were last used on it."""
    counts = Counter(each.updated.astimezone().date() for each in listed)
    return [(day, counts[day]) for day in (last - timedelta(days=back) for back in reversed(range(days)))]


def _numbers(
    context: CommandContext, listed: Sequence[Listed], trashed: Sequence[Trashed], days: Sequence[tuple[date, int]]
) -> dict[str, object]:
    return {
        "store": str(context.place),
        "sessions": len(listed),
        "archived": sum(each.archived for each in listed),
        "damaged": sum(each.damaged > 0 for each in listed),
        "entries": sum(each.entries for each in listed),
        "messages": sum(each.messages for each in listed),
        "turns": sum(each.turns for each in listed),
        "bytes": sum(each.size for each in listed),
        "trash": {"sessions": len(trashed), "bytes": sum(each.size for each in trashed)},
        "first": min((each.created for each in listed), default=None),
        "last": max((each.updated for each in listed), default=None),
        "days": [{"day": day.isoformat(), "sessions": number} for day, number in days],
        "largest": [{"key": each.key, "bytes": each.size} for each in _largest(listed)],
    }


def _largest(listed: Sequence[Listed]) -> list[Listed]:
    return sorted(listed, key=lambda each: each.size, reverse=True)[:LARGEST]


def _facts(context: CommandContext, listed: Sequence[Listed], trashed: Sequence[Trashed]) -> list[tuple[str, str]]:
    archived, damaged = sum(each.archived for each in listed), sum(each.damaged > 0 for each in listed)
    marks = [f"{archived:,} archived"] * bool(archived) + [f"{damaged:,} damaged"] * bool(damaged)
    rows = [
        ("store", str(context.place)),
        ("sessions", f"{len(listed):,}" + (f" ({', '.join(marks)})" if marks else "")),
        ("messages", f"{sum(each.messages for each in listed):,}"),
        ("entries", f"{sum(each.entries for each in listed):,}"),
        ("size", human_size(sum(each.size for each in listed))),
        ("trash", f"{count(len(trashed), 'session')}, {human_size(sum(each.size for each in trashed))}"),
    ]
    if listed:
        first, last = min(each.created for each in listed), max(each.updated for each in listed)
        rows.append(("days", f"{first.astimezone():%Y-%m-%d} to {last.astimezone():%Y-%m-%d}"))
    return rows


def _table(listed: Sequence[Listed], now: datetime) -> Table:
    """The largest sessions, each with its part of the first."""
    columns = (
        Column(name="Size", right=True),
        Column(name="%", right=True),
        Column(name="Used"),
        Column(name="Conversation"),
    )
    largest = _largest(listed)
    most = max(1, largest[0].size)
    rows = tuple(
        (human_size(each.size), f"{each.size / most * 100:.0f}", ago(each.updated, now), each.key) for each in largest
    )
    return Table(title="largest", columns=columns, rows=rows)
