"""What a slash command gives back: something to show, or something only the host can do.

A host matches the union to its end. Those that show have a plain form in `plain.text_of`, which reads well
at 80 columns and at 40; a host may draw them better, and must pass their words through `records.safe` first.
"""

from typing import Literal, TypeAlias

from holdfast.ids import Position
from holdfast.records.parts import Value


class Words(Value, frozen=True, kw_only=True, tag_field="kind", tag="words"):
    """Something to read."""

    markdown: str


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


class Piece(Value, frozen=True, kw_only=True):
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
    pieces: tuple[Piece, ...]
    note: str = ""


class Point(Value, frozen=True, kw_only=True):
    """One point of a plot."""

    label: str
    amount: int


class Plot(Value, frozen=True, kw_only=True, tag_field="kind", tag="plot"):
    """Amounts in the order of time."""

    title: str
    unit: str
    points: tuple[Point, ...]


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
    """The line to run."""


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


SlashAnswer: TypeAlias = (
    Words
    | Facts
    | Table
    | Bar
    | Plot
    | SwitchTo
    | PickSession
    | PickBranch
    | Moved
    | Typed
    | Confirm
    | Copied
    | Cleared
    | Themed
    | Quit
)
"""One thing that a command gives back."""

Answers: TypeAlias = tuple[SlashAnswer, ...]
"""All that a command gives back, in order: first what is shown, then what the host does."""
