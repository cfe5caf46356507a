"""The first screen, shown once: what this is, who answers, where conversations are kept, three keys.

That it was shown is remembered in the user's state folder. Where that cannot be written it is shown again, which
is a smaller trouble than an error at the first start.
"""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from holdfast.config.places import home, state_folder
from holdfast.hosts.terminal.spans import wrapped_text
from holdfast.hosts.terminal.theme import Role, Theme
from holdfast.records.safe import safe

MARK = "welcomed"
_KEYS = (
    ("Enter", "sends; while it works, it steers"),
    ("Esc", "stops it; nothing said is lost"),
    ("Ctrl-D", "leaves; `holdfast` continues here"),
)
_BETTER = (
    "A key in the environment brings another (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, …), so does a "
    "running Ollama; /model changes it."
)


def is_first_time(environment: Mapping[str, str]) -> bool:
    """Whether this user has not been welcomed yet."""
    return not (state_folder(environment) / MARK).exists()


def remember_welcome(environment: Mapping[str, str]) -> None:
    """Do not welcome this user again."""
    folder = state_folder(environment)
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / MARK).touch()


def welcome_lines(*, model: str, store: Path, width: int, theme: Theme, environment: Mapping[str, str]) -> list[str]:
    """The screen; `model` says in one line which model answers and why."""

    def said(text: str, role: Role) -> list[str]:
        return [theme.painted(line, role) for line in wrapped_text(safe(text), width)]

    longest = max(len(key) for key, _ in _KEYS)
    keys = [
        theme.painted(key, "strong") + " " * (longest - len(key) + 2) + line
        if not index
        else " " * (longest + 2) + line
        for key, does in _KEYS
        for index, line in enumerate(wrapped_text(does, width - longest - 2))
    ]
    return [
        *said("Holdfast", "title"),
        *said("A conversation with an agent that cannot be lost, however it ends.", "model"),
        "",
        *said(model, "model"),
        *said(_BETTER, "dim"),
        "",
        *said(f"Conversations are kept in {_short(store, environment)}, on this machine only.", "model"),
        "",
        *keys,
        "",
        *said("/help shows the rest. This screen is not shown again.", "dim"),
    ]


def _short(path: Path, environment: Mapping[str, str]) -> str:
    """A path as its user writes it."""
    own = home(environment)
    path = path.expanduser()
    return f"~/{path.relative_to(own)}" if path.is_relative_to(own) else str(path)
