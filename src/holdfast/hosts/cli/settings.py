"""`config`: a line for each setting, with its value and who said so."""

from collections.abc import Sequence

from holdfast.commands.answers import Answers, Facts, Note, Table
from holdfast.commands.text.width import clip, flat, pad, width
from holdfast.hosts.cli.call import ShellCall
from holdfast.hosts.cli.output import print_answer
from holdfast.hosts.console import Styled

NARROW = 60
"""Below this many columns, where a value came from stands on a line of its own."""


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
