"""The settings that count here and who said so, and the colours."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from holdfast.agent.permissions import Rule
from holdfast.commands.answers import Answers, Column, Data, Fact, Facts, Note, Prose, Table, Theme, Themed
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.config.discovery import discover
from holdfast.config.load import Explained, find_workspace, looked_at
from holdfast.config.places import here
from holdfast.config.secrets import names_in
from holdfast.config.setting_names import KEYS, nearest
from holdfast.config.settings import McpSettings
from holdfast.config.values import Origin
from holdfast.errors import BadSetting
from holdfast.log.store import Place

HIDDEN = "(set)"
"""What stands in the place of something that may be a secret."""


async def config(given: Inputs, context: CommandContext) -> Answers:
    """List settings with who said so; never what a secret is."""
    asked = given.text("key")
    if asked == "path":
        return _paths(context)
    found = chosen(context.loaded.explained, asked)
    secrets = [] if asked else keys_in(context.environment)
    rows = [(each.key, text, origin.said) for each in found for text, origin in parts(each)]
    rows += [(name, "set", "in the environment") for name in secrets]
    files = ", ".join(str(each.path) for each in context.loaded.files)
    table = Table(
        columns=(Column(name="Setting"), Column(name="Value"), Column(name="Who said so")),
        rows=tuple(rows),
        note=f"Change them in: {files}. They are read when a chat begins.",
    )
    answer: dict[str, object] = {"settings": [_answer(each) for each in found]}
    notes = (Note(text=context.loaded.passed_over),) if context.loaded.passed_over else ()
    return (table, *notes, Data(value=answer | ({} if asked else {"secrets": secrets})))


def keys_in(environment: Mapping[str, str]) -> list[str]:
    """The names of the keys of services that the environment holds; never what they are."""
    return sorted(name for name, value in environment.items() if value and name.endswith("_API_KEY"))


def _paths(context: CommandContext) -> Answers:
    """The files that are looked at; this must work while one of them is wrong."""
    try:
        workspace = find_workspace(context.environment)
    except BadSetting:
        workspace = discover(here(context.environment), context.environment)
    files = looked_at(context.environment, workspace)
    rows = tuple(Fact(name=each.level, value=f"{each.path}{'' if each.found else '  (not there)'}") for each in files)
    notes = (Note(text=workspace.note),) if workspace.note else ()
    return (Facts(facts=rows), *notes, Data(value={"workspace": workspace.root, "files": files}))


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
        return str(value) if isinstance(value, Place) else value
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


async def theme(given: Inputs, context: ConversationContext) -> Answers:
    """Change the colours."""
    name = given.text("name").lower()
    if not name:
        usual = context.agent.settings.ui.theme
        return (Prose(markdown=f"Themes: {', '.join(get_args(Theme))}. The settings say {usual}."),)
    for known in get_args(Theme):
        if name == known:
            said = f"The theme is {known} from here on. `ui.theme` in the settings is for every chat."
            return (Themed(name=known), Prose(markdown=said))
    raise given.refuse(f"There is no theme {name!r}.")
