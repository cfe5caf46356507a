"""What is told of a turn: each event becomes finished lines, or changes what is shown as unfinished.

Finished lines are what the scrollback keeps. What is unfinished is small: the end of what streams, what
runs, and how long it has taken.
"""

from collections.abc import Callable, Mapping

from holdfast.agent.events import (
    Answered,
    Appended,
    Asked,
    CallStreamed,
    Compacting,
    Event,
    FellBack,
    Noticed,
    Retrying,
    StepBegan,
    TextStreamed,
    ThinkingStreamed,
    ToolBegan,
    ToolTold,
    TurnBegan,
    TurnOver,
    WindowCompacted,
)
from holdfast.hosts.terminal.spans import clip, wrapped_text
from holdfast.hosts.terminal.room import Room
from holdfast.records.entries import ModelReplied, ToolFinished, UserSaid
from holdfast.records.safe import safe, safe_line

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class Telling:
    def __init__(self, room: "Room", now: Callable[[], float]) -> None:
        self.theme, self._columns, self._now = room.theme, lambda: room.columns, now
        self._room = room
        self._text = ""
        self._began: float | None = None
        self._doing = ""
        self._tools: dict[str, tuple[str, float]] = {}
        self.tokens = self.room = 0
        self.model = ""

    def take(self, event: Event) -> str:
        match event:
            case TurnBegan():
                self._began, self._doing, self.model = self._now(), "waiting for the model", event.model
            case StepBegan():
                self.tokens, self.room, self.model = event.tokens, event.room, event.model
            case TextStreamed():
                self._doing = "writing"
                self._text += safe(event.text)
                done, gap, rest = self._text.rpartition("\n\n")
                if gap:
                    self._text = rest
                    return self._wrapped(done) + "\n"
            case ThinkingStreamed():
                self._doing = "thinking"
            case CallStreamed():
                self._doing = f"calling {safe_line(event.name, 40)}"
            case ToolBegan():
                self._tools[event.call] = (safe_line(event.title, 200), self._now())
            case Appended():
                return self._appended(event)
            case Retrying():
                return f"retrying in {event.seconds:.0f} s: {safe(event.why)}\n"
            case TurnOver():
                self._began, self._doing = None, ""
                self._tools.clear()
                return self._end() + (
                    f"{event.ended.why}: {safe(event.ended.note)}\n" if event.ended.why != "answered" else ""
                )
            case Noticed():
                return safe(event.text) + "\n"
            case Asked() if event.question.ask is not None:
                return safe(event.question.ask.detail) + "\n"
            case _:
                pass
        return ""

    def _appended(self, event: Appended) -> str:
        entry = event.record.entry
        if isinstance(entry, UserSaid):
            text = "\n".join(getattr(part, "text", getattr(part, "name", "")) for part in entry.parts)
            return (
                "\n".join(self.theme.painted(line, "user") for line in self._wrapped("› " + safe(text)).splitlines())
                + "\n\n"
            )
        if isinstance(entry, ModelReplied):
            return self._end()
        if isinstance(entry, ToolFinished):
            title, _ = self._tools.pop(entry.call, (entry.name, 0.0))
            return self.theme.painted(f"• {title} ({entry.outcome}, {entry.milliseconds} ms)", "dim") + "\n"
        return ""

    def _end(self) -> str:
        text, self._text = self._text, ""
        return self._wrapped(text) + "\n" if text else ""

    def _wrapped(self, text: str) -> str:
        return "".join(f"{line}\n" for each in text.split("\n") for line in wrapped_text(each, self._columns()))

    def live(self, columns: int, rows: int) -> list[str]:
        lines = wrapped_text(self._text, columns)[-max(1, rows // 3) :] if self._text else []
        for title, began in self._tools.values():
            lines.append(clip(f"{title} {self._now() - began:.0f} s", columns))
        if self._began is not None:
            spent = self._now() - self._began
            spin = SPINNER[int(spent * 8) % len(SPINNER)]
            lines.append(clip(f"{spin} {self._doing} {spent:.0f} s · Esc stops", columns))
        return lines

    def status(self, columns: int) -> str:
        state = self._room.conversation.state
        saved = "saved ✓" if self._room.is_saved else "…"
        pieces = [self.model, state.title or state.key, f"{self.tokens}/{self.room}" if self.room else "", saved]
        return self.theme.painted(clip(" · ".join(each for each in pieces if each), columns), "status")
