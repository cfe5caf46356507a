"""What a command gives back: values to show, values for programs, and what only the host can do.

A host matches the union to its end. Those that show have a plain form in `text.plain_text`, which reads well at 80
columns and at 40; a host may draw them better, and must pass their words through `records.printable` first. `json_of`
is the JSON form of them all.
"""

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import msgspec

from holdfast.ids import Position
from holdfast.records.parts import Value
from holdfast.session.state import SessionState

if TYPE_CHECKING:  # nothing is loaded for what is only given on
    from holdfast.commands.selection import Passage
    from holdfast.session.export.content import Content


class Prose(Value, frozen=True, kw_only=True, tag_field="kind", tag="prose"):
    """Something to read."""

    markdown: str


class Note(Value, frozen=True, kw_only=True, tag_field="kind", tag="note"):
    """A hint or a warning beside what was asked for."""

    text: str


class PlainLines(Value, frozen=True, kw_only=True, tag_field="kind", tag="lines"):
    """Lines that stay as they are, to be copied or read by a program."""

    lines: tuple[str, ...]


class Fact(Value, frozen=True, kw_only=True):
    """One line of what is known."""

    name: str
    value: str


class Facts(Value, frozen=True, kw_only=True, tag_field="kind", tag="facts"):
    """Names and values, one below the other."""

    title: str = ""
    facts: tuple[Fact, ...]


class Column(Value, frozen=True, kw_only=True):
    """A column of a table."""

    name: str
    right: bool = False
    """Whether its cells end at the same place, as numbers should."""


class Table(Value, frozen=True, kw_only=True, tag_field="kind", tag="table"):
    """Rows of cells; the last column is the one that may be long."""

    title: str = ""
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    """What to do with it, one line."""


class BarPiece(Value, frozen=True, kw_only=True):
    """A piece of a bar."""

    name: str
    amount: int
    free: bool = False
    """Whether nothing is there yet."""


class Bar(Value, frozen=True, kw_only=True, tag_field="kind", tag="bar"):
    """What something whole is made of."""

    title: str
    unit: str
    """What is counted, such as `tokens`."""
    pieces: tuple[BarPiece, ...]
    note: str = ""


class PlotPoint(Value, frozen=True, kw_only=True):
    """One point of a plot."""

    label: str
    amount: int


class Plot(Value, frozen=True, kw_only=True, tag_field="kind", tag="plot"):
    """Amounts in the order of time."""

    title: str
    unit: str
    points: tuple[PlotPoint, ...]


class DocumentFile(Value, frozen=True, kw_only=True, tag_field="kind", tag="document"):
    """A document, such as an exported conversation; its bytes are read once, while the store is open."""

    name: str
    """What a file with it would be called."""
    media_type: str
    pieces: AsyncIterator[bytes]
    notes: list[str] = msgspec.field(default_factory=list)
    """What it does not hold, known once it was read."""


class Transcript(Value, frozen=True, kw_only=True, tag_field="kind", tag="transcript"):
    """The records of a stretch of a conversation, read once, while the store is open."""

    state: SessionState
    passages: "AsyncIterator[tuple[Passage, Content]]"
    following: "AsyncIterator[tuple[Passage, Content]] | None" = None
    """What is said after that, for who waits for it."""
    older: tuple[int, ...] = ()
    """The tips of the branches that are not in it."""


Outcome: TypeAlias = Literal["good", "problem", "damaged", "declined"]
"""How a command went that did not fail: `problem` and `damaged` are what it found, `declined` is a no of a person."""


class Data(Value, frozen=True, kw_only=True, tag_field="kind", tag="data"):
    """All of it for programs, and for a host that draws it in its own way; it is shown by the other answers."""

    value: object
    outcome: Outcome = "good"


class SwitchTo(Value, frozen=True, kw_only=True, tag_field="kind", tag="switch_to"):
    """Open another session in the place of this one."""

    key: str
    create: bool = False
    """Whether it does not exist yet."""
    at: Position | None = None
    """What to show of it; without it, its end."""


