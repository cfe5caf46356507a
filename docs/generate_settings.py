#!/usr/bin/env python3
"""Writes docs/reference/settings.md: every setting, as its source says it.

Names, defaults and variables come from the settings themselves, meanings from the docstrings
below their fields. `make docs` runs it; a test fails while the page is out of date.
"""

import ast
import inspect
import json
import textwrap
from itertools import groupby, pairwise
from pathlib import Path
from typing import Literal, get_args, get_origin

import msgspec

from holdfast.agent.permissions import Rule
from holdfast.config.project_rules import TABLE
from holdfast.config.setting_names import CONFIG, KEYS, WEIGHTS, Key, is_struct
from holdfast.config.setting_names import fields as fields_of
from holdfast.config.settings import McpSettings, Settings
from holdfast.log.store import Place

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "settings.md"

HEAD = f"""\
# Settings

Each setting has a default, so none has to be set. [Configure Holdfast](../guides/configure.md) shows how; this page
lists all of them, and `holdfast config` prints what counts where you are, and who said so. This page is generated
from the code.

The library reads none of this: a program says what it wants when it [opens a store](library.md#open_store).

## Where they come from

The later is the stronger:

1. the defaults on this page;
2. your file: `~/.config/holdfast/config.toml`, or below `$XDG_CONFIG_HOME` if that is set, or the file that
   `{CONFIG}` names;
3. the project's file: `.holdfast/config.toml` in the workspace, which is the nearest folder up from the current one
   that has a `.git`, or that `holdfast init` made a project. The search ends at your home folder, at the end of the
   file system, and at a folder of another user (see `trusted_folders`);
4. the environment: `HOLDFAST_` and the name of the setting in capitals, with `_` for each dot. Empty means not set;
5. options on the command line.

Of most settings the strongest value counts. `permissions`, `tools.disabled` and `instructions` add up. A folder in a
file begins where the file lies. What is unknown or cannot be is refused, with the file and the line, or the variable,
and what was probably meant.

`{WEIGHTS}` is no setting: it names a GGUF file with a model that runs in this process, which
[has its own name and length](local-model.md#a-gguf-file-of-your-own).

## What a project may say

A project's file comes from others, so it may tighten what you allow, and never loosen it: it starts nothing, permits
nothing, names no address, raises no limit and chooses no model that costs money. It is compared with your file, and
where that says nothing, with the default. The tables say it for each setting. What a project may not say is refused
with the reason; if you want it, write it into your own file.

## Secrets

The key of a service comes from the environment, or is kept by `holdfast key add SERVICE`: in the keyring of the
system if the package `keyring` is installed, or else in `keys.json` beside your file of settings, which only you can
read. Other secrets come from the environment or the keyring: `keyring set holdfast NAME`. A setting that looks like one
is refused, in a file or a variable. Servers of tools may name one: `$NAME` in their `env` and `headers` stands for the
secret of that name. None is ever printed.

## Coming from another system

| there | here |
|---|---|
| how often a failed request is tried again | `retry.attempts` |
| the first wait before that, and the longest | `retry.base`, `retry.cap` |
| when a conversation is shortened | `compaction.share`, or `compaction.messages` for a number of messages |
| how many recent messages are kept then | `compaction.turns` for whole turns, `compaction.protected` for tokens |
| the size of the context, in tokens | `context.tokens` |
| the most messages of the history that are sent | `context.history_messages` |
| the folder of the sessions | `store` |
| the greatest age of a session | `retention_days` |
| persistence off | `persistence = false` |
"""

INTRODUCTIONS = {
    "permissions": "Each rule is a table of its own, `[[permissions]]`:",
    "mcp": "Each server is a table with a name of your choice, `[mcp.NAME]`:",
}
"""What stands before the fields of settings that are tables in a list or by name."""


