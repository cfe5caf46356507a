"""The file with the keys of services that a person gave to `holdfast key add`, where the system has no keyring.

Only its owner can read it, and it lies with the settings of the user, which the sandbox hides from commands.
It holds variables with their values: `OPENAI_API_KEY` for the key of OpenAI.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from holdfast.config.own_files import locked, remove_own, write_own
from holdfast.config.places import user_folder
from holdfast.errors import BadSetting, NotWritten

_OTHERS = 0o077
_AGAIN = "Remove it, and give the keys again with `holdfast key add`."


def key_file(environment: Mapping[str, str]) -> Path:
    """Where it lies, there or not."""
    return user_folder(environment) / "keys.json"


def read_keys(environment: Mapping[str, str]) -> dict[str, str]:
    """The keys in it. Raises `BadSetting` for a file that others can read, or that cannot be read here."""
    place = key_file(environment)
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe in its place has us not wait
        with open(descriptor, "rb") as file:  # noqa: PTH123 # it is open already
            mode, data = os.fstat(descriptor).st_mode, file.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise BadSetting(
            f"Your keys cannot be read from {place}: {error.strerror}.", hint="Check who owns the file."
        ) from error
    if mode & _OTHERS:
        raise BadSetting(
            f"{place} holds keys, and others can read it.",
            hint=f"Run `chmod 600 {place}`. If somebody may have read it, replace the keys.",
        )
    try:
        return msgspec.json.decode(data, type=dict[str, str])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        # Without the error behind it: that one quotes what stands in the file.
        raise BadSetting(f"{place} is damaged.", hint=_AGAIN) from None


def write_key(name: str, value: str | None, environment: Mapping[str, str]) -> None:
    """Keep a key under the name of its variable, or remove it with None; the other keys stay."""
    place = key_file(environment)
    with _alone(place.parent):
        kept = {each: key for each, key in read_keys(environment).items() if each != name}
        if value is not None:
            kept[name] = value
        if kept:
            write_own(place, msgspec.json.format(msgspec.json.encode(kept)) + b"\n")
        else:
            remove_own(place)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    try:
        with locked(folder):
            yield
    except OSError as error:
        raise NotWritten(
            f"The key cannot be kept in {folder}: {error.strerror}.",
            hint="Check who owns the folder, and whether the disk is full. Nothing was changed.",
        ) from error
