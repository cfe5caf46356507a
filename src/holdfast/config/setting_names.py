"""The settings as keys: `limits.steps` in a file is HOLDFAST_LIMITS_STEPS in the environment.

Everything that goes by name is made from the structs in `settings`, so a new field is a new
key, a new variable and a new row of the reference, and nothing has to be kept in step.
"""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo

from holdfast.config.settings import Settings
from holdfast.log.store import Place

PREFIX = "HOLDFAST_"
"""How everything of ours in the environment begins."""

ADDING = frozenset({"permissions", "hooks", "tools.disabled", "instructions"})
"""Settings of which every file and flag gives a part; of the others the strongest wins."""


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """One setting."""

    name: str
    """With the table it stands in: `limits.steps`."""
    type: object
    """What it can be; of a mapping, what one entry can be."""
    default: object
    is_mapping: bool = False
    """Whether it has entries with names of the user's choice, such as `endpoints.ollama`."""

    @property
    def variable(self) -> str:
        """Its name in the environment; '' for one that only a file can say."""
        is_scalar = not self.is_mapping and get_origin(self.type) is not tuple
        return in_capitals(self.name) if is_scalar else ""


def in_capitals(name: str) -> str:
    """A key as the environment would have it."""
    return f"{PREFIX}{name.upper().replace('.', '_')}"


def is_struct(kind: object) -> bool:
    """Whether something is a table with fields of its own; a place is written as one text."""
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind is not Place


def fields(struct: object) -> dict[str, FieldInfo]:
    """The fields of a table, by name."""
    return {field.name: field for field in msgspec.structs.fields(struct)}  # type: ignore[arg-type]


def _keys(struct: object, prefix: str) -> Iterator[Key]:
    for field in fields(struct).values():
        name = f"{prefix}{field.name}"
        if is_struct(field.type):
            yield from _keys(field.type, f"{name}.")
        elif get_origin(field.type) is Mapping:
            yield Key(name=name, type=get_args(field.type)[1], default={}, is_mapping=True)
        else:
            yield Key(name=name, type=field.type, default=field.default)


KEYS: Mapping[str, Key] = {key.name: key for key in _keys(Settings, "")}
"""Every setting."""

VARIABLES: Mapping[str, Key] = {key.variable: key for key in KEYS.values() if key.variable}
"""Every setting that the environment can say, by its name there."""

CONFIG = f"{PREFIX}CONFIG"
"""Names another file than the usual one of the user."""

WEIGHTS = f"{PREFIX}WEIGHTS"
"""Names a GGUF file with a model that runs in this process."""

SETTINGS = (*VARIABLES, CONFIG, WEIGHTS)
"""Everything of ours that is read from the environment."""

JOB = f"{PREFIX}JOB"
"""Marks the processes of a command that the agent runs; no setting, and there when such a command is `holdfast`."""


def setting(name: str) -> Key | None:
    """The setting that a name belongs to: `endpoints` for `endpoints.ollama`."""
    first = KEYS.get(name.partition(".")[0])
    return first if first is not None and first.is_mapping else KEYS.get(name)


def nearest(wrong: str, known: Iterable[str]) -> str:
    """The name that was probably meant; '' if none is like it."""
    names = {name.lower(): name for name in known}
    return next((names[each] for each in get_close_matches(wrong.lower(), names, 1)), "")
