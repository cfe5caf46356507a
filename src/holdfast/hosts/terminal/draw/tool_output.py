"""The lines below a finished call: the first few that the tool returned, and how many more there are.

All of it stays in the log, and `/output` shows it.
"""

from holdfast.commands.text.width import clip
from holdfast.hosts.terminal.draw.theme import Theme
from holdfast.records.entries import ToolFinished
from holdfast.records.parts import Blob, plain_text
from holdfast.records.printable import printable

SHOWN_LINES = 6
"""Lines of what a tool returned that are shown."""
MORE = "/output shows all"
_LONGEST = 2_000
"""Characters of a line that are looked at: no terminal is wider."""
_TAB = 4
_SAYS_NOTHING = frozenset({"exit code 0", "(no output)", ""})
"""First lines that only repeat that the call went well."""


def output_lines(entry: ToolFinished, width: int, theme: Theme) -> list[str]:
    """The first lines that a tool returned; of a call that failed, without the first one, which its own line has."""
    text = plain_text(entry.parts).strip("\n")
    first, _, rest = text.partition("\n")
    if entry.outcome != "ok" or first.strip() in _SAYS_NOTHING:
        text = rest.strip("\n")
    if text.strip() in _SAYS_NOTHING:
        return []
    lines = text.split("\n", SHOWN_LINES)
    shown = [clip(printable(line[:_LONGEST].expandtabs(_TAB)), width - 2) for line in lines[:SHOWN_LINES]]
    if len(lines) > SHOWN_LINES:
        more = lines[SHOWN_LINES].count("\n") + 1
        # Of what is kept beside the log only a preview is known here.
        partly = any(isinstance(part, Blob) and part.preview for part in entry.parts)
        count = "more lines" if partly else f"{more:,} more line{'s' if more > 1 else ''}"
        shown.append(clip(f"… {count}; {MORE}", width - 2))
    return [theme.painted(f"  {line}", "dim") for line in shown]
