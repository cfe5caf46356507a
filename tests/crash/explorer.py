"""Go through the crash states of a recording and hold the store to its promises.

Each unique state is laid out as real files in memory, recovered with the real code
in this process, and checked. States that look alike are recovered once.
"""

import asyncio
import shutil
from collections.abc import Callable
from functools import cache

import msgspec

from tests.crash import mutants
from tests.crash.layout import lay_out, snapshot
from tests.crash.marks import Promise, decoded, promised
from tests.crash.operations import Marked
from tests.crash.promises import Duty, broken
from tests.crash.record import scratch
from tests.crash.states import Recording, State, crash_states, digest
from tests.crash.witness import segments


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """A promise that was not kept."""

    workload: str
    how: str
    point: int
    what: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.workload}: {self.how} before operation {self.point}: {self.what}"


class Found(msgspec.Struct, kw_only=True):
    """What an exploration came to."""

    states: int = 0
    digests: set[bytes] = msgspec.field(default_factory=set)
    """One for each state that was recovered."""
    violations: list[Violation] = msgspec.field(default_factory=list)

    @property
    def unique(self) -> int:
        """How many different states were recovered."""
        return len(self.digests)

    def add(self, other: "Found") -> None:
        """Count another exploration in."""
        self.states += other.states
        self.digests |= other.digests
        self.violations += other.violations


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How far to go."""

    per_point: int
    """Power cuts that are drawn at each point of a recording."""
    limit: int = 1_000_000
    """Unique states of one recording that are recovered."""
    seed: int = 1
    reader: str = ""
    """A wrong reader to recover with."""
    stop_at: int = 1_000
    """Violations after which a recording is given up."""


def unique_states(recording: Recording, plan: Plan) -> tuple[int, dict[bytes, State]]:
    """How many states were looked at, and the different ones among them."""
    merged: dict[bytes, State] = {}
    states = 0
    for state in crash_states(recording, per_point=plan.per_point, seed=plan.seed):
        states += 1
        known = merged.setdefault(digest(state), state)
        if known is not state:
            known.merge(state)
    step = max(1, -(-len(merged) // plan.limit))
    return states, {key: merged[key] for key in list(merged)[::step]}


def duties(recording: Recording) -> Callable[[State], Duty]:
    """What the store owes in each state of a recording."""
    damage = tuple(segments(snapshot(recording.start.folders, recording.start.files)[1]))
    spoken = [operation.mark for operation in recording.operations if isinstance(operation, Marked)]

    @cache
    def after(count: int) -> dict[str, Promise]:
        return promised(decoded([recording.told, *spoken[:count]]))

    def duty(state: State) -> Duty:
        survived = after(state.killed_marks) if state.killed_marks >= 0 else {}
        return Duty(allowed=after(state.first_marks), owed=after(state.last_marks), survived=survived, damage=damage)

    return duty


def explore(recording: Recording, plan: Plan) -> Found:
    """Recover the states of one recording, one after the other."""
    states, chosen = unique_states(recording, plan)
    duty = duties(recording)
    found = Found(states=states)
    with scratch() as folder, asyncio.Runner() as runner, mutants.applied(plan.reader):
        for key, state in chosen.items():
            root = folder / "store"
            root.mkdir()
            lay_out((state.folders, state.files), root)
            for what in runner.run(broken(root, state.files, duty(state))):
                found.violations.append(Violation(workload=recording.name, how=state.how, point=state.point, what=what))
            found.digests.add(key)
            shutil.rmtree(root)
            if len(found.violations) >= plan.stop_at:
                break
    return found
