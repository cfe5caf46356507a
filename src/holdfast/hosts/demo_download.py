"""The download of the built-in demo model, on the first run: a line that moves, where a line can move."""

from types import TracebackType
from typing import Self

from holdfast.hosts.console import Console

_MEGA = 1_000_000


class Download:
    """Shows how far the download is, on standard error."""

    def __init__(self, console: Console) -> None:
        """Nothing is downloaded yet."""
        self._console = console
        self._told = False

    def progress(self, done: int, total: int) -> None:
        """So many bytes are here."""
        if self._console.shows_progress:
            share = f"{done // _MEGA} of {total // _MEGA} MB" if total else f"{done // _MEGA} MB"
            self._console.redraw(f"fetching the built-in demo model, once: {share}")
        elif not self._told:
            self._console.note(f"Fetching the built-in demo model, once ({total // _MEGA or 98} MB) …")
        self._told = True

    def __enter__(self) -> Self:
        """Show it for a block of code."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave no half line behind."""
        if self._told and self._console.shows_progress:
            self._console.redraw("")
