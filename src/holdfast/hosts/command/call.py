"""One call of the command: what it was given, where it writes, which store it is about."""

import argparse
import gc
import json
import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import Any

import msgspec

from holdfast.assembly import open_store
from holdfast.config import Loaded, Settings, read
from holdfast.errors import BadInput, NoSession, NotThere
from holdfast.hosts.command.arguments import Argument, Command
from holdfast.hosts.command.console import Console, escaped
from holdfast.hosts.command.exits import Exit
from holdfast.hosts.command.naming import line, resolved
from holdfast.hosts.command.table import find
from holdfast.hosts.event_loop import run
from holdfast.session.store import Store
from holdfast.stores.files.home_folder import home


class Call:
    """What a handler gets."""

    def __init__(self, arguments: argparse.Namespace, console: Console) -> None:
        """Join what was parsed and the console."""
        self.console = console
        self._arguments: dict[str, Any] = vars(arguments)
        self.now = datetime.now(UTC)

    def text(self, name: str) -> str:
        """An argument that is a text; '' when it was not given."""
        value = self._arguments[name]
        return "" if value is None else str(value)

    def texts(self, name: str) -> list[str]:
        """An argument that may be given several times."""
        return list(self._arguments[name] or ())

    def names(self, name: str) -> list[str]:
        """An argument that names several things, each once."""
        return list(dict.fromkeys(self.texts(name)))

    def number(self, name: str) -> int | None:
        """An argument that is a number."""
        value: int | None = self._arguments[name]
        return value

    def flag(self, name: str) -> bool:
        """A switch."""
        return bool(self._arguments[name])

    def must_name(self, argument: Argument) -> None:
        """Refuse an empty name: an unset variable of a script must not mean everything."""
        name = argument.names[-1]
        if self._arguments[name.lstrip("-")] == "":
            shown = name if argument.is_option else name.upper()
            raise BadInput(f"{shown} is empty.", hint="Name one, or leave it out.")

    async def resolve(self, names: Sequence[str]) -> None:
        """Put keys in the place of names that stand for them."""
        for name in names:
            self._must_be_folder()
            given = self._arguments[name]
            if isinstance(given, str):
                self._arguments[name] = await resolved(self.store, given)
            elif given:
                self._arguments[name] = [await resolved(self.store, each) for each in given]

    @cached_property
    def loaded(self) -> Loaded:
        """The settings with where they came from, read when they are first asked for."""
        return read(flags=self.flags)

    @property
    def flags(self) -> dict[str, object]:
        """The settings that the command line has."""
        store = self._arguments["store"]
        # An unset variable of a script must not make another store of it.
        if store == "":
            raise BadInput("--store is empty.", hint="Give it a folder, or leave it out.")
        return {} if store is None else {"store": store}

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self.loaded.settings

    @property
    def store(self) -> Path:
        """The folder with the sessions."""
        return self.settings.store

    def open(self) -> Store:
        """Open the store."""
        self._must_be_folder()
        return open_store(self.store, durability=self.settings.durability)

    def has_sessions(self) -> bool:
        """Whether anything was ever written there: looking at an empty place must not make it."""
        self._must_be_folder()
        return (self.store / "sessions").is_dir() or (self.store / "trash").is_dir()

    def _must_be_folder(self) -> None:
        if self.store.exists() and not self.store.is_dir():
            raise BadInput(f"{self.store} is a file, not a folder with sessions.", hint="Give --store a folder.")

    def line(self, command: str, key: str, options: str = "") -> str:
        """A command about a session of this store, to be copied into a shell."""
        store = self._arguments["store"]
        return line(command, key, " ".join(filter(None, (options, store and f"--store {quote(store)}"))))

    def print_json(self, value: object) -> None:
        """Print a value as one JSON document."""
        text = json.dumps(plain(value), ensure_ascii=False, indent=2)
        self.console.data(f"{escaped(text)}\n".encode())


def plain(value: object) -> object:
    """A value as JSON has it, every field named, also where it is the usual one."""
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return os.fspath(value) if isinstance(value, os.PathLike) else value


Handler = Callable[[Call], Coroutine[object, object, Exit]]
"""Does what one command is for."""


async def _run(call: Call, command: Command, handler: Handler) -> Exit:
    for each in command.arguments:
        names = each.completes in {"keys", "tags", "trash"} or "--model" in each.names
        if names and (each.is_option or each.many == "?"):
            call.must_name(each)
    await call.resolve([each.names[-1].lstrip("-") for each in command.arguments if each.completes == "keys"])
    return await handler(call)


def handle(arguments: argparse.Namespace, console: Console) -> Exit:
    """Run the handler that the table names."""
    command = find(arguments.command)
    assert command is not None, "the parser knows the commands of the table"  # noqa: S101
    module, _, name = command.handler.partition(":")
    # A command that is more than looking after sessions lives beside this package, and stands on it.
    place = module if "." in module else f"holdfast.hosts.command.{module}"
    handler: Handler = getattr(import_module(place), name)
    os.environ["HOME"] = str(home(os.environ))  # what is started from here must not take the root folder for it
    call = Call(arguments, console)
    gc.freeze()  # what was loaded stays, and need not be looked at again and again
    gc.enable()
    try:
        return run(_run(call, command, handler))
    except NoSession as error:
        hint = run(_elsewhere(call, error.key))
        if not hint:
            raise
        raise NotThere(error.message, hint=hint) from error


async def _elsewhere(call: Call, key: str) -> str:
    """Where a session may be that is not among the others; '' where there is nothing to say."""
    if not call.has_sessions():
        return f"There are no sessions at all in {call.store}. HOLDFAST_STORE, or --store PATH, says where to look."
    async with call.open() as store:
        if any(each.key == key for each in await store.trash()):
            return f"It is in the trash: `{call.line('trash restore', key)}` brings it back."
    return ""
