"""Input history: the up key brings back the lines that were typed in this session."""

from collections.abc import AsyncGenerator, Callable, Iterable
from pathlib import Path

from prompt_toolkit.history import History

from holdfast.commands.typed_lines import LONGEST, MOST, add_line, lines_of


class InputHistory(History):
    """What was typed in a session, newest first."""

    def __init__(self, session: Callable[[], Path | None]) -> None:
        """Remember for the session whose folder this gives now; for one without a folder, while the process lives."""
        super().__init__()
        self._session = session
        self._unwritten: list[str] = []
        """Newest first: what could not be written, or is not to be."""

    async def load(self) -> AsyncGenerator[str, None]:
        """What is remembered, newest first; read anew, because the session may be another one."""
        for each in self.load_history_strings():
            yield each

    def get_strings(self) -> list[str]:
        """What is remembered, oldest first."""
        return list(self.load_history_strings())[::-1]

    def append_string(self, string: str) -> None:
        """Remember one more."""
        self.store_string(string)

    def load_history_strings(self) -> Iterable[str]:
        """What is remembered, newest first."""
        session = self._session()
        return [*self._unwritten, *(lines_of(session) if session is not None else ())]

    def store_string(self, string: str) -> None:
        """Remember one more; where nothing can be written, for as long as this process lives."""
        if len(string) > LONGEST:
            return
        session = self._session()
        try:
            if session is not None:
                add_line(session, string)
                return
        except OSError:
            pass
        self._unwritten = [string, *self._unwritten][:MOST]

    def forget(self) -> None:
        """Forget what is not written: another session begins, or the list was cleared."""
        self._unwritten = []
