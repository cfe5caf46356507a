"""Secrets by name: from the environment, the keyring of the system, or the file of `key_file`; never printed."""

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Protocol, cast

from holdfast.config.key_file import key_file, read_keys, write_key
from holdfast.config.secrets import REFERENCE
from holdfast.errors import BadSetting, NotWritten

SERVICE = "holdfast"
"""Under which name the keyring has our secrets."""
KEYRING = "the keyring of the system"


class _Keyring(Protocol):
    def get_password(self, service_name: str, username: str) -> str | None: ...
    def set_password(self, service_name: str, username: str, password: str) -> None: ...
    def delete_password(self, service_name: str, username: str) -> None: ...


def secret(name: str, environment: Mapping[str, str] | None = None) -> str | None:
    """A secret by the name of its variable: from the environment, or else kept by the keyring or in the file."""
    values = os.environ if environment is None else environment
    return values.get(name) or _kept(_keyring(), name) or read_keys(values).get(name)


def _keyring() -> _Keyring | None:
    try:
        return cast("_Keyring", import_module("keyring"))
    except ImportError:
        return None


def _kept(keyring: _Keyring | None, name: str) -> str | None:
    if keyring is None:
        return None
    try:
        return keyring.get_password(SERVICE, name) or None
    except Exception:  # noqa: BLE001 # boundary: a keyring fails in ways of its own, and one that fails holds nothing
        return None


def with_kept(environment: Mapping[str, str], names: Iterable[str | tuple[str, ...]]) -> dict[str, str]:
    """The environment with those of these secrets that it has not, and the keyring or the file has.

    Several names together stand for the same secret: none is taken if the environment has one of them.
    """
    keyring = _keyring()  # once, because a package that is not there is looked for in every folder each time
    kept, found = read_keys(environment), {}
    for group in names:
        each = (group,) if isinstance(group, str) else group
        if not any(environment.get(name) for name in each):
            found.update({name: value for name in each if (value := _kept(keyring, name) or kept.get(name))})
    return {**environment, **found}


def keep(name: str, value: str, environment: Mapping[str, str]) -> str:
    """Keep a secret for good, in the keyring if the system has one that works; gives where it is."""
    keyring = _keyring()
    if keyring is not None:
        with suppress(Exception):  # boundary: a keyring fails in ways of its own; then there is the file
            keyring.set_password(SERVICE, name, value)
            if keyring.get_password(SERVICE, name) == value:
                if name in read_keys(environment):
                    write_key(name, None, environment)
                return KEYRING
    write_key(name, value, environment)
    return str(key_file(environment))


def kept_in(names: Iterable[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Those of these secrets that are kept, with where."""
    keyring, kept = _keyring(), read_keys(environment)
    found = {name: KEYRING if _kept(keyring, name) else str(key_file(environment)) * (name in kept) for name in names}
    return {name: place for name, place in found.items() if place}


def forget(name: str, environment: Mapping[str, str]) -> bool:
    """Remove a secret from wherever it is kept; False if it is kept nowhere."""
    keyring, found = _keyring(), name in read_keys(environment)
    if keyring is not None and _kept(keyring, name):
        try:
            keyring.delete_password(SERVICE, name)
        except Exception as error:  # noqa: BLE001 # boundary: a keyring fails in ways of its own
            raise NotWritten(
                f"The keyring of the system does not give up {name}: {type(error).__name__}.",
                hint=f"Remove it there: `keyring del {SERVICE} {name}`.",
            ) from None
        found = True
    if name in read_keys(environment):
        write_key(name, None, environment)
    return found


def filled(values: Mapping[str, str], environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Texts of the settings with secrets in the place of their names: `Bearer $TOKEN`."""
    return {name: REFERENCE.sub(lambda found: _known(found, environment), text) for name, text in values.items()}


def _known(found: re.Match[str], environment: Mapping[str, str] | None) -> str:
    name = found[1] or found[2]
    value = secret(name, environment)
    if value is None:
        raise BadSetting(
            f"${name} is neither set in the environment nor in the keyring.",
            hint=f"Set the variable, or run `keyring set {SERVICE} {name}`.",
        )
    return value
