"""Settings, parsed once.

Each can be set in the environment; what is wrong is said with the name of the setting.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from holdfast.errors import BadInput
from holdfast.log.store import Durability
from holdfast.records.parts import Value

STORE = "HOLDFAST_STORE"
DURABILITY = "HOLDFAST_DURABILITY"
RETENTION = "HOLDFAST_RETENTION_DAYS"
SETTINGS = (STORE, DURABILITY, RETENTION)
"""Every setting, by its name in the environment."""


class Settings(Value, frozen=True, kw_only=True):
    """How Holdfast is to run."""

    store: Path
    """Where conversations are kept."""
    durability: Durability = "always"
    """What an acknowledgement waits for."""
    retention_days: float = 0.0
    """Sessions idle for longer move to the trash; 0 means never."""


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from the environment."""
    values = os.environ if environment is None else environment
    store = values.get(STORE) or "~/.holdfast"
    return Settings(
        store=folder(store, setting=STORE),
        durability=_durability(values.get(DURABILITY) or "always"),
        retention_days=_days(values.get(RETENTION) or "0"),
    )


def folder(text: str, *, setting: str) -> Path:
    """A folder as somebody wrote it, `~` included."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise BadInput(f"{setting} is {text!r}, and there is no such home.", hint="Write the folder out.") from error


def _durability(text: str) -> Durability:
    for each in get_args(Durability):
        if text == each:
            return each  # type: ignore[no-any-return]
    raise BadInput(f"{DURABILITY} is {text!r}.", hint=f"It can be {', '.join(get_args(Durability))}.")


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not 0 <= days < float("inf"):
        raise BadInput(f"{RETENTION} is {text!r}.", hint="It is a number of days; 0 keeps everything.")
    return days
