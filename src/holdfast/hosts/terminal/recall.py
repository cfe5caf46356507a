"""What was typed before: kept for each workspace in the user's own folder, and no more than a while back."""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
from prompt_toolkit.history import History

from holdfast.hosts.terminal.keeping import keep
from holdfast.stores.files.disk import make_folder

MOST = 1_000
"""How many are remembered."""
LONGEST = 20_000
"""Characters of one; what is longer is better found in the session."""


class Recall(History):
    """What was typed in a workspace, newest first."""

    def __init__(self, state: Path, identity: str) -> None:
        """Remember for a workspace."""
        super().__init__()
        self._file = state / "history" / f"{identity}.jsonl"

    def load_history_strings(self) -> Iterable[str]:
        """What is remembered, newest first."""
        try:
            lines = self._file.read_bytes().splitlines()
        except OSError:
            return
        if len(lines) > 2 * MOST:
            lines = lines[-MOST:]
            keep(self._file, b"".join(line + b"\n" for line in lines))
        for line in reversed(lines[-MOST:]):
            try:
                yield msgspec.json.decode(line, type=str)
            except msgspec.DecodeError:
                continue  # half a line of a process that was killed

    def store_string(self, string: str) -> None:
        """Remember one more; where nothing can be written, for as long as this process lives."""
        if len(string) > LONGEST:
            return
        try:
            make_folder(self._file.parent)
            descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return
        with os.fdopen(descriptor, "ab") as opened:
            opened.write(msgspec.json.encode(string) + b"\n")
