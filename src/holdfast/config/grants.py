"""What a person allowed "always" in a workspace.

It lies in the user's own folder, never in the workspace, so that no repository, copy or archive
brings a permission along; and it counts only for the workspace it was given for.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from holdfast.agent.permissions import Rule
from holdfast.config.folder_ids import IDENTITY
from holdfast.config.own_files import locked, write_own
from holdfast.config.workspace_identity import is_marked
from holdfast.errors import BadInput, BadSetting, NotWritten
from holdfast.records.parts import Value

_OTHERS_WRITE = 0o022


class _Kept(Value, frozen=True, kw_only=True):
    root: str
    rules: tuple[Rule, ...] = ()


def load_grants(state: Path, identity: str, root: Path) -> tuple[Rule, ...]:
    """The rules that the user allowed for a workspace; none for one that only says it is that workspace.

    Raises `BadSetting` for a file that cannot be read or trusted: it allows nothing, and its owner is to know.
    """
    kept = _read(_place(state, identity))
    return () if kept is None or _is_anothers(state, kept, identity, root) else kept.rules


def save_grants(state: Path, identity: str, root: Path, rules: Iterable[Rule]) -> None:
    """Keep exactly these rules for a workspace."""
    place = _place(state, identity)
    with _alone(place.parent):
        _write(state, identity, root, rules)


def add_grants(state: Path, identity: str, root: Path, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Keep these rules too, also when two sessions do so at once; gives all of them."""
    place = _place(state, identity)
    with _alone(place.parent):
        together = tuple(dict.fromkeys((*load_grants(state, identity, root), *rules)))
        _write(state, identity, root, together)
    return together


def _place(state: Path, identity: str) -> Path:
    if not IDENTITY.fullmatch(identity):
        raise BadInput(f"{identity!r} is no id of a workspace.", hint="`workspace_identity` gives it.")
    return state / "workspaces" / f"{identity}.json"


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    try:
        with locked(folder):
            yield
    except OSError as error:
        raise NotWritten(
            f"What is always allowed cannot be kept in {folder}: {error.strerror}.",
            hint="Check who owns it, and whether the disk is full.",
        ) from error


def _read(place: Path) -> _Kept | None:
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe in its place has us not wait
        with open(descriptor, "rb") as file:  # noqa: PTH123 # it is open already
            mode, data = os.fstat(descriptor).st_mode, file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadSetting(
            f"What is always allowed in this workspace cannot be read from {place}: {error.strerror}.",
            hint="Check who owns it; or remove it, and you will be asked again.",
        ) from error
    if mode & _OTHERS_WRITE:
        raise BadSetting(
            f"{place} can be written by others, so what it allows does not count.",
            hint="Look into it; then remove it, or take their right away with `chmod 600`.",
        )
    try:
        return msgspec.json.decode(data, type=_Kept)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadSetting(f"{place} is damaged.", hint="Remove it; you will be asked again.") from error


def _write(state: Path, identity: str, root: Path, rules: Iterable[Rule]) -> None:
    place, kept = _place(state, identity), tuple(rules)
    wrong = [rule for rule in kept if rule.decision != "allow"]
    if wrong:
        raise BadInput(f"Only what is allowed is kept, not `{wrong[0].decision}`.", hint="Write it into the settings.")
    before = _read(place)
    if before is not None and _is_anothers(state, before, identity, root):
        raise BadInput(
            f"{root} says that it is the workspace at {before.root}.",
            hint="Remove `.holdfast/id` or `.git/holdfast-id` in it; then it gets an id of its own.",
        )
    write_own(place, msgspec.json.encode(_Kept(root=_path(root), rules=kept)))


def _path(root: Path) -> str:
    return os.fsencode(root.resolve()).decode(errors="replace")  # JSON has no names that are no text


def _is_anothers(state: Path, kept: _Kept, identity: str, root: Path) -> bool:
    """Whether the rules were given for another folder that is still that workspace."""
    return kept.root != _path(root) and is_marked(Path(kept.root), identity, state)
