"""What happened, as lines: entries of the log and events of a turn.

One place says it for all: while it happens, on coming back, and in `/history`. An entry by itself is past and is
shown whole; as an `Appended` event it is happening, and what was streamed already is not said twice.
"""

from typing import assert_never

import msgspec

from holdfast.agent.events import (
    Answered,
    Appended,
    Asked,
    CallStreamed,
    Compacting,
    ConversationClosed,
    Event,
    FellBack,
    Noticed,
    Resync,
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
from holdfast.commands.text.times import human_size
from holdfast.commands.text.width import clip
from holdfast.hosts.terminal.draw.diffs import changed, diff_lines
from holdfast.hosts.terminal.draw.markdown import markdown_lines
from holdfast.hosts.terminal.draw.numbers import lasted, short_count
from holdfast.hosts.terminal.draw.spans import Span, drawn, wrapped, wrapped_text
from holdfast.hosts.terminal.draw.theme import Role, Theme
from holdfast.hosts.terminal.draw.thinking import Mode, thinking_lines
from holdfast.hosts.terminal.draw.tool_output import output_lines
from holdfast.records.entries import (
    CommandRan,
    Delivered,
    Entry,
    GoalEnded,
    GoalStatusChanged,
    GoalVerified,
    ModelReplied,
    ToolFinished,
    TurnEnded,
    UserSaid,
)
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall, plain_text
from holdfast.records.printable import printable, printable_line
from holdfast.session.export.readable import shown
from holdfast.tools.titles import call_title

MESSAGE_LINES = 24
"""Lines of a message that are echoed; a pasted file is folded."""
DIFF_LINES = 12
"""Lines of a change that are shown below its line."""
OUTPUT_LINES = 8
"""Lines of a command's output that are shown of the past."""
ENGINE_SAID = 120
"""Characters that are shown of what Holdfast itself tells the model: a goal step, a timer."""
PROMPT = "\u203a "
STOPPED = "■ stopped"

_MARKS: dict[str, tuple[str, Role]] = {
    "ok": ("✓", "good"),
    "error": ("✗", "error"),
    "denied": ("⊘", "warning"),
    "interrupted": ("‖", "warning"),
}
_STOPS = {
    "length": "The reply is cut off here: it reached its greatest length. Say “go on” for the rest.",
    "refused": "The model would not answer this.",
    "interrupted": "The reply broke off here.",
}


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """How things are shown."""

    theme: Theme
    width: int
    thinking: Mode = "dim"


class Activity:
    """Says what happens in one conversation; remembers what calls were about."""

    def __init__(self, look: Look) -> None:
        """Show things in a way."""
        self.look = look
        self._began: dict[str, ToolBegan] = {}
        self._titles: dict[str, str] = {}
        self._asked: set[str] = set()
        self._noted: set[str] = set()
        self._before: type | None = None

    def lines_of(self, thing: Event | Entry) -> list[str]:
        """The lines for something that happens, or that happened."""
        match thing:
            case Appended():
                return self._appended(thing.record.entry)
            case StepBegan():
                fresh = [note for note in thing.notes if note not in self._noted]
                self._noted.update(fresh)
                return [line for note in fresh for line in self._said(f"not sent: {note}", "dim")]
            case Retrying():
                again = f"({thing.attempt} of {thing.attempts})"
                return self._said(f"retrying in {lasted(thing.seconds)}: {thing.why} {again}", "warning")
            case FellBack():
                return self._said(f"asking {thing.model} instead: {thing.why}", "warning")
            case Compacting():
                return self._said(f"making room: {thing.why}", "dim")
            case WindowCompacted():
                return self._said(_compacted(thing), "warning" if thing.failure else "dim")
            case Noticed():
                return self._said(thing.text, "warning")
            case TurnOver():
                return self._ended(thing.ended)
            case _:
                return self._silent(thing)

    def spaced(self, thing: Event | Entry) -> list[str]:
        """The same, with an empty line before it unless it is the first, or one call below another."""
        lines = self.lines_of(thing)
        if not lines:
            return []
        before, self._before = self._before, type(thing)
        return lines if before is None or before is ToolFinished is type(thing) else ["", *lines]

    def _silent(self, thing: Event | Entry) -> list[str]:
        """What is shown elsewhere while it happens, and only remembered here."""
        match thing:
            case ToolBegan():
                self._began[thing.call] = thing
            case Asked():
                if thing.question.ask is not None:
                    self._asked.add(thing.question.ask.detail)
            case TurnBegan() | TextStreamed() | ThinkingStreamed() | CallStreamed() | ToolTold() | Answered():
                pass
            case Appended() | StepBegan() | Retrying() | FellBack():
                pass
            case Compacting() | WindowCompacted() | Noticed() | TurnOver() | ConversationClosed() | Resync():
                pass
            case _:
                return self._past(thing)
        return []

    def _appended(self, entry: Entry) -> list[str]:
        """An entry as it is written: what was streamed or printed already is not said again."""
        match entry:
            case UserSaid() | Delivered() | ToolFinished() | GoalStatusChanged() | GoalVerified() | GoalEnded():
                return self._past(entry)
            case ModelReplied():
                self._remember(entry)
                # A stop by the person, or by the end of the process, is said by the end of the turn.
                return [] if entry.stop == "interrupted" else self._stopped(entry)
            case _:
                return []

    def _past(self, entry: Entry) -> list[str]:
        match entry:
            case UserSaid() if entry.source is not None and entry.source.is_engine:
                return self._said(_by_engine(entry), "dim")
            case UserSaid():
                return self._user(entry)
            case ModelReplied():
                return [*self._parts(entry.parts), *self.ending(entry)]
            case Delivered():
                return self._parts(entry.parts)
            case ToolFinished():
                return self._tool(entry)
            case TurnEnded():
                return self._ended(entry)
            case CommandRan():
                return self._command(entry)
            case _:
                seen = shown(entry)
                if seen is None:
                    return []
                note = f" ({seen.note})" if seen.note else ""
                return self._said(f"{seen.who}{note}", "dim")

    def _said(self, text: str, role: Role) -> list[str]:
        """A remark, indented below its first line."""
        lines = wrapped_text(printable(text), self.look.width - 2)
        return [self.look.theme.painted(("  " if index else "") + line, role) for index, line in enumerate(lines)]

    def _user(self, entry: UserSaid) -> list[str]:
        look, body = self.look, wrapped([Span(printable(plain_text(entry.parts)), ("user",))], self.look.width - 2)
        more = len(body) - MESSAGE_LINES
        if more > 1:
            body = [*body[:MESSAGE_LINES], [Span(f"… {more:,} more lines", ("dim",))]]
        for blob in entry.parts:
            if isinstance(blob, Blob):
                body += wrapped([Span(_attached(blob), ("dim",))], look.width - 2)
        notes = [
            {"now": "", "step": "heard at the next step", "after": "queued"}[entry.enters],
            f"from {entry.source.host} {entry.source.sender}".strip() if entry.source and entry.source.sender else "",
        ]
        if said := ", ".join(note for note in notes if note):
            body += wrapped([Span(f"({printable_line(said, 80)})", ("dim",))], look.width - 2)
        head, again = Span(PROMPT, ("user",)), Span("  ")
        return [drawn([again if index else head, *line], look.theme) for index, line in enumerate(body)]

    def _parts(self, parts: tuple[Part, ...]) -> list[str]:
        lines: list[str] = []
        for part in parts:
            if fresh := self.part(part):
                lines += [*([""] if lines else []), *fresh]
        return lines

    def part(self, part: Part) -> list[str]:
        """A part of what was said, whole."""
        look = self.look
        match part:
            case Text():
                return markdown_lines(part.text, look.width, look.theme)
            case Thinking():
                return thinking_lines(part.text, look.width, look.theme, look.thinking)
            case Blob():
                return self._said(_attached(part), "dim")
            case ToolCall():
                return []
            case _:
                assert_never(part)

    def ending(self, entry: ModelReplied) -> list[str]:
        """What is said below the words of a reply."""
        self._remember(entry)
        return self._stopped(entry)

    def _remember(self, entry: ModelReplied) -> None:
        self._titles |= {part.id: call_title(part) for part in entry.parts if isinstance(part, ToolCall)}

    def _stopped(self, entry: ModelReplied) -> list[str]:
        return self._said(_STOPS[entry.stop], "warning") if entry.stop in _STOPS else []

    def _tool(self, entry: ToolFinished) -> list[str]:
        began = self._began.pop(entry.call, None)
        title = began.title if began else self._titles.pop(entry.call, entry.name)
        mark, role = _MARKS[entry.outcome]
        took = f"  {lasted(entry.milliseconds / 1000)}" if entry.milliseconds >= 100 else ""  # noqa: PLR2004
        change = began.detail if began and began.form == "diff" and entry.outcome == "ok" else ""
        note = _counts(change) if change else _outcome(entry)
        look, title = self.look, printable_line(title, 200)
        room = look.width - 2 - len(took)
        # Of a failure, what failed and why are both said, if need be in two lines.
        text, below = f"{title}{note}", list[str]()
        if note and entry.outcome != "ok" and len(text) > room:
            text, below = title, [look.theme.painted(f"  {clip(note.removeprefix(' — '), look.width - 2)}", "dim")]
        line = f"{look.theme.painted(mark, role)} {clip(text, room)}{look.theme.painted(took, 'dim')}"
        if not change:
            below += output_lines(entry, look.width, look.theme)
        elif change not in self._asked:
            below = [f"  {each}" for each in diff_lines(change, look.width - 2, look.theme, most=DIFF_LINES)]
        return [line, *below]

    def _ended(self, entry: TurnEnded) -> list[str]:
        note = f": {entry.note}" if entry.note else ""
        match entry.why:
            case "answered":
                return []
            case "cancelled":
                return self._said(f"{STOPPED}{note or _by_you(entry.milliseconds)}", "warning")
            case "failed":
                return self._said(f"✗ the turn failed{note}", "error")
            case "limit":
                return self._said(f"{STOPPED} at a limit{note}", "warning")
            case "interrupted":
                return self._said(f"‖ the turn was broken off{note}", "warning")
            case _:
                assert_never(entry.why)

    def _command(self, entry: CommandRan) -> list[str]:
        lines = self._said(entry.command, "user")
        output = wrapped_text(printable(entry.output.strip()), self.look.width - 2) if entry.output.strip() else []
        lines += [self.look.theme.painted(f"  {line}", "dim") for line in output[:OUTPUT_LINES]]
        if len(output) > OUTPUT_LINES:
            lines.append(self.look.theme.painted(f"  … {len(output) - OUTPUT_LINES:,} more lines", "dim"))
        return lines


def _by_engine(entry: UserSaid) -> str:
    """What Holdfast itself says to the agent: of a goal step only which one, as the goal is known."""
    text = plain_text(entry.parts)
    if entry.source is not None and entry.source.host == "goal":
        return printable_line(text.partition(".")[0].lstrip("["), ENGINE_SAID)
    return printable_line(text, ENGINE_SAID)


def _by_you(milliseconds: int) -> str:
    """Nobody else stops a turn without a note."""
    return f" by you after {lasted(milliseconds / 1000)}" if milliseconds else " by you"


def _attached(blob: Blob) -> str:
    name, kind = printable_line(blob.name or "attachment", 80), printable_line(blob.media_type, 40)
    return f"+ {name} ({kind}, {human_size(blob.size)})"


def _compacted(event: WindowCompacted) -> str:
    if not event.stage:
        return f"no room was made: {event.failure}" if event.failure else "no room had to be made"
    how = {"results": "old results shortened", "summary": "summarized", "truncation": "the oldest left out"}
    said = how.get(event.stage, event.stage)
    made = f"made room ({said}): {short_count(event.before)} → {short_count(event.after)} tokens"
    return f"{made}; nothing was summarized: {event.failure}" if event.failure else made


def _counts(change: str) -> str:
    come, go = changed(change)
    return f"  +{come} -{go}"


def _outcome(entry: ToolFinished) -> str:
    """Why a call came to nothing, in a few words."""
    if entry.outcome == "ok":
        return ""
    words = next((line for line in plain_text(entry.parts).splitlines() if line.strip()), "")
    words = words.strip().removeprefix("[not run] ").removeprefix("[interrupted: ").removesuffix("]")
    return f" — {printable_line(words, 200)}" if words else f" — {entry.outcome}"
