"""What was typed and not sent: kept for each session in the user's own folder, and back when it is opened again."""

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


class Drafts:
    """Where drafts are kept."""

    def __init__(self, state: Path, store: Path) -> None:
        """Keep the drafts of a store's sessions in the user's own folder."""
        self._folder, self._store = state / "drafts", store

    def load(self, key: str) -> Draft:
        """The draft of a session; an empty one if there is none that can be read."""
        try:
            return msgspec.json.decode(self._file(key).read_bytes(), type=Draft)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return Draft()

    def save(self, key: str, draft: Draft) -> None:
        """Keep a draft; an empty one is no draft. Raises `OSError`."""
        if draft.text:
            keep(self._file(key), msgspec.json.encode(draft))
        else:
            self._file(key).unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        name = blake2b(f"{self._store}\0{key}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return self._folder / f"{name}.json"
