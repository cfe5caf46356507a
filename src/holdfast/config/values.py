"""From what somebody wrote to the value of a setting, with where it came from, or an error that says what it can be."""

from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Literal, get_args, get_origin

import msgspec

from holdfast.agent.permissions import Rule
from holdfast.config.secrets import looks_secret
from holdfast.config.setting_names import is_struct
from holdfast.errors import BadInput, BadSetting
from holdfast.log.store import Place
from holdfast.records.parts import Value
from holdfast.stores.files.home_folder import ONLY_FOLDERS, expanded, scheme_of

Level = Literal["default", "user", "project", "environment", "flag"]
"""Who said it, the weakest first."""


class Origin(Value, frozen=True, kw_only=True):
    """Where a value came from."""

    level: Level
    place: str = ""
    """The file, the variable, or the flag."""
    line: int = 0
    """The line of the file, counted from 1."""

    @property
    def said(self) -> str:
        """As a person would look it up."""
        return f"{self.place}:{self.line}" if self.line else self.place or "default"

    def naming(self, key: str) -> str:
        """A setting as it is called where this value stands."""
        return f"{self.said}: `{key}`" if self.level in {"user", "project"} else self.place or f"`{key}`"


DEFAULT = Origin(level="default")


def in_file(path: Path, line: int, *, project: bool) -> Origin:
    """A line of a file."""
    return Origin(level="project" if project else "user", place=str(path), line=line)


class GivenValue(Value, frozen=True, kw_only=True):
    """A value that somebody gave for a setting."""

    key: str
    value: object
    origin: Origin


_LONGEST = 60
_MISPLACED = "Take it out: settings are shown and told. A key has a variable of its own, such as OPENAI_API_KEY."
_KINDS: Mapping[object, str] = {
    bool: "It is true or false.",
    int: "It is a whole number.",
    float: "It is a number.",
    str: "It is a text.",
    Path: "It is a folder.",
}


def converted(kind: object, value: object, *, key: str, origin: Origin) -> object:
    """A value as a setting of this kind has it."""
    if kind is Place:
        return _store_place(value, key, origin)
    typed = origin.level in {"environment", "flag"} and isinstance(value, str)
    try:
        found: object = msgspec.convert(value, kind, strict=not typed, dec_hook=_path)
    except msgspec.ValidationError:
        raise BadSetting(f"{origin.naming(key)} is {shown(key, value)}.", hint=what_it_can_be(kind)) from None
    if typed and isinstance(found, str) and looks_secret(key, found):
        raise BadSetting(f"{origin.naming(key)} looks like a secret.", hint=_MISPLACED)
    if isinstance(found, Path):
        return _placed(found, key, origin)
    if isinstance(found, tuple):
        return tuple(_placed(each, key, origin) if isinstance(each, Path) else each for each in found)
    return found


def _path(kind: type, value: object) -> Path:
    if kind is Path and isinstance(value, str) and value:
        return Path(value)
    raise TypeError


def _placed(path: Path, key: str, origin: Origin) -> Path:
    """A folder as it was meant: in a file, from where the file lies."""
    found = folder(str(path), setting=origin.naming(key))
    return Path(origin.place).parent / found if origin.line else found


def _store_place(value: object, key: str, origin: Origin) -> Place:
    """A place that there can be a store at: as yet only folders."""
    if not isinstance(value, str) or not value:
        raise BadSetting(f"{origin.naming(key)} is {shown(key, value)}.", hint=what_it_can_be(Path))
    if scheme := scheme_of(value):
        raise BadSetting(
            f"{origin.naming(key)} is a URL, and there are no stores of the kind {scheme!r}.", hint=ONLY_FOLDERS
        )
    return Place(folder=_placed(Path(value), key, origin))


def folder(text: str, *, setting: str) -> Path:
    """A folder as somebody wrote it, `~` included."""
    try:
        return expanded(text)
    except RuntimeError as error:
        raise BadSetting(f"{setting} is {text!r}, and there is no such home.", hint="Write the folder out.") from error


def what_it_can_be(kind: object) -> str:
    """What fits a setting, in words."""
    if get_origin(kind) is Literal:
        return f"It can be {', '.join(get_args(kind))}."
    if get_origin(kind) is tuple:
        member = get_args(kind)[0]
        if is_struct(member):
            name = "permissions" if member is Rule else "hooks"
            return f"It is a list of tables, each written below a line of its own: [[{name}]]."
        return 'It is a list of texts: ["one", "two"].'
    if get_origin(kind) is Mapping:
        return 'It is a table of texts: { name = "text" }.'
    if isinstance(kind, UnionType):
        return _KINDS[get_args(kind)[0]]
    return _KINDS.get(kind, "It is a table.")


def shown(key: str, value: object) -> str:
    """A value in an error, on one line, unless it might be a secret."""
    if isinstance(value, str) and looks_secret(key, value):
        return "something that looks like a secret"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def refused(error: BadInput, message: str) -> BadSetting:
    """What a table of settings refused, with where it stands."""
    return BadSetting(message, hint=error.hint)
