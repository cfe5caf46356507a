"""Secrets: from the environment or the keyring of the system, never from a file, never printed."""

import os
import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Protocol, cast

from holdfast.errors import BadSetting

SERVICE = "holdfast"
"""Under which name the keyring has our secrets."""
HINT = "Take it out, and set it in the environment, or run `keyring set holdfast NAME`. Servers may name it as $NAME."

_NAMES = re.compile(
    r"(?:^|[_-])(?:api[_-]?key|access[_-]?key|key|token|secret|password|passwd|authorization|cookie)$", re.IGNORECASE
)
_VALUES = re.compile(
    r"\b(?:sk-[\w-]{8,}|gh[a-z]_\w{16,}|github_pat_\w{16,}|xox[a-z]-[\w-]{8,}|AKIA[0-9A-Z]{12,}|AIza[\w-]{20,}"
    r"|gsk_\w{16,}|hf_\w{16,}|eyJ[\w-]{8,}\.[\w-]{8,})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|://[^/\s:@]+:[^/\s@]+@"
    r"|[?&](?:api[_-]?key|key|token|secret)=[^&$\s]{8,}"
)
_REFERENCE = re.compile(r"\$(?:\{(\w+)\}|([A-Za-z_]\w*))")


class _Keyring(Protocol):
    def get_password(self, service_name: str, username: str) -> str | None: ...


def secret(name: str, environment: Mapping[str, str] | None = None) -> str | None:
    """A secret by the name of its variable: from the environment, or else from the keyring."""
    values = os.environ if environment is None else environment
    return values.get(name) or _kept(_keyring(), name)


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


def with_keyring(environment: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """The environment with those of these secrets that only the keyring has."""
    keyring = _keyring()  # once, because a package that is not there is looked for in every folder each time
    kept = {name: _kept(keyring, name) for name in names if not environment.get(name)}
    return {**environment, **{name: value for name, value in kept.items() if value}}


def filled(values: Mapping[str, str], environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Texts of the settings with secrets in the place of their names: `Bearer $TOKEN`."""
    return {name: _REFERENCE.sub(lambda found: _known(found, environment), text) for name, text in values.items()}


def _known(found: re.Match[str], environment: Mapping[str, str] | None) -> str:
    name = found[1] or found[2]
    value = secret(name, environment)
    if value is None:
        raise BadSetting(
            f"${name} is neither set in the environment nor in the keyring.",
            hint=f"Set the variable, or run `keyring set {SERVICE} {name}`.",
        )
    return value


def names_in(text: str) -> list[str]:
    """The names of the secrets that a text names instead of holding them."""
    return [found[1] or found[2] for found in _REFERENCE.finditer(text)]


def looks_secret(name: str, text: str) -> bool:
    """Whether something is probably a secret, by what it is called or by what it looks like."""
    if _VALUES.search(text):
        return True
    return bool(text) and _NAMES.search(name) is not None and not names_in(text)
