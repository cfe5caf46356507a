"""What a row of the bench is, and the ways in which a goal is judged."""

from collections.abc import Callable, Mapping

import msgspec


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What a goal is judged by, in the unit of its row. A figure that could not be had is missing."""

    ours: float
    floor: float | None
    others: Mapping[str, float]
    """Peers by name, and what was measured beside them."""


Verdict = Callable[[Figures], bool | None]
"""Whether the goal is met; None where the other side of the comparison is missing."""
Better = Callable[[float, float], bool]
"""Whether the first figure is better than the second: `lt` for times, `gt` for rates."""

BEAT_FLOOR = "not judged: ours is better than the bare system calls that are part of it, so this measured the machine"
MISSING = "not judged: a figure that the goal compares with is missing"


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """Another figure of a row, measured in the same turns."""

    name: str
    contender: str
    size: int
    task: str = ""
    """The task of the row, unless another one is named."""


def beside_at(contender: str, size: int) -> Beside:
    """The same task of a contender at another size."""
    return Beside(name=f"{contender}@{short(size)}", contender=contender, size=size)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the table."""

    name: str
    measures: str
    """What is measured, in words."""
    task: str
    size: int = 0
    template: str = ""
    """What is built once before: `messages` in one session, many `sessions`, `words` to search; empty for nothing."""
    unit: str
    scale: float = 1.0
    """From what a child reports to the unit."""
    quantile: float = 0.5
    memory: bool = False
    """The figure is the peak of memory, not what a child reports."""
    goal: str
    verdict: Verdict
    rounds: int = 10
    count: int = 100
    """Operations in one round, unless the time is up before."""
    seconds: float = 0.25
    beside: tuple[Beside, ...] = ()
    floor: bool = True
    """Whether bare system calls can be held against it."""
    better: Better | None = None
    """How a figure would be better than the floor, where the floor is part of our work, so that none can be."""
    judged: bool = True
    """Whether there is a goal."""
    program: str = ""
    """What the system must have for this row."""


def judge(row: Row, figures: Figures) -> tuple[bool | None, str]:
    """Whether the goal of a row is met; if that cannot be said, None and why."""
    if not row.judged:
        return None, ""
    if row.better is not None and figures.floor is not None and row.better(figures.ours, figures.floor):
        return None, BEAT_FLOOR
    met = row.verdict(figures)
    return met, MISSING if met is None else ""


SIZES = {10: "10", 1_000: "1k", 10_000: "10k", 100_000: "100k", 1_000_000: "1M"}
"""The sizes of sessions, and what each is called in a name."""


def short(size: int) -> str:
    """A size as it stands in a name: `10k`."""
    return SIZES[size]


def of_floor(factor: float) -> Verdict:
    """At most so many times the floor."""
    return lambda figures: None if figures.floor is None else figures.ours <= factor * figures.floor


def less_than(name: str, *, by: float = 0) -> Verdict:
    """Less than another figure, by so much at least."""

    def verdict(figures: Figures) -> bool | None:
        other = figures.others.get(name)
        return None if other is None else figures.ours < other and figures.ours + by <= other

    return verdict


def of_other(name: str, factor: float) -> Verdict:
    """At most so many times another figure."""

    def verdict(figures: Figures) -> bool | None:
        other = figures.others.get(name)
        return None if other is None else figures.ours <= factor * other

    return verdict


def below(bound: float) -> Verdict:
    """Less than a bound."""
    return lambda figures: figures.ours < bound


def other_below(name: str, bound: float) -> Verdict:
    """Another figure is less than a bound."""

    def verdict(figures: Figures) -> bool | None:
        other = figures.others.get(name)
        return None if other is None else other < bound

    return verdict


def every(*verdicts: Verdict) -> Verdict:
    """All of them."""

    def verdict(figures: Figures) -> bool | None:
        found = [each(figures) for each in verdicts]
        return False if False in found else None if None in found else True

    return verdict
