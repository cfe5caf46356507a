"""What is going on right now, in one line that moves: the spinner.

It takes every event and the time, and draws nothing by itself; what it says is gone with the next draw.
"""

from holdfast.agent.events import (
    Answered,
    Asked,
    CallStreamed,
    Compacting,
    Event,
    FellBack,
    Retrying,
    StepBegan,
    TextStreamed,
    ThinkingStreamed,
    ToolBegan,
    ToolTold,
    TurnBegan,
    WindowCompacted,
)
from holdfast.agent.events import Appended as _Appended
from holdfast.commands.text.width import clip
from holdfast.hosts.terminal.draw.numbers import lasted
from holdfast.hosts.terminal.draw.theme import Theme
from holdfast.records.entries import ToolFinished
from holdfast.records.printable import printable_line

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
PER_SECOND = 10
"""How often it moves."""


class Spinner:
    """Says what a turn is doing, and for how long."""

    def __init__(self) -> None:
        """Begin with nothing going on."""
        self._doing, self._since, self._began = "", 0.0, 0.0
        self._tools: dict[str, str] = {}
        self._told = ""

    def begin(self, doing: str, now: float) -> None:
        """Say this, from now on."""
        self._doing, self._since, self._began = doing, now, now

    def note(self, event: Event, now: float) -> None:
        """Take an event; `now` is any clock in seconds that only goes forward."""
        if isinstance(event, TurnBegan):
            self._tools, self._told, self._began = {}, "", now
        if isinstance(event, ToolBegan):
            self._tools[event.call] = event.title
        elif isinstance(event, ToolTold):
            self._told = event.text
        elif isinstance(event, _Appended) and isinstance(event.record.entry, ToolFinished):
            self._tools.pop(event.record.entry.call, None)
            self._told = ""
        doing = self._named(event)
        if doing is None:
            return
        # The clock of a thing goes on while only its numbers change.
        if doing.partition(",")[0] != self._doing.partition(",")[0]:
            self._since = now
        self._doing = doing

    def _named(self, event: Event) -> str | None:
        match event:
            case TurnBegan() | StepBegan() | FellBack() | Answered() | WindowCompacted():
                return self._running() or "waiting for the model"
            case ThinkingStreamed():
                return "thinking"
            case TextStreamed():
                return "writing"
            case CallStreamed():
                return f"writing a call to {event.name}, {event.characters:,} characters"
            case Retrying():
                return f"waiting to ask again: {event.why}"
            case Compacting():
                return "making room"
            case Asked():
                return "waiting for your answer"
            case ToolBegan() | ToolTold() | _Appended():
                return self._running()
            case _:
                return None

    def _running(self) -> str | None:
        if not self._tools:
            return None
        first = next(iter(self._tools.values()))
        more = f" and {len(self._tools) - 1} more" if len(self._tools) > 1 else ""
        return first + more

    def line(self, now: float, width: int, theme: Theme) -> str:
        """The line at a moment."""
        frame = FRAMES[int(now * PER_SECOND) % len(FRAMES)]
        told = f" · {printable_line(self._told, 200)}" if self._told else ""
        spent = f" {lasted(int(now - self._since))}" if now - self._since >= 1 else ""
        doing = clip(printable_line(self._doing, 200), width - 2 - len(spent))
        text = clip(f"{doing}{spent}{told}", width - 2)
        return f"{theme.painted(frame, 'user')} {theme.painted(text, 'dim')}"

    def lines(self, now: float, width: int, theme: Theme) -> list[str]:
        """The line, and below it what a tool told last, where both have no room in one."""
        line, told = self.line(now, width, theme), printable_line(self._told, 200)
        if not told or f" · {told}" in line:
            return [line]
        return [line, theme.painted(clip(f"  · {told}", width), "dim")]

    def elapsed(self, now: float) -> float:
        """Seconds since the turn began."""
        return now - self._began
