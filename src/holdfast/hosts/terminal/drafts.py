"""What was typed and not sent: kept for each session in the user's own folder, and back when it is opened again.

Each window keeps what was typed in it in a file of its own. A session that is opened gives what any window left
there to the one that has it now; a window that lost its session to another goes on keeping its own words.
"""

import secrets
from hashlib import blake2b
from pathlib import Path

import msgspec

from holdfast.hosts.terminal.keeping import keep
from holdfast.records.parts import Value


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

    def __init__(self, state: Path, store: Path) -> None:
        """Keep the drafts of a store's sessions in the user's own folder."""
        self._folder, self._store = state / "drafts", store
        self._window = secrets.token_hex(4)

    def take(self, key: str, mine: Draft) -> Draft:
        """What other windows left in a session; it is kept with what stands in this one from now on."""
        files = [file for file in sorted(self._folder.glob(f"{self._name(key)}.*")) if file != self._file(key)]
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
        if draft.text:
            keep(self._file(key), msgspec.json.encode(draft))
        else:
            self._file(key).unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        return self._folder / f"{self._name(key)}.{self._window}.json"

    def _name(self, key: str) -> str:
        return blake2b(f"{self._store}\0{key}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _read(file: Path) -> Draft:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Draft)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Draft()