def page() -> str:
    """The whole page."""
    pieces = [HEAD]
    for table, keys in groupby(KEYS.values(), key=lambda key: key.name.rpartition(".")[0]):
        found = list(keys)
        if table:
            pieces.append(f"## `[{table}]`\n\n{_doc_of(table)}\n")
            pieces += [_table(found, table)]
        else:
            pieces += [_section(key) for key in found]
    return "\n".join(pieces)


def _doc_of(table: str) -> str:
    struct = fields_of(Settings)[table].type
    return inspect.getdoc(struct) or ""


def _section(key: Key) -> str:
    lines = [f"## `{key.name}`", "", _docs(Settings)[key.name], ""]
    facts = [f"- what it is: {_kind(key)}", f"- default: {_default(key)}"]
    facts += [f"- in the environment: `{key.variable}`"] if key.variable else []
    facts += [f"- a project may say: {TABLE[key.name].said}"]
    lines += [*facts, ""]
    member = {"permissions": Rule, "mcp": McpSettings}.get(key.name)
    if member is not None:
        lines += [INTRODUCTIONS[key.name], "", "| name | default | what it does |", "|---|---|---|"]
        docs = _docs(member)
        for name, field in fields_of(member).items():
            usual = "" if field.required else f"`{_toml(_usual(field))}`"
            lines.append(f"| `{name}` | {usual} | {docs[name] or _one_of(field.type)} |")
        lines.append("")
    return "\n".join(lines)


def _table(keys: list[Key], table: str) -> str:
    docs = _docs(fields_of(Settings)[table].type)
    lines = ["| setting | in the environment | default | a project may say | what it does |", "|---|---|---|---|---|"]
    for key in keys:
        variable = f"`{key.variable}`" if key.variable else ""
        meaning = f"{docs[key.name.rpartition('.')[2]]} {_one_of(key.type)}".strip()
        lines.append(f"| `{key.name}` | {variable} | {_default(key)} | {TABLE[key.name].said} | {meaning} |")
    return "\n".join([*lines, ""])


def _docs(struct: object) -> dict[str, str]:
    """What the docstrings below the fields of a struct say, those of what it is made from included."""
    found: dict[str, str] = {}
    for each in reversed(inspect.getmro(struct)):  # type: ignore[arg-type]
        if is_struct(each) and each.__module__.startswith("holdfast."):
            made = ast.parse(textwrap.dedent(inspect.getsource(each))).body[0]
            found |= _fields(made.body) if isinstance(made, ast.ClassDef) else {}
    return found


def _fields(body: list[ast.stmt]) -> dict[str, str]:
    """Each field with the text on the lines after it."""
    found = {}
    for field, below in pairwise((*body, ast.Pass())):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = " ".join(text.split())
            case ast.AnnAssign(target=ast.Name(id=name)), _:
                found[name] = ""
            case _:
                pass
    return found


def _kind(key: Key) -> str:
    if key.is_mapping:
        return "a table"
    if get_origin(key.type) is Literal:
        return _one_of(key.type).removeprefix("One of ").removesuffix(".")
    if get_origin(key.type) is tuple:
        return "a list"
    words = {
        str: "a text",
        Path: "a folder",
        Place: "a folder",
        float: "a number",
        int: "a whole number",
        bool: "`true` or `false`",
    }
    return next(word for kind, word in words.items() if key.type is kind)


def _one_of(kind: object) -> str:
    """What there is to choose from, if there is."""
    choices = ", ".join(f"`{each}`" for each in get_args(kind))
    return f"One of {choices}." if get_origin(kind) is Literal else ""


def _default(key: Key) -> str:
    return f"`{_toml(key.default)}`" if key.default not in ("", None) else "none"


def _usual(field: msgspec.structs.FieldInfo) -> object:
    return {} if field.default is msgspec.NODEFAULT else field.default


def _toml(value: object) -> str:
    """A value as a file would have it."""
    plain = str(value) if isinstance(value, Path | Place) else list(value) if isinstance(value, tuple) else value
    return json.dumps(plain)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
