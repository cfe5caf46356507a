"""One file of settings: read, checked key by key, and taken apart into values with their lines."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from stat import S_ISREG
from typing import Any, get_args, get_origin

import msgspec

from holdfast.config.secrets import HINT, looks_secret
from holdfast.config.setting_names import KEYS, fields, is_struct, nearest
from holdfast.config.settings import Settings
from holdfast.config.toml_lines import Way, line_of, positions
from holdfast.config.values import GivenValue, Origin, converted, in_file, refused, shown, what_it_can_be
from holdfast.errors import BadInput, BadSetting

_LARGEST = 1_000_000
_PLACE = re.compile(r" ?\(at (?:line (\d+), column \d+|end of document)\)$")


def read_file(path: Path, *, project: bool) -> list[GivenValue]:
    """Every value in a file, with its line; nothing if there is no such file."""
    if not is_file(path):
        return []
    text = _text(path)
    return _File(path, text, _parsed(path, text), project=project).values()


def is_file(path: Path) -> bool:
    """Whether there is a file. One that cannot be looked for is an error: it might forbid something."""
    try:
        return S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> BadSetting:
    return BadSetting(f"{path} cannot be read: {error.strerror}.", hint="Check its name and who owns it.")


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(data) > _LARGEST:
        raise BadSetting(f"{path} has {len(data):,} bytes, too many for settings.", hint="Is it the right file?")
    try:
        return data.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadSetting(f"{path}:{line}: this is no UTF-8.", hint="Save the file as UTF-8.") from error


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.search(str(error))
        line = int(found[1]) if found and found[1] else text.count("\n") + 1
        why = _PLACE.sub("", str(error))
        hint = 'Texts stand in quotes (model = "name"), tables in brackets ([limits]).'
        raise BadSetting(f"{path}:{line}: this is no TOML: {why}.", hint=hint) from None
    except RecursionError:
        raise BadSetting(f"{path}:1: lists in lists, too deep.", hint="No setting needs that.") from None


class _File:
    def __init__(self, path: Path, text: str, table: dict[str, Any], *, project: bool) -> None:
        self._path, self._table, self._project = path, table, project
        self._lines = positions(text)

    def values(self) -> list[GivenValue]:
        self._refuse_secrets(self._table, ())
        return list(self._section(Settings, self._table, ()))

    def _origin(self, way: Way) -> Origin:
        return in_file(self._path, line_of(self._lines, way), project=self._project)

    def _refuse_secrets(self, value: object, way: Way) -> None:
        if isinstance(value, str):
            name = next((each for each in reversed(way) if isinstance(each, str)), "")
            if looks_secret(name, value):
                raise BadSetting(f"{self._origin(way).naming(_key(way))} looks like a secret.", hint=HINT)
        elif isinstance(value, dict):
            for key, each in value.items():
                self._refuse_secrets(each, (*way, key))
        elif isinstance(value, list):
            for number, each in enumerate(value):
                self._refuse_secrets(each, (*way, number))

    def _section(self, struct: object, table: Mapping[str, object], way: Way) -> Iterator[GivenValue]:
        known = fields(struct)
        for name, value in table.items():
            here = (*way, name)
            if name not in known:
                raise self._unknown(here, known)
            kind = known[name].type
            if is_struct(kind):
                yield from self._section(kind, self._mapping(value, here), here)
            elif get_origin(kind) is Mapping:
                for entry, each in self._mapping(value, here).items():
                    yield self._given((*here, entry), get_args(kind)[1], each)
            elif get_origin(kind) is tuple and is_struct(get_args(kind)[0]):
                yield from self._tables(get_args(kind)[0], value, here)
            else:
                yield self._given(here, kind, value)

    def _given(self, way: Way, kind: object, value: object) -> GivenValue:
        return GivenValue(key=_key(way), value=self._value(kind, value, way), origin=self._origin(way))

    def _tables(self, kind: object, value: object, way: Way) -> Iterator[GivenValue]:
        if not isinstance(value, list):
            raise self._wrong(way, value, tuple[kind, ...])  # type: ignore[valid-type]
        for number, each in enumerate(value):
            here = (*way, number)
            yield GivenValue(key=_key(way), value=(self._value(kind, each, here),), origin=self._origin(here))

    def _value(self, kind: object, value: object, way: Way) -> object:
        if not is_struct(kind):
            return converted(kind, value, key=_key(way), origin=self._origin(way))
        known = fields(kind)
        given = {}
        for name, each in self._mapping(value, way).items():
            if name not in known:
                raise self._unknown((*way, name), known)
            given[name] = self._value(known[name].type, each, (*way, name))
        missing = [name for name, field in known.items() if field.required and name not in given]
        if missing:
            raise BadSetting(
                f"{self._origin(way).naming(_key(way))} has no `{missing[0]}`.",
                hint=what_it_can_be(known[missing[0]].type),
            )
        try:
            return kind(**given)  # type: ignore[operator]
        except BadInput as error:
            raise refused(error, f"{self._origin(way).naming(_key(way))}: {error.message}") from error

    def _mapping(self, value: object, way: Way) -> Mapping[str, object]:
        if not isinstance(value, dict):
            raise self._wrong(way, value, msgspec.Struct)
        return value

    def _wrong(self, way: Way, value: object, kind: object) -> BadSetting:
        key = _key(way)
        return BadSetting(f"{self._origin(way).naming(key)} is {shown(key, value)}.", hint=what_it_can_be(kind))

    def _unknown(self, way: Way, known: Iterable[str]) -> BadSetting:
        return BadSetting(f"{self._origin(way).naming(_key(way))} is no setting.", hint=_meant(way, known))


def _key(way: Way) -> str:
    return ".".join(each for each in way if isinstance(each, str))


def _meant(way: Sequence[str | int], known: Iterable[str]) -> str:
    """The key that was probably meant: one of the same table, or one of that name in another."""
    table, name = _key(tuple(way[:-1])), str(way[-1])
    elsewhere = {key.rpartition(".")[2]: key for key in KEYS}
    near = nearest(name, known)
    if near and name not in elsewhere:
        return f"Did you mean `{f'{table}.{near}' if table else near}`?"
    near = nearest(name, elsewhere)
    return f"Did you mean `{elsewhere[near]}`?" if near else "`holdfast config` lists every setting."
