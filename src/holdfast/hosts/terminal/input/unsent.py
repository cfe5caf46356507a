"""What was typed and not sent, and messages on their way to the log: kept, and back when the session is opened."""

import asyncio
import secrets
from contextlib import suppress
from pathlib import Path

import msgspec

from holdfast.commands.typed_lines import FOLDER, old_drafts, typed_folder
from holdfast.config.own_files import read_own, write_own
from holdfast.records.parts import Value
from holdfast.session.store import Store

# It goes where the session goes, into the trash and with a deletion, and where conversations are not kept it is not.
# Each window keeps what was typed in it in a file of its own. A session that is opened gives what any window left
# there to the one that has it now; a window that lost its session to another goes on keeping its own words.
_UNSENT = "unsent"


class Draft(Value, frozen=True, kw_only=True):
    """An unfinished message."""

    text: str = ""
    pasted: dict[str, str] = msgspec.field(default_factory=dict)
    """Long texts that were pasted, by what stands for them in the text."""


def joined(*drafts: Draft) -> Draft:
    """Several as one, in their order; what is the same is said once."""
    texts, pasted = dict[str, None](), dict[str, str]()
    for each in drafts:
        text = each.text
        for label, long in each.pasted.items():
            if pasted.setdefault(label, long) != long:  # the label is taken by another paste of the same length
                text = text.replace(label, long)
        texts |= {text: None} if text else {}
    return Draft(text="\n".join(texts), pasted=pasted)


class Drafts:
    """Where the drafts of one window are kept."""

    def __init__(self, state: Path, store: Store) -> None:
        """Keep the drafts of a store's sessions beside them; where these have no folders, nothing is kept.

        Earlier versions kept them in the user's `state` folder; what is left there is found and moved.
        """
        self._state, self._store = state, store
        self._window = secrets.token_hex(4)

    def take(self, key: str, mine: Draft) -> Draft:
        """What other windows left in a session; it is kept with what stands in this one from now on."""
        session, root = self._store.about(key).folder, self._store.about().folder
        if session is None or root is None:
            return Draft()
        files = [file for file in sorted((session / FOLDER).glob(f"{_UNSENT}.*")) if file != self._file(session)]
        files = [*old_drafts(self._state, root, key), *files]
        found = joined(*(_read(file) for file in files))
        try:
            self.save(key, joined(found, mine))
        except OSError:  # nothing can be written: it stays where it is
            return found
        for file in files:
            file.unlink(missing_ok=True)
        return found

    def save(self, key: str, draft: Draft) -> None:
        """Keep a draft; an empty one is no draft. Raises `OSError`."""
        session = self._store.about(key).folder
        if session is None:
            return
        if draft.text:
            typed_folder(session)
            write_own(self._file(session), msgspec.json.encode(draft), synced=False)
        else:
            with suppress(NotADirectoryError):
                self._file(session).unlink(missing_ok=True)

    def _file(self, session: Path) -> Path:
        return session / FOLDER / f"{_UNSENT}.{self._window}.json"


def _read(file: Path) -> Draft:
    try:
        return msgspec.json.decode(read_own(file), type=Draft)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Draft()


SECONDS = 0.2
"""How long after a key press at the latest."""


class Unsent:
    """The draft of the session that the person is in."""

    def __init__(self, drafts: Drafts) -> None:
        """Nothing is kept before a session is entered."""
        self._drafts, self._key = drafts, ""
        self._typed = self._kept = Draft()
        self._sending: list[Draft] = []
        self._timer: asyncio.TimerHandle | None = None

    @property
    def empty(self) -> bool:
        """Whether everything that was typed is in the log."""
        return not self._typed.text and not self._sending

    def enter(self, key: str) -> Draft:
        """Go on with another session; what is typed or on its way goes along. Gives what was not sent there."""
        before, self._key = self._key, key
        mine = self._all()
        if before and before != key:
            self._keep(before, Draft())
        found = self._drafts.take(key, mine)
        self._kept = joined(found, mine)
        return found

    def typed(self, draft: Draft) -> None:
        """What stands in the input is this now."""
        self._typed = draft
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SECONDS, self.save)

    def sending(self, message: Draft) -> None:
        """A message has left the input, and is not in the log yet."""
        self._sending.append(message)

    def sent(self, message: Draft) -> None:
        """It is in the log, or was put back into the input."""
        if message in self._sending:
            self._sending.remove(message)
        self.save()

    def save(self) -> None:
        """Keep it now; where nothing can be written, it lives as long as this process."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._key and (draft := self._all()) != self._kept:
            # What is unchanged is not kept again: a window that has the session now may have taken it along.
            self._keep(self._key, draft)

    def _all(self) -> Draft:
        return joined(*self._sending, self._typed)

    def _keep(self, key: str, draft: Draft) -> None:
        with suppress(OSError):
            self._drafts.save(key, draft)
            self._kept = draft
