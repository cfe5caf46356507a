"""What a person typed in a session: a file in the session's folder, so it goes where the session goes.

The chat in a terminal has it back with the up key. The trash takes it along, a deletion removes it, and where
conversations are not kept there is no folder and so no file. A fork begins without it.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree

import msgspec

from holdfast.commands.answers import Answers, Data, PlainLines, Prose
from holdfast.commands.context import CommandContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import count
from holdfast.config.own_files import append_own, read_own, write_own
from holdfast.config.places import state_folder
from holdfast.log.store import Place

MOST = 1_000
"""How many lines are remembered."""
LONGEST = 20_000
"""Characters of one; what is longer is better found in the session."""
FOLDER, FILE = "typed", "history.jsonl"


async def history(given: Inputs, context: CommandContext) -> Answers:
    """List what was typed, oldest first, or clear it."""
    keys = given.names("keys")
    for key in keys:
        await (await context.opened()).state(key)  # raises for a session that is not there
    if given.text("action") == "clear":
        return _cleared(keys, context)
    if not keys:
        raise given.refuse("No session is named.", hint="`holdfast sessions` lists them.")
    folders = {key: context.about(key).folder for key in keys}
    typed = {key: lines_of(folder)[::-1] for key, folder in folders.items() if folder is not None}
    return (PlainLines(lines=tuple(line for lines in typed.values() for line in lines)), Data(value=typed))


def _cleared(keys: list[str], context: CommandContext) -> Answers:
    if keys:
        cleared = clear_lines(context.about(key).folder for key in keys)
    else:
        cleared = clear_lines(_sessions(context.about().folder))
        remove_shared(state_folder(context.environment))
    said = f"Cleared what was typed in {count(cleared, 'session')}."
    return (Prose(markdown=said), Data(value={"cleared": cleared}))


def typed_folder(session: Path) -> Path:
    """The folder for what was typed in a session. Raises `OSError` where there is no such session, or a link."""
    folder = session / FOLDER
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)  # not the session's folder: a session that was deleted does not come back for it
    if folder.is_symlink():
        raise NotADirectoryError(folder)
    return folder


def lines_of(session: Path) -> list[str]:
    """What was typed in the session that has this folder, newest first."""
    found = []
    for line in reversed(_stored(session / FOLDER / FILE)[-MOST:]):
        with suppress(msgspec.DecodeError):  # half a line of a process that was killed
            found.append(msgspec.json.decode(line, type=str))
    return found


def add_line(session: Path, text: str) -> None:
    """Remember one more line. Raises `OSError`."""
    file = typed_folder(session) / FILE
    before = _stored(file)
    if len(before) >= 2 * MOST:
        write_own(file, b"".join(line + b"\n" for line in before[-MOST:]), synced=False)
    append_own(file, msgspec.json.encode(text) + b"\n")


def clear_lines(sessions: Iterable[Path | None]) -> int:
    """Remove what was typed in the sessions with these folders; in how many something was. Raises `OSError`."""
    return sum(_remove(folder) for folder in sessions if folder is not None)


def remove_shared(state: Path) -> bool:
    """Remove the lists that earlier versions kept for each workspace, where no deletion reached them."""
    there = (state / "history").is_dir()
    rmtree(state / "history", ignore_errors=True)
    return there


def old_drafts(state: Path, store: Place | Path, key: str) -> list[Path]:
    """The files in which earlier versions kept the drafts of a session."""
    name = blake2b(f"{store}\0{key}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return sorted((state / "drafts").glob(f"{name}.*"))


def _sessions(store: Path | None) -> Iterator[Path]:
    """The folder of every session of a store, also of those in the trash."""
    for folder in (store / "sessions", store / "trash") if store is not None else ():
        with suppress(FileNotFoundError, NotADirectoryError):
            yield from folder.iterdir()


def _remove(session: Path) -> int:
    try:
        (session / FOLDER / FILE).unlink()
    except (FileNotFoundError, NotADirectoryError):
        return 0
    return 1


def _stored(file: Path) -> list[bytes]:
    try:
        return read_own(file).splitlines()
    except OSError:
        return []
