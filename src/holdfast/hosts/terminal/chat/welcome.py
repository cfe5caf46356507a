"""The first screen, shown once: what this is, who answers, where conversations are kept, three keys.

That it was shown is remembered in the user's state folder. Where that cannot be written it is shown again, which
is a smaller trouble than an error at the first start.
"""

from collections.abc import Mapping
from contextlib import suppress

from holdfast.config.places import state_folder
from holdfast.hosts.terminal.draw.activity import Look
from holdfast.hosts.terminal.draw.spans import wrapped_text
from holdfast.hosts.terminal.draw.theme import Role
from holdfast.log.store import StoreAbout
from holdfast.providers.choose.choose import Choice
from holdfast.records.printable import printable
from holdfast.stores.files.home_folder import home

MARK = "welcomed"
_DOES = ("sends; while it works, it steers", "stops it; nothing said is lost", "leaves; `holdfast` continues here")
KEYS, PLAIN_KEYS = ("Enter", "Esc", "Ctrl-D"), ("Enter", "Ctrl-C", "Ctrl-D")
"""The three keys, on a screen and where there are only lines."""
_BETTER = (
    "Others: with a key in the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY, …) or from `holdfast key add SERVICE`,"
    " with a running Ollama, or with /model."
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


def welcome_lines(
    choice: Choice, store: StoreAbout, look: Look, environment: Mapping[str, str], keys: tuple[str, str, str] = KEYS
) -> list[str]:
    """The screen: the model that was chosen, where conversations are kept, and the keys that send, stop and leave."""
    theme, width = look.theme, look.width

    def said(text: str, role: Role) -> list[str]:
        return [theme.painted(line, role) for line in wrapped_text(printable(text), width)]

    longest = max(map(len, keys))
    listed = [
        theme.painted(key, "strong") + " " * (longest - len(key) + 2) + line
        if not index
        else " " * (longest + 2) + line
        for key, does in zip(keys, _DOES, strict=True)
        for index, line in enumerate(wrapped_text(does, width - longest - 2))
    ]
    return [
        *said("Holdfast", "title"),
        *said("A conversation with an agent that cannot be lost, however it ends.", "model"),
        "",
        *(said(f"Model: {choice.name} ({choice.why}).", "model") if choice.ways else said(choice.said, "model")),
        *(line for way in choice.ways for line in said(way, "model")),
        *([] if _says_more(choice) else said(_BETTER, "dim")),
        "",
        *said(f"Conversations are kept in {_place(store, environment)}.", "model"),
        "",
        *listed,
        "",
        *said("/help shows the rest. This screen is not shown again.", "dim"),
    ]


def _says_more(choice: Choice) -> bool:
    """Whether the choice itself says how to have another model."""
    return not choice.said.endswith(f"({choice.why}).")


def _place(store: StoreAbout, environment: Mapping[str, str]) -> str:
    """Where a store is; a folder as its user writes it."""
    if store.folder is None:
        return store.place
    own = home(environment)
    short = f"~/{store.folder.relative_to(own)}" if store.folder.is_relative_to(own) else store.place
    return f"{short}, on this machine only"
