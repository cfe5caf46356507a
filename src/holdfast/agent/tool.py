"""A tool: something the model may ask for.

A call goes two ways. First it is understood: its arguments are parsed and it says exactly what it
would do, so that permission can be decided, and asked for, before anything happens. Then it is run,
and does that and nothing else. Whatever a tool returns is data: it grants nothing and sets nothing.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol, runtime_checkable

from holdfast.ids import Position, SessionKey
from holdfast.model.protocol import ToolSpec
from holdfast.records.entries import Entry
from holdfast.records.parts import Blob, Part, Text, Value
from holdfast.session.state import SessionState


class Ask(Value, frozen=True, kw_only=True):
    """What a call would do: what permission is decided by, and what a person is shown."""

    tool: str
    subjects: tuple[str, ...]
    """What it is about, each as the patterns of rules match it: paths, simple commands, addresses. All of them must be
    allowed; one that is denied denies the call."""
    title: str
    """One line for a person, such as `edit notes.md` or `run make test`."""
    detail: str = ""
    """Exactly what will happen: the diff, the command, the address."""
    form: Literal["text", "diff", "command"] = "text"
    """What the detail is."""
    reads_only: bool = False
    """Whether it changes nothing: such calls may run at the same time, and need no permission by default."""
    edits: bool = False
    """Whether it changes files of the workspace that hold no secrets, and nothing else: such calls run without a
    question where the person accepts edits."""
    started: tuple[tuple[str, str], ...] = ()
    """Subjects that another one starts, each with the beginning of that one up to the program that it starts. A rule
    that allows `uv run pytest *` has named `pytest`, and one that allows `uv run *` has not."""
    opaque: bool = False
    """Whether it may do more than its subjects say; then only a rule for everything (`*`) allows it."""


class Output(Value, frozen=True, kw_only=True):
    """What came of a call."""

    parts: tuple[Part, ...]
    ok: bool = True
    ends: bool = False
    """Whether the turn ends with it: the model is not asked again, unless somebody said something meanwhile."""


def said(text: str, *, ok: bool = True, ends: bool = False) -> Output:
    """An output that is a text."""
    return Output(parts=(Text(text=text),), ok=ok, ends=ends)


class Action(Protocol):
    """A call that was understood and has not been run."""

    @property
    def ask(self) -> Ask:
        """What it would do."""
        ...

    async def run(self) -> Output:
        """Do it, once.

        Raises `ToolFailed` with what the model should know. Cancelling it must take effect within
        100 ms and leave no process behind; what it had done by then may stay done.
        """
        ...


@runtime_checkable
class Interruptible(Protocol):
    """An action that can tell what it has written, for when it is stopped."""

    def so_far(self) -> str:
        """What it has written until now; asked once, after it was cancelled."""
        ...


class ToolContext(Protocol):
    """What a tool may use of the session it works for; `EnginePort` is what it may use of other sessions."""

    @property
    def key(self) -> SessionKey:
        """What the session is called by."""
        ...

    @property
    def state(self) -> SessionState:
        """What the log of the session means so far: its owner, its workspace, its goal."""
        ...

    async def write(self, *facts: Entry) -> Position:
        """Write facts into the log of the session, all or none, and show them; gives where the last one stands.

        They are durable when this returns, whatever becomes of the call.
        """
        ...

    async def attach(self, data: bytes, *, media_type: str, name: str = "") -> Blob:
        """Keep content beside the log, and give the part that names it."""
        ...

    async def keep_before(self, path: str, before: bytes | None, after: bytes | None, mode: int = 0) -> None:
        """Write down that a file of the workspace is about to change, and keep what it holds.

        `path` goes from the workspace, with slashes; None stands for no file. Call it right before the change: when it
        returns, the entry and the bytes are durable, so that a person can take the change back.
        """
        ...

    async def kept(self, prefix: str) -> bytes:
        """Content that an entry of this session names, by the beginning of its hash. Raises `ToolFailed`."""
        ...

    async def question(self, text: str, options: Sequence[str] = ()) -> str:
        """Ask the person, and wait for the answer. Raises `ToolFailed` where nobody is there to answer."""
        ...

    def tell(self, text: str) -> None:
        """Show one line of what is going on; it is not kept."""
        ...


class ToolHelp(Value, frozen=True, kw_only=True):
    """What the reference says of a tool beyond its description and arguments."""

    limits: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class Tool(Protocol):
    """Something the model may ask for."""

    @property
    def spec(self) -> ToolSpec:
        """How the model is told of it."""
        ...

    @property
    def help(self) -> ToolHelp:
        """How a person is told of it."""
        ...

    @property
    def seconds(self) -> float:
        """How long a call may run, the wait for a person not counted, before it is stopped; `inf` for no bound."""
        ...

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Parse a call and say what it would do; changes nothing. Raises `ToolFailed` if it cannot be."""
        ...


class Toolbox(Protocol):
    """The tools of an agent."""

    async def tools(self) -> tuple[Tool, ...]:
        """The tools there are now; the first call starts what has to be started, and waits for it a little."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know: what did not start, what is not shut in."""
        ...

    async def close(self) -> None:
        """End everything that was started. Closing twice is once."""
        ...


class FixedTools:
    """Tools that are always there."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        """Offer these."""
        self._tools = tuple(tools)
        self.notes: tuple[str, ...] = ()

    async def tools(self) -> tuple[Tool, ...]:
        """The tools."""
        return self._tools

    async def close(self) -> None:
        """Nothing was started."""
