"""All sources together: defaults, the user's file, the project's file, the environment, flags; the later wins."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_origin

from holdfast.config.discovery import Workspace, discover
from holdfast.config.places import here, project_file, user_file
from holdfast.config.project_rules import refuse_loosening
from holdfast.config.setting_names import (
    ADDING,
    CONFIG,
    JOB,
    KEYS,
    PREFIX,
    SETTINGS,
    VARIABLES,
    Key,
    fields,
    in_capitals,
    is_struct,
    nearest,
    setting,
)
from holdfast.config.settings import Settings
from holdfast.config.settings_file import is_file, read_file
from holdfast.config.tool_rules import refuse_misfits, refuse_unknown_tools
from holdfast.config.values import DEFAULT, GivenValue, Level, Origin, converted, refused
from holdfast.errors import BadInput, BadSetting
from holdfast.log.store import Place
from holdfast.providers.services import SERVICES
from holdfast.records.parts import Value

_NAMED = re.compile(r"`([\w.]+)`")


class Explained(Value, frozen=True, kw_only=True):
    """One setting: what it is, and who said so."""

    key: str
    value: object
    origins: tuple[Origin, ...] = (DEFAULT,)
    """One, or one for each part of a setting that several sources add to."""


class Looked(Value, frozen=True, kw_only=True):
    """A file that was looked for."""

    level: Level
    path: Path
    found: bool


class Loaded(Value, frozen=True, kw_only=True):
    """The settings, and how they came about."""

    settings: Settings
    explained: tuple[Explained, ...]
    """Every setting; those with entries of their own names once for each entry."""
    files: tuple[Looked, ...]
    root: Path
    """The workspace."""
    trusted: bool = True
    """Whether what lies in the workspace may tell the model what to do: it belongs to the user."""
    passed_over: str = ""
    """One line about a folder of another user that does not count; '' for none."""


def load(
    environment: Mapping[str, str] | None = None,
    *,
    flags: Mapping[str, object] | None = None,
    where: Path | None = None,
) -> Settings:
    """The settings that count in a folder: without one, in the current one."""
    return read(environment, flags=flags, where=where).settings


def explain(
    environment: Mapping[str, str] | None = None,
    *,
    flags: Mapping[str, object] | None = None,
    where: Path | None = None,
) -> tuple[Explained, ...]:
    """Every setting with its value and where it came from."""
    return read(environment, flags=flags, where=where).explained


def read(
    environment: Mapping[str, str] | None = None,
    *,
    flags: Mapping[str, object] | None = None,
    where: Path | None = None,
) -> Loaded:
    """Read the settings that count in a folder. Raises `BadSetting` for the first thing that is wrong.

    `flags` are settings by their key, as a host was given them for this once.
    """
    values = os.environ if environment is None else environment
    workspace = find_workspace(values, where)
    files = looked_at(values, workspace)
    user, project = (_from_file(file, values) for file in files)
    refuse_loosening(project, user, str(files[0].path))
    everything = (*user, *project, *_from_environment(values), *_from_flags(flags or {}))
    refuse_unknown_tools(everything)
    refuse_misfits(everything)
    refuse_unknown_services(everything)
    given = _merged(everything)
    settings = _built(Settings, "", given)
    return Loaded(
        settings=settings,
        explained=tuple(_explained(settings, given)),
        files=files,
        root=workspace.root,
        trusted=workspace.trusted,
        passed_over=workspace.note,
    )


def find_workspace(environment: Mapping[str, str], where: Path | None = None) -> Workspace:
    """The workspace of a folder; the user's own file says which folders of others count."""
    path = user_file(environment)
    mine = _from_file(Looked(level="user", path=path, found=is_file(path)), environment)
    trusted = next((each.value for each in reversed(mine) if each.key == "trusted_folders"), ())
    return discover(where or here(environment), environment, trusted)  # type: ignore[arg-type] # its kind was checked


def looked_at(environment: Mapping[str, str], workspace: Workspace) -> tuple[Looked, Looked]:
    """The files that are read for a workspace, the weaker first."""
    user, project = user_file(environment), project_file(workspace.root)
    if not workspace.trusted:
        return (
            Looked(level="user", path=user, found=is_file(user)),
            Looked(level="project", path=project, found=False),
        )
    # Who named it as their own takes it as their own. Links that lead nowhere are for `is_file` to refuse.
    same = os.path.realpath(project) == os.path.realpath(user)
    return (
        Looked(level="user", path=user, found=is_file(user)),
        Looked(level="project", path=project, found=is_file(project) and not same),
    )


def _from_file(file: Looked, environment: Mapping[str, str]) -> list[GivenValue]:
    named = file.level == "user" and environment.get(CONFIG) not in {None, "", os.devnull}
    if named and not file.found:
        raise BadSetting(f"{CONFIG} names {file.path}, which is no file.", hint="Correct the variable, or unset it.")
    return read_file(file.path, project=file.level == "project") if file.found else []


def _from_environment(environment: Mapping[str, str]) -> Iterator[GivenValue]:
    for name in sorted(environment):
        if name.startswith(PREFIX) and environment[name] and name not in {*SETTINGS, JOB}:
            raise BadSetting(f"{name} is no setting.", hint=_meant(name))
    for variable, key in VARIABLES.items():
        text = environment.get(variable)
        if text:
            yield _given(key, key.name, text, Origin(level="environment", place=variable))


