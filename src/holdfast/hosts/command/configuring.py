"""`config`: the settings that count here, and who said so."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from holdfast.agent.approval import Rule
from holdfast.commands.text.width import clip, pad, width
from holdfast.config.discovery import discover
from holdfast.config.keys import KEYS, nearest
from holdfast.config.loading import Explained, find_workspace, looked_at
from holdfast.config.origins import Origin
from holdfast.config.places import here
from holdfast.config.secrets import names_in
from holdfast.config.settings import McpSettings
from holdfast.errors import BadSetting
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.console import Styled, flat
from holdfast.hosts.command.exits import Exit

HIDDEN = "(set)"
"""What stands in the place of something that may be a secret."""
NARROW = 60
"""Below this many columns, where a value came from stands on a line of its own."""


async def config(call: Call) -> Exit:
    """Print settings with their origins."""
    asked = call.text("key")
    if asked == "path":
        return _paths(call)
    found = chosen(call.loaded.explained, asked)
    secrets = [] if asked else keys_in(os.environ)
    if call.flag("json"):
        answer: dict[str, object] = {"settings": [_answer(each) for each in found]}
        call.print_json(answer | ({} if asked else {"secrets": secrets}))
        return Exit.OK
    rows = [(each.key, text, origin.said) for each in found for text, origin in parts(each)]
    rows += [(name, "set", "in the environment") for name in secrets]
    _print(call, rows)
    if call.loaded.passed_over:
        call.console.note(call.loaded.passed_over)
    return Exit.OK


def keys_in(environment: Mapping[str, str]) -> list[str]:
    """The names of the keys of services that the environment holds; never what they are."""
    return sorted(name for name, value in environment.items() if value and name.endswith("_API_KEY"))


def _paths(call: Call) -> Exit:
    """The files that are looked at; this must work while one of them is wrong."""
    try:
        workspace = find_workspace(os.environ)
    except BadSetting:
        workspace = discover(here(os.environ), os.environ)
    files = looked_at(os.environ, workspace)
    if call.flag("json"):
        call.print_json({"workspace": workspace.root, "files": files})
        return Exit.OK
    for each in files:
        there = "" if each.found else "  (not there)"
        call.console.line(Styled(f"{each.level:<9}", "dim"), str(each.path), Styled(there, "dim"))
    if workspace.note:
        call.console.note(workspace.note)
    return Exit.OK


def chosen(explained: Sequence[Explained], asked: str) -> list[Explained]:
    """The settings that were asked for: all, one, or those of a table."""
    found = [each for each in explained if not asked or each.key == asked or each.key.startswith(f"{asked}.")]
    if found or asked in KEYS:
        return found
    tables = {each.key.rpartition(".")[0] for each in explained} - {""}
    near = nearest(asked, (*(each.key for each in explained), *tables))
    hint = f"Did you mean `{near}`? " if near else ""
    raise BadSetting(f"There is no setting `{asked}`.", hint=f"{hint}`holdfast config` lists every one.")


def _answer(each: Explained) -> dict[str, object]:
    origins = [{"level": at.level, "place": at.place, "line": at.line or None} for at in each.origins]
    return {"key": each.key, "value": without_secrets(each.value), "origins": origins}


def without_secrets(value: object) -> object:
    """A value of a setting as it may be shown."""
    if not isinstance(value, McpSettings):
        return value
    return replace(value, env=_masked(value.env), headers=_masked(value.headers))


def _masked(values: Mapping[str, str]) -> dict[str, str]:
    return {name: text if names_in(text) else HIDDEN for name, text in values.items()}


def parts(each: Explained) -> Iterable[tuple[str, Origin]]:
    """A value in words, in as many parts as sources gave it."""
    if isinstance(each.value, tuple) and len(each.origins) == len(each.value) > 1:
        return [(_text(part), origin) for part, origin in zip(each.value, each.origins, strict=True)]
    return [(_text(each.value), each.origins[-1])]


def _text(value: object) -> str:
    """A value as a file would have it."""
    match without_secrets(value):
        case Rule(tool=tool, pattern=pattern, decision=decision):
            return f"{decision} {tool} {pattern}"
        case McpSettings(command=command, args=args, url=url):
            return url or " ".join([command, *args])
        case tuple() as values:
            return f"[{', '.join(_text(each) for each in values)}]"
        case str() | Path() as text:
            return json.dumps(str(text), ensure_ascii=False)
        case None:
            return "not set"
        case other:
            return json.dumps(other)


def _print(call: Call, rows: Sequence[tuple[str, str, str]]) -> None:
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
