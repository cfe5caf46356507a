"""`stats`: all sessions in a few numbers, and when they were used."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

from holdfast.commands.text.times import ago, count, human_size
from holdfast.commands.text.width import clip, pad, width
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.console import Styled, flat
from holdfast.hosts.command.exits import Exit
from holdfast.log.store import Trashed
from holdfast.session.catalog import Listed
from holdfast.session.store import Store

LARGEST = 5
NARROW = 60
"""Below this many columns there is no room for dates."""
BAR = 12
_HEIGHTS = "▁▂▃▄▅▆▇█"


async def stats(call: Call) -> Exit:
    """Print sizes, counts and days."""
    listed: list[Listed] = []
    trashed: tuple[Trashed, ...] = ()
    if call.has_sessions():
        async with call.open() as store:
            listed, trashed = await _everything(store), await store.trash()
    days = min(call.number("days") or 1, 3650)
    if call.flag("json"):
        call.print_json(_answer(call, listed, trashed, days))
    elif listed or trashed:
        _print_stats(call, listed, trashed, days)
    else:
        call.console.note(f"There are no sessions in {call.store}.")
    return Exit.OK


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


def _answer(call: Call, listed: list[Listed], trashed: Sequence[Trashed], days: int) -> dict[str, object]:
    plot = used_days(listed, call.now.astimezone().date(), days)
    return {
        "store": call.store,
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
        "days": [{"day": day.isoformat(), "sessions": number} for day, number in plot],
        "largest": [{"key": each.key, "bytes": each.size} for each in _largest(listed)],
    }


def _largest(listed: Sequence[Listed]) -> list[Listed]:
    return sorted(listed, key=lambda each: each.size, reverse=True)[:LARGEST]


def _print_stats(call: Call, listed: list[Listed], trashed: Sequence[Trashed], days: int) -> None:
    archived, damaged = sum(each.archived for each in listed), sum(each.damaged > 0 for each in listed)
    marks = [f"{archived:,} archived"] * bool(archived) + [f"{damaged:,} damaged"] * bool(damaged)
    rows = [
        ("store", str(call.store)),
        ("sessions", f"{len(listed):,}" + (f" ({', '.join(marks)})" if marks else "")),
        ("messages", f"{sum(each.messages for each in listed):,}"),
        ("entries", f"{sum(each.entries for each in listed):,}"),
        ("size", human_size(sum(each.size for each in listed))),
        ("trash", f"{count(len(trashed), 'session')}, {human_size(sum(each.size for each in trashed))}"),
    ]
    if listed:
        first, last = min(each.created for each in listed), max(each.updated for each in listed)
        rows.append(("days", f"{first.astimezone():%Y-%m-%d} to {last.astimezone():%Y-%m-%d}"))
    for name, value in rows:
        call.console.line(Styled(f"{name:<10}", "dim"), value)
    if listed:
        _print_plot(call, listed, days)
        _print_largest(call, listed)


def _print_plot(call: Call, listed: list[Listed], days: int) -> None:
    shown = min(days, (call.console.width or 80) - 2)
    plot = used_days(listed, call.now.astimezone().date(), shown)
    most = max(number for _, number in plot)
    drawn = "".join(_HEIGHTS[-(-number * (len(_HEIGHTS) - 1) // most)] if number else "·" for _, number in plot)
    call.console.line()
    call.console.line(Styled(f"last used, by day (the highest: {most:,})", "dim"))
    call.console.line("  ", Styled(drawn, "cyan"))
    ends = f"{plot[0][0]:%m-%d}", f"{plot[-1][0]:%m-%d}"
    if shown >= sum(map(len, ends)) + 1:
        call.console.line("  ", Styled(f"{ends[0]}{ends[1]:>{shown - len(ends[0])}}", "dim"))


def _print_largest(call: Call, listed: list[Listed]) -> None:
    largest = _largest(listed)
    columns = call.console.width or 80
    dated = columns >= NARROW
    room = max(8, columns - BAR - (24 if dated else 12))
    keys = [clip(flat(each.key), room) for each in largest]
    longest = max(map(width, keys))
    call.console.line()
    call.console.line(Styled("largest", "dim"))
    for each, key in zip(largest, keys, strict=True):
        drawn = "█" * max(1, round(each.size / max(1, largest[0].size) * BAR))
        call.console.line(
            f"  {pad(key, longest)}  {human_size(each.size):>6}  ",
            Styled(drawn, "cyan"),
            f"{' ' * (BAR - len(drawn))} {ago(each.updated, call.now)}" if dated else "",
        )
