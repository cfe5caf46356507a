"""Runs one row: builds what it needs once, lets the contenders take turns, and judges."""

import math
import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from bench.child import Job
from bench.contest import Child, Failed, Measured, take_turns
from bench.peers.chosen import PEERS
from bench.peers.install import CannotInstall, interpreter
from bench.row import Figures, Row, judge
from bench.shelf import keep, place

_ROOT = Path(__file__).resolve().parent.parent
_PEERS = {peer.name: peer for peer in PEERS}


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A row with its figures; what could not be measured is null and said in `notes`."""

    name: str
    ours: float | None
    unit: str
    floor: float | None
    peers: dict[str, float | None]
    goal: str
    met: bool | None
    ratio: float | None
    """Ours by floor."""
    p95: float | None
    """The 95th percentile of ours; null where memory is measured."""
    beside: dict[str, float]
    """Other figures: at a size that the goal speaks of, or with more than the goal asks."""
    memory: dict[str, int]
    """Peak memory of each in bytes, above what it used once everything was imported."""
    notes: dict[str, str]
    """Why a figure is missing."""


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    """One contender at one size."""

    label: str
    contender: str
    task: str
    size: int


class Ground:
    """Where a run happens: its folder, and what has been built in it so far."""

    def __init__(self, folder: Path, *, peers: bool) -> None:
        self._folder = folder
        self._absent = {} if peers else dict.fromkeys(_PEERS, "left out, as PEERS=0 asks")
        self._built: dict[tuple[str, str, int], Path] = {}
        self._started = 0

    def child(self, lane: Lane, row: Row) -> Child:
        """Start a contender on a row, with what it needs in place."""
        template = self._template(lane.contender, row.template, lane.size) if lane.contender != "floor" else ""
        lines = self._lines(row, lane.size) if lane.contender == "floor" else ""
        return self._start(lane.contender, lane.task, lane.size, template, lines)

    def _start(self, contender: str, task: str, size: int, template: str = "", lines: str = "") -> Child:
        self._started += 1
        folder = self._folder / f"{self._started:03}-{contender}-{task.replace(' ', '-')}"
        job = Job(task=task, size=size, folder=str(folder), template=template, lines=lines)
        return Child(self._command(contender), _ROOT, job)

    def _command(self, contender: str) -> Sequence[str]:
        if contender not in _PEERS:
            return [sys.executable, "-m", f"bench.{contender}"]
        if contender in self._absent:
            raise CannotInstall(self._absent[contender])
        peer = _PEERS[contender]
        try:
            return [str(interpreter(peer, _ROOT)), "-m", peer.module]
        except CannotInstall as error:
            self._absent[contender] = str(error)
            raise

    def _template(self, contender: str, kind: str, size: int) -> str:
        if not kind:
            return ""
        wanted = (contender, kind, size)
        if wanted not in self._built:
            self._built[wanted] = self._kept(contender, kind, size)
        return str(self._built[wanted])

    def _kept(self, contender: str, kind: str, size: int) -> Path:
        """A store, as an earlier run left it if the code that makes it is still the same."""
        kept = place(_ROOT, contender, kind, size)
        if kept is None:
            return self._build(contender, kind, size)
        self._command(contender)  # a peer that is left out has none
        if kept.exists():
            return kept
        built = self._build(contender, kind, size)
        if kept != place(_ROOT, contender, kind, size):
            return built  # someone edits the code just now, so nobody knows which of it made this
        keep(built, kept)
        return kept

    def _build(self, contender: str, kind: str, size: int) -> Path:
        self._command(contender)  # fails before anything is said to be built
        print(f"  building {size:,} {kind} for {contender} …", file=sys.stderr)
        with self._start(contender, f"build {kind}", size) as builder:
            builder.round(1, 0)
            builder.finish()
        return self._folder / f"{self._started:03}-{contender}-build-{kind}"

    def _lines(self, row: Row, size: int) -> str:
        if not row.template:
            return ""
        sessions = Path(self._template("ours", row.template, size)) / "store" / "sessions"
        return str(next(sessions.iterdir()))


def quantile(samples: Sequence[float], part: float) -> float:
    """The sample that `part` of all samples do not exceed."""
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(part * len(ordered)) - 1)]


def measure(row: Row, ground: Ground) -> Outcome:
    """All contenders of one row, in turns."""
    print(row.name, file=sys.stderr)
    if row.program and shutil.which(row.program) is None:
        return _outcome(row, {}, {"goal": f"not judged: {row.program} is not installed"})
    notes: dict[str, str] = {}
    measured: dict[str, Measured] = {}
    with ExitStack() as stack:
        children: dict[str, Child] = {}
        for lane in _lanes(row, notes):
            try:
                children[lane.label] = stack.enter_context(ground.child(lane, row))
            except (Failed, CannotInstall) as error:
                notes[lane.label] = str(error)
        try:
            take_turns(children.values(), row.rounds, row.count, row.seconds)
            measured = {label: child.finish() for label, child in children.items()}
        except Failed as error:
            notes["run"] = str(error)
    return _outcome(row, measured, notes)


def _lanes(row: Row, notes: dict[str, str]) -> list[Lane]:
    if not row.floor:
        notes["floor"] = "there is none: it is no work of the system's"
    lanes = [
        Lane(label=name, contender=name, task=row.task, size=row.size)
        for name in ("ours", "floor")
        if row.floor or name != "floor"
    ]
    lanes += [
        Lane(label=each.name, contender=each.contender, task=each.task or row.task, size=each.size)
        for each in row.beside
    ]
    for peer in PEERS:
        refusal = peer.refusal(row.task, row.size)
        if refusal:
            notes[peer.name] = refusal
        else:
            lanes.append(Lane(label=peer.name, contender=peer.name, task=row.task, size=row.size))
    return lanes


def _figure(row: Row, found: Measured) -> float:
    return row.scale * (found.memory if row.memory else quantile(found.samples, row.quantile))


def _outcome(row: Row, measured: dict[str, Measured], notes: dict[str, str]) -> Outcome:
    figures = {label: _figure(row, found) for label, found in measured.items()}
    ours, floor = figures.get("ours"), figures.get("floor")
    others = {label: figure for label, figure in figures.items() if label not in ("ours", "floor")}
    met, why = (
        (None if "goal" in notes else False, "")
        if ours is None
        else judge(row, Figures(ours=ours, floor=floor, others=others))
    )
    if why:
        notes["goal"] = why
    return Outcome(
        name=row.name,
        ours=ours,
        unit=row.unit,
        floor=floor,
        peers={peer.name: others.get(peer.name) for peer in PEERS},
        goal=row.goal,
        met=met,
        ratio=ours / floor if ours is not None and floor else None,
        p95=quantile(measured["ours"].samples, 0.95) * row.scale if "ours" in measured and not row.memory else None,
        beside={each.name: others[each.name] for each in row.beside if each.name in others},
        memory={label: found.memory for label, found in measured.items()},
        notes=notes,
    )
