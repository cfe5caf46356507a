"""`doctor`: what was found, area by area, each thing with how to mend it."""

from itertools import groupby

from holdfast.commands.answers import Answers, Data, Table
from holdfast.commands.health.finding import Finding, Level
from holdfast.commands.text.width import flat, wrap
from holdfast.hosts.cli.call import ShellCall
from holdfast.hosts.console import Styled

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
