"""Finding one's lines again after a window became narrower.

Most terminals then break lines anew that have no room any more, so what was drawn takes more rows than it
did, and whoever goes up by the old count leaves the rest standing. Those few that cut lines off instead are
known by their names. tmux breaks a line by the most that ever stood in it, also where that was erased since,
unless the whole line was; so there all is erased before it is drawn in other rows.
"""

from collections.abc import Mapping
from typing import TypeVar

from prompt_toolkit.application import Application

Result = TypeVar("Result")


def reflows(environment: Mapping[str, str]) -> bool:
    """Whether the terminal breaks lines anew when it is resized."""
    term = environment.get("TERM", "")
    cuts = "XTERM_VERSION" in environment or term == "linux" or term.startswith(("screen", "vt"))
    return "TMUX" in environment or not cuts


def remembers(environment: Mapping[str, str]) -> bool:
    """Whether the terminal breaks lines by what was erased in them as well."""
    return "TMUX" in environment or environment.get("TERM", "").startswith("tmux")


class Reflowing(Application[Result]):
    """An application that erases all of what it drew, also after it was broken anew."""

    _columns = 0
    """How wide the window was when it was drawn last."""

    def _on_resize(self) -> None:
        self.output.cursor_up(self._more_rows())
        super()._on_resize()

    def _redraw(self, render_as_done: bool = False) -> None:  # noqa: FBT001, FBT002 # as the application calls it
        columns = self.output.get_size().columns
        if columns != self._columns and self.renderer.last_rendered_screen is not None:
            # The window is another already, and the signal that says so is still on its way.
            self.output.cursor_up(self._more_rows())
            self.renderer.erase(leave_alternate_screen=False)
        self._columns = columns
        super()._redraw(render_as_done)

    def _more_rows(self) -> int:
        """How many rows more than it was drawn in stand above the cursor now."""
        screen, columns = self.renderer.last_rendered_screen, self.output.get_size().columns
        if screen is None or columns < 1:
            return 0
        cursor = screen.get_cursor_position(self.layout.current_window)
        widths = [
            max((column for column, cell in screen.data_buffer[row].items() if cell.char.strip()), default=0)
            for row in range(cursor.y)
        ]
        return sum(width // columns for width in [*widths, cursor.x])
