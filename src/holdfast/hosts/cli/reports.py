"""`stats`: numbers, a plot, and the largest sessions with bars."""

from collections.abc import Sequence

from holdfast.commands.answers import Answers, Facts, Note, Plot, Table
from holdfast.commands.text.width import clip, flat, pad, width
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
