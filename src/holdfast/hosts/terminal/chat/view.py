"""The view of a conversation: each event becomes finished lines, or changes what is shown as unfinished.

Finished lines are what the scrollback keeps: whole blocks, with an empty line where something else begins.
What is unfinished is small: the end of what streams, what runs, how long it has taken. `take` gives the one,
`live` and `status` draw the other, and neither knows what it is drawn on.
"""

from collections.abc import Callable

from holdfast.agent.events import (
    Answered,
    Appended,
    Asked,
    CallStreamed,
    Event,
    Noticed,
    StepBegan,
    TextStreamed,
    ThinkingStreamed,
    ToolBegan,
    ToolTold,
    TurnBegan,
    TurnOver,
    WindowCompacted,
)
from holdfast.agent.tool import Ask
from holdfast.commands.text.width import clip
from holdfast.goals.account import remainder
from holdfast.hosts.terminal.chat.state import ChatState
from holdfast.hosts.terminal.draw.activity import PROMPT, Activity, Look
from holdfast.hosts.terminal.draw.diffs import diff_lines
from holdfast.hosts.terminal.draw.gauge import Status, status_line
from holdfast.hosts.terminal.draw.incremental import IncrementalMarkdown
from holdfast.hosts.terminal.draw.markdown import MarkdownStream
from holdfast.hosts.terminal.draw.numbers import short_count
from holdfast.hosts.terminal.draw.spans import wrapped_text
from holdfast.hosts.terminal.draw.spinner import Spinner
from holdfast.hosts.terminal.draw.thinking import ThinkingStream
from holdfast.records.entries import ModelReplied, ToolFinished, UserSaid
from holdfast.records.printable import printable
from holdfast.session.goals import Goal

DETAIL_LINES = 400
"""Lines of a change that are shown before it is asked about."""
PLAN_MADE = "Plan mode: /approve has this carried out; say what to change, or leave the mode with Shift-Tab or /mode."
KEYS, VI_KEYS = "Esc stops", "Ctrl-C stops"
APART = frozenset({"said", "own"})
"""What has an empty line before it, whatever that follows."""
SOON_SECONDS = 0.5
"""How long a command may take before it is said that it runs: most are done at once, and would only flicker."""


