"""How `stats`, `doctor` and `config` are printed."""

from collections.abc import Sequence
from itertools import groupby

from holdfast.commands.answers import Answers, Data, Facts, Note, Plot, Table
from holdfast.commands.health.finding import Finding, Level
from holdfast.commands.text.width import clip, flat, pad, width, wrap
from holdfast.hosts.cli.call import ShellCall
from holdfast.hosts.cli.output import print_answer
from holdfast.hosts.console import Styled

NARROW = 60
"""Below this many columns there is no room for dates."""
BAR = 12
_HEIGHTS = "▁▂▃▄▅▆▇█"


async def print_stats(call: ShellCall, answers: Answers) -> None:
    """Print sizes, counts and days."""
    for each in answers:
        match each:
            case Facts():
                for fact in each.facts:
                    call.console.line(Styled(f"{fact.name:<10}", "dim"), fact.value)
            case Plot():
                _print_plot(call, each)
            case Table():
                _print_largest(call, each.rows)
            case Note():
                await print_answer(call, each)
            case _:
                pass


def _print_plot(call: ShellCall, plot: Plot) -> None:
    points = plot.points[-max(1, (call.console.width or 80) - 2) :]
    most = max(each.amount for each in points)
    drawn = "".join(_HEIGHTS[-(-each.amount * (len(_HEIGHTS) - 1) // most)] if each.amount else "·" for each in points)
    call.console.line()
    call.console.line(Styled(f"{plot.title} (the highest: {most:,})", "dim"))
    call.console.line("  ", Styled(drawn, "cyan"))
    first, last = points[0].label, points[-1].label
    if len(points) >= len(first) + len(last) + 1:
        call.console.line("  ", Styled(f"{first}{last:>{len(points) - len(first)}}", "dim"))


def _print_largest(call: ShellCall, rows: Sequence[tuple[str, ...]]) -> None:
    columns = call.console.width or 80
    dated = columns >= NARROW
    room = max(8, columns - BAR - (24 if dated else 12))
    keys = [clip(flat(key), room) for *_, key in rows]
    longest = max(map(width, keys))
    call.console.line()
    call.console.line(Styled("largest", "dim"))
    for (size, share, used, _), key in zip(rows, keys, strict=True):
        drawn = "█" * max(1, round(int(share) / 100 * BAR))
        call.console.line(
            f"  {pad(key, longest)}  {size:>6}  ",
            Styled(drawn, "cyan"),
            f"{' ' * (BAR - len(drawn))} {used}" if dated else "",
        )


_MARKS: dict[Level, Styled] = {
    "ok": Styled("ok       ", "green"),
    "warning": Styled("warning  ", "yellow"),
    "problem": Styled("problem  ", "red"),
}
_INDENT = " " * 11


async def print_findings(call: ShellCall, answers: Answers) -> None:
    """Print what was found."""
    for each in answers:
        if isinstance(each, Data) and isinstance(each.value, dict):
            for area, findings in groupby(each.value["findings"], key=lambda finding: str(finding.area)):
                call.console.line(Styled(area, "bold"))
                for finding in findings:
                    _print_finding(call, finding)
    for each in answers:
        if isinstance(each, Table):
            call.console.note(each.note)


def _print_finding(call: ShellCall, finding: Finding) -> None:
    columns = call.console.width
    first, *rest = wrap(flat(finding.text), None if columns is None else columns - len(_INDENT))
    call.console.line("  ", _MARKS[finding.level], first)
    for line in rest:
        call.console.line(_INDENT, line)
    if finding.mend:
        call.console.prose(finding.mend, indent=_INDENT)


async def print_settings(call: ShellCall, answers: Answers) -> None:
    """Print settings with their origins, or the files that were looked at."""
    for each in answers:
        if isinstance(each, Table):
            _print(call, each.rows)
        elif isinstance(each, Facts):
            for fact in each.facts:
                call.console.line(Styled(f"{fact.name:<9}", "dim"), fact.value)
        elif isinstance(each, Note):
            await print_answer(call, each)


def _print(call: ShellCall, rows: Sequence[tuple[str, ...]]) -> None:
    columns = call.console.width
    longest = max((width(key) for key, _, _ in rows), default=0)
    narrow = columns is not None and columns < NARROW
    room = 0 if columns is None else max(12, columns - longest - 4) // (1 if narrow else 2)
    values = [flat(text) if columns is None else clip(flat(text), room) for _, text, _ in rows]
    widest = max(map(width, values), default=0)
    for (key, _, origin), text in zip(rows, values, strict=True):
        end = Styled(origin, "dim" if origin == "default" else "cyan")
        if narrow:
            call.console.line(f"{key}  ", Styled(text, "bold"))
            call.console.line("  ", end)
        else:
            call.console.line(f"{pad(key, longest)}  ", Styled(pad(text, widest), "bold"), "  ", end)
