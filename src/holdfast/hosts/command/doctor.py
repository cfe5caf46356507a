"""`doctor`: whether everything that Holdfast needs is here, and how to mend what is not."""

import os
from collections.abc import Sequence
from itertools import groupby

from holdfast.commands.text.times import count
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.console import Styled
from holdfast.hosts.command.exits import Exit
from holdfast.hosts.command.health import machine
from holdfast.hosts.command.health.finding import Finding, Level, is_good
from holdfast.hosts.command.health.model import model
from holdfast.hosts.command.health.settings import grants, servers, settings
from holdfast.hosts.command.health.store import store

_MARKS: dict[Level, Styled] = {
    "ok": Styled("ok       ", "green"),
    "warning": Styled("warning  ", "yellow"),
    "problem": Styled("problem  ", "red"),
}
_INDENT = " " * 11


async def doctor(call: Call) -> Exit:
    """Look at everything, and say what was found."""
    found = await _findings(call)
    if call.flag("json"):
        call.print_json({"good": is_good(found), "findings": found})
    else:
        _print(call, found)
    return Exit.OK if is_good(found) else Exit.ERROR


async def _findings(call: Call) -> list[Finding]:
    values = os.environ
    found = list(machine.environment(values))
    loaded, about = settings(call)
    found += about
    if loaded is not None:
        found += grants(loaded, values)
        found += await store(loaded.settings)
        found += await model(loaded.settings, values, ask=call.flag("ask"))
        found += machine.sandbox(values, loaded.settings)
        found += servers(loaded.settings.mcp, values)
    else:
        text = "store, model, sandbox and servers were not looked at, because the settings cannot be read"
        found.append(Finding(area="settings", level="warning", text=text, mend="Mend the settings first."))
    return [*found, *machine.packages()]


def _print(call: Call, found: Sequence[Finding]) -> None:
    for area, findings in groupby(found, key=lambda each: each.area):
        call.console.line(Styled(area, "bold"))
        for each in findings:
            _print_finding(call, each)
    problems, warnings = (sum(each.level == level for each in found) for level in ("problem", "warning"))
    said = [count(problems, "problem")] * bool(problems) + [count(warnings, "warning")] * bool(warnings)
    call.console.note(f"{' and '.join(said)}." if said else "Everything is as it should be.")


def _print_finding(call: Call, finding: Finding) -> None:
    from holdfast.commands.text.width import wrap
    from holdfast.hosts.command.console import flat

    columns = call.console.width
    first, *rest = wrap(flat(finding.text), None if columns is None else columns - len(_INDENT))
    call.console.line("  ", _MARKS[finding.level], first)
    for line in rest:
        call.console.line(_INDENT, line)
    if finding.mend:
        call.console.prose(finding.mend, indent=_INDENT)