class PickSession(Value, frozen=True, kw_only=True, tag_field="kind", tag="pick_session"):
    """Let the person choose a session, and switch to it."""

    query: str = ""
    """What the choice begins with."""


class BranchChoice(Value, frozen=True, kw_only=True):
    """One way the conversation went."""

    number: int
    """What to give to `/tree`."""
    line: str
    """What was said on it first, with its place in the drawing."""
    current: bool = False


class PickBranch(Value, frozen=True, kw_only=True, tag_field="kind", tag="pick_branch"):
    """Let the person choose a branch, then run `/tree NUMBER`. One who does not choose has seen the tree."""

    drawing: str
    """The whole tree as lines of text."""
    choices: tuple[BranchChoice, ...]


class Moved(Value, frozen=True, kw_only=True, tag_field="kind", tag="moved"):
    """The conversation stands elsewhere now: what is shown of it is to be drawn anew from its end."""

    head: Position
    said: str
    """What happened, one line."""


class Typed(Value, frozen=True, kw_only=True, tag_field="kind", tag="typed"):
    """Put text into the input, to be changed and sent."""

    text: str


class Confirm(Value, frozen=True, kw_only=True, tag_field="kind", tag="confirm"):
    """Ask yes or no; the default is no. On yes, run another line; on no, say that nothing was done."""

    question: str
    then: str
    """The line to run, or the option with which the same command does not ask."""


class NextLine(Value, frozen=True, kw_only=True):
    """One of the lines that may be run next."""

    text: str
    """What it does, short enough for a narrow screen."""
    then: str
    """The line to run."""


class Choose(Value, frozen=True, kw_only=True, tag_field="kind", tag="choose"):
    """Show a question and let the person choose a line to run next; who chooses none has nothing done."""

    question: str
    """Some lines, which stay as they are where there is room."""
    choices: tuple[NextLine, ...]


class Copied(Value, frozen=True, kw_only=True, tag_field="kind", tag="copied"):
    """Put text into the clipboard."""

    text: str
    what: str
    """What it is, to be told: `the last reply`."""


class Cleared(Value, frozen=True, kw_only=True, tag_field="kind", tag="cleared"):
    """Begin with an empty screen."""


Theme = Literal["auto", "light", "dark", "none"]
"""Which colours there are, as the settings name them."""


class Themed(Value, frozen=True, kw_only=True, tag_field="kind", tag="themed"):
    """Use other colours from now on."""

    name: Theme


class Quit(Value, frozen=True, kw_only=True, tag_field="kind", tag="quit"):
    """Leave; everything is kept."""


CommandAnswer: TypeAlias = (
    Prose
    | Note
    | PlainLines
    | Facts
    | Table
    | Bar
    | Plot
    | DocumentFile
    | Transcript
    | Data
    | SwitchTo
    | PickSession
    | PickBranch
    | Moved
    | Typed
    | Confirm
    | Choose
    | Copied
    | Cleared
    | Themed
    | Quit
)
"""One thing that a command gives back."""

Answers: TypeAlias = tuple[CommandAnswer, ...]
"""All that a command gives back, in order: first what is shown, then what the host does."""


def outcome_of(answers: Iterable[CommandAnswer]) -> Outcome:
    """How a command went."""
    return next((each.outcome for each in answers if isinstance(each, Data)), "good")


def json_of(answers: Answers) -> object:
    """Answers for any JSON encoder: what programs are given, or else each answer with its kind."""
    data = [each.value for each in answers if isinstance(each, Data)]
    return plain(data[0]) if data else [plain(each) for each in answers]


def plain(value: object) -> object:
    """A value as JSON has it, every field named, also where it is the usual one."""
    if isinstance(value, msgspec.Struct):
        config = value.__struct_config__
        kind = {config.tag_field: config.tag} if config.tag_field and isinstance(value, _KINDS) else {}
        return kind | {name: plain(getattr(value, name)) for name in value.__struct_fields__ if name not in _READ_ONCE}
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return os.fspath(value) if isinstance(value, os.PathLike) else value


_KINDS = get_args(CommandAnswer)
_READ_ONCE = {"pieces", "passages", "following"}