class ChatView:
    """Tells what happens in the conversation that the person is in."""

    def __init__(self, chat_state: ChatState, now: Callable[[], float], *, echo: bool = True) -> None:
        """Tell by a clock; without `echo`, for plain lines: what is typed is there already, and nothing is redrawn."""
        self._chat_state, self._now, self._echo = chat_state, now, echo
        self._activity = Activity(self._look())
        self._spinner = Spinner()
        self._errand: Spinner | None = None
        self._words: MarkdownStream | IncrementalMarkdown | None = None
        self._thoughts: ThinkingStream | None = None
        self._thinking_since = 0.0
        self._last = ""
        """What was printed last: an empty line goes before what is of another kind."""
        self._used = self._free = 0
        self._unwritten = False
        """Whether something was shown of a reply that is not in the log yet."""

    def _look(self) -> Look:
        chat_state = self._chat_state
        return Look(theme=chat_state.theme, width=chat_state.columns, thinking=chat_state.agent.settings.ui.thinking)

    def enter(self) -> None:
        """Another conversation is told of from now on; of its window nothing is known before its next step."""
        self._activity, self._used, self._free, self._unwritten = Activity(self._look()), 0, 0, False

    def take(self, event: Event) -> str:
        """Take an event; gives the lines that are finished with it."""
        self._spinner.note(event, self._now())
        self._unwritten = _is_unwritten(event, before=self._unwritten)
        match event:
            case TextStreamed():
                return self._streamed(event.text)
            case ThinkingStreamed():
                return self._thought(event.text)
            case ToolBegan() | ToolTold() | Answered() | TurnBegan():
                self._activity.lines_of(event)
                return ""
            case CallStreamed():
                return self._flush()
            case _:
                return self._told(event)

    @property
    def _plans(self) -> bool:
        return self._chat_state.conversation.permissions.mode == "plan"

    def broken_off(self) -> str:
        """The rest of what was streamed, when nothing more comes of it."""
        self._unwritten = False
        return self._flush()

    def _told(self, event: Event) -> str:
        out = "" if _comes_between(event) else self._flush()
        self._activity.look = self._look()
        lines = self._activity.lines_of(event)
        if isinstance(event, StepBegan):
            self._used, self._free = event.tokens, event.room
            self._chat_state.model = event.model
        if isinstance(event, WindowCompacted) and event.stage:
            self._used = event.after
        if isinstance(event, Asked):
            question = event.question
            lines = (
                self._detail(question.ask)
                if question.ask
                else wrapped_text(printable(question.text), self._look().width)
            )
        if isinstance(event, TurnOver) and event.ended.why == "answered" and self._plans:
            lines = [*lines, *wrapped_text(PLAN_MADE, self._look().width)]
        entry = event.record.entry if isinstance(event, Appended) else None
        if isinstance(entry, UserSaid) and not self._echo:
            return out
        kind = "said" if isinstance(entry, UserSaid) else "tool" if isinstance(entry, ToolFinished) else "note"
        return out + self.block(lines, kind)

    def echo(self, line: str) -> str:
        """A command that was typed, as it stands in the scrollback."""
        return (
            self.block([self._chat_state.theme.painted(f"{PROMPT}{printable(line)}", "user")], "said")
            if self._echo
            else ""
        )

    def runs(self, command: str) -> None:
        """A command runs now; with '', none does any more, or it waits for the person."""
        self._errand = Spinner() if command else None
        if self._errand is not None:
            self._errand.begin(command, self._now())

    def _working(self) -> Spinner | None:
        """What there is to wait for."""
        if self._chat_state.conversation.busy:
            return self._spinner
        errand = self._errand
        return errand if errand is not None and errand.elapsed(self._now()) >= SOON_SECONDS else None

    def reply(self, text: str) -> list[str]:
        """What the person answered to a question of a tool."""
        return wrapped_text(f"→ {printable(text)}", self._chat_state.columns) if self._echo else []

    def block(self, lines: list[str], kind: str = "note") -> str:
        """Finished lines, apart from what was printed before if that is something else."""
        if not lines:
            return ""
        gap = [""] if self._last and (self._last != kind or kind in APART) else []
        self._last = kind
        return "".join(f"{line}\n" for line in [*gap, *lines])

    def _detail(self, ask: Ask) -> list[str]:
        """Exactly what a call would do."""
        look = self._look()
        if ask.form == "diff":
            return diff_lines(ask.detail, look.width, look.theme, most=DETAIL_LINES)
        mark = "$ " if ask.form == "command" else "  "
        lines = wrapped_text(printable(ask.detail), look.width - 2)
        return [f"{'  ' if index else mark}{line}" for index, line in enumerate(lines)] if ask.detail else []

    def _streamed(self, text: str) -> str:
        out = self._flush_thoughts()
        if self._words is None:
            kind = MarkdownStream if self._echo else IncrementalMarkdown
            self._words = kind(self._chat_state.columns, self._chat_state.theme)
            self._last += "."  # what was printed before, even words, is something else
        self._words.resize(self._chat_state.columns)
        return out + self._written(self._words.feed(text))

    def _thought(self, text: str) -> str:
        out = self._flush_words()
        look = self._look()
        if self._thoughts is None:
            self._thoughts, self._thinking_since = ThinkingStream(look.width, look.theme, look.thinking), self._now()
        self._thoughts.resize(look.width)
        self._thoughts.feed(text)
        return out

    def _flush(self) -> str:
        return self._flush_thoughts() + self._flush_words()

    def _flush_words(self) -> str:
        words, self._words = self._words, None
        return "" if words is None else self._written(words.end())

    def _flush_thoughts(self) -> str:
        thoughts, self._thoughts = self._thoughts, None
        return "" if thoughts is None else self.block(thoughts.end(self._now() - self._thinking_since), "thought")

    def _written(self, text: str) -> str:
        if not text:
            return ""
        gap = "\n" if self._last not in {"", ".", "words"} else ""
        self._last = "words"
        return gap + text

    def live(self, columns: int, rows: int) -> list[str]:
        """What is unfinished, in about a third of the rows."""
        most = max(1, rows // 3 - 2)
        lines: list[str] = []
        if self._thoughts is not None:
            self._thoughts.resize(columns)
            lines = self._thoughts.tail(most)
        elif self._words is not None:
            self._words.resize(columns)
            lines = self._words.tail(most)
        apart = [""] if lines and self._last not in {"", ".", "words"} and lines[0] else []
        running = []
        if spinner := self._working():
            fetched = self._chat_state.download.line
            running = [clip(fetched, columns)] if fetched else []
            running += spinner.lines(self._now(), columns, self._chat_state.theme)
        return [*apart, *lines, *([""] if self._last else []), *running]

    def status(self, columns: int) -> str:
        """The line below the input."""
        chat_state, state = self._chat_state, self._chat_state.conversation.state
        spinner = self._working()
        status = Status(
            model=chat_state.model or state.model,
            session=state.title or state.key,
            used=self._used,
            room=self._free,
            tokens=state.usage.input_tokens + state.usage.output_tokens,
            cost_micros=state.usage.cost_micros,
            safe="saving" if self._unwritten and chat_state.safe in {"saved", "written"} else chat_state.safe,
            seconds=spinner.elapsed(self._now()) if spinner else None,
            queued=len(state.queued),
            mode=chat_state.conversation.permissions.mode,
            goal=goal_line(state.goal),
            keys=(VI_KEYS if self._chat_state.agent.settings.ui.keys == "vi" else KEYS) if spinner else "",
        )
        return status_line(status, columns, chat_state.theme)


def goal_line(goal: Goal | None) -> str:
    """How far a goal is, for the status line: its status, the goal step, what is left of its tokens."""
    if goal is None:
        return ""
    doing = {"active": f"step {goal.steps}"}.get(goal.doing, goal.doing)
    left = remainder(goal)
    budget = f", {short_count(max(0, left.tokens))} left" if left.tokens is not None else ""
    return f"goal {doing}{budget}"


def _comes_between(event: Event) -> bool:
    """Whether a reply goes on after an event as if nothing had been: cut in two, code would become prose."""
    if isinstance(event, Appended):
        return not isinstance(event.record.entry, ModelReplied)
    return isinstance(event, Noticed)


def _is_unwritten(event: Event, *, before: bool) -> bool:
    """Whether something of a reply was shown after an event that is not in the log yet."""
    match event:
        case TextStreamed() | ThinkingStreamed():
            return True
        case TurnOver():
            return False
        case Appended():
            return before and not isinstance(event.record.entry, ModelReplied)
        case _:
            return before