def _meant(variable: str) -> str:
    """What to do about a variable that means nothing."""
    only_in_files = next((key.name for key in KEYS.values() if in_capitals(key.name) == variable), "")
    if only_in_files:
        return f"Set `{only_in_files}` in a file: it is more than one value."
    near = nearest(variable.removeprefix(PREFIX), (name.removeprefix(PREFIX) for name in SETTINGS))
    return f"Did you mean {PREFIX}{near}?" if near else "Unset it; then `holdfast config` lists every setting."


def _from_flags(flags: Mapping[str, object]) -> Iterator[GivenValue]:
    for name, value in flags.items():
        key = setting(name)
        if key is None:
            near = nearest(name, KEYS)
            raise BadSetting(f"`{name}` is no setting.", hint=f"Did you mean `{near}`?" if near else "")
        yield _given(key, name, value, Origin(level="flag", place=f"--{name.replace('_', '-')}"))


def _given(key: Key, name: str, value: object, origin: Origin) -> GivenValue:
    return GivenValue(key=name, value=converted(key.type, value, key=name, origin=origin), origin=origin)


def _merged(given: Iterable[GivenValue]) -> dict[str, list[GivenValue]]:
    """What counts for each setting: the last that was given, or all that add up."""
    found: dict[str, list[GivenValue]] = {}
    for each in given:
        before = found.get(each.key, []) if each.key in ADDING else []
        found[each.key] = [*before, each]
    return found


def _value(given: list[GivenValue]) -> Any:  # noqa: ANN401
    values = [each.value for each in given]
    if len(values) > 1 and isinstance(values[0], str):
        return "\n\n".join(str(each) for each in values)
    return values[0] if len(values) == 1 else tuple(part for each in values for part in each)  # type: ignore[attr-defined]


def _built(struct: Any, prefix: str, given: Mapping[str, list[GivenValue]]) -> Any:  # noqa: ANN401
    """A table of settings, with defaults where nobody said anything."""
    values: dict[str, Any] = {}
    for name, field in fields(struct).items():
        key = f"{prefix}{name}"
        if is_struct(field.type):
            values[name] = _built(field.type, f"{key}.", given)
        elif get_origin(field.type) is Mapping:
            values[name] = {each[len(key) + 1 :]: _value(given[each]) for each in given if each.startswith(f"{key}.")}
        elif key in given:
            values[name] = _value(given[key])
    if struct is Settings:
        values.setdefault("store", converted(Place, str(Settings().store), key="store", origin=DEFAULT))
    try:
        return struct(**values)
    except BadInput as error:
        raise _attributed(error, prefix, given) from error


def _attributed(error: BadInput, prefix: str, given: Mapping[str, list[GivenValue]]) -> BadSetting:
    """The same error with where the wrong value stands."""
    named = [f"{prefix}{name}" for name in _NAMED.findall(error.message)]
    guilty = next((key for key in (*named, *given) if key in given and key.startswith(prefix)), "")
    if not guilty:
        return refused(error, error.message)
    origin = given[guilty][-1].origin
    short = f"`{guilty.removeprefix(prefix)}`"
    if error.message.startswith(short):
        return refused(error, f"{origin.naming(guilty)}{error.message.removeprefix(short)}")
    return refused(error, f"{origin.naming(guilty)}: {error.message}")


def _explained(settings: Settings, given: Mapping[str, list[GivenValue]]) -> Iterator[Explained]:
    for key in KEYS.values():
        if key.is_mapping:
            for name in (each for each in given if each.startswith(f"{key.name}.")):
                yield Explained(key=name, value=_value(given[name]), origins=_origins(given[name]))
        else:
            value: object = settings
            for part in key.name.split("."):
                value = getattr(value, part)
            yield Explained(key=key.name, value=value, origins=_origins(given.get(key.name, [])))


def _origins(given: list[GivenValue]) -> tuple[Origin, ...]:
    return tuple(each.origin for each in given) or (DEFAULT,)


# An address for a service that nobody knows is a slip, and what was meant for that address would go to the usual one.
# The same holds for other settings of a service: a slip would leave it as it was.
_ADDRESSES = "endpoints."
_LISTS = ("no_thinking_back",)


def refuse_unknown_services(given: Iterable[GivenValue]) -> None:
    """Raise `BadSetting` for the first service that there is not."""
    for each in given:
        for prefix, name in _named(each):
            if name not in SERVICES:
                near = nearest(name, SERVICES)
                hint = f"Did you mean `{prefix}{near}`?" if near else f"Services: {', '.join(SERVICES)}."
                raise BadSetting(f"{each.origin.naming(each.key)} is for a service that nobody knows.", hint=hint)


def _named(given: GivenValue) -> Iterator[tuple[str, str]]:
    """The services that a setting names, and what stands before each."""
    if given.key in _LISTS and isinstance(given.value, tuple):
        yield from (("", str(name)) for name in given.value)
    elif given.key.startswith(_ADDRESSES):
        yield _ADDRESSES, given.key.removeprefix(_ADDRESSES)
