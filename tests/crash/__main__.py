"""`make crash`: every torture at full length, as a table or (JSON=1) one JSON object.

Ends with an error if anything acknowledged was lost, anything good hidden, any
promise broken, any wrong writer not caught, or fewer states than promised were seen.
"""

import os
import sys
import time
from collections.abc import Callable
from typing import Final

import msgspec

from tests.crash.bitflips import flip
from tests.crash.campaign import campaign, catch_all
from tests.crash.explorer import Found, Plan
from tests.crash.faults import fault_everything
from tests.crash.kills import torture
from tests.crash.mounts import why_not
from tests.crash.powercuts import cut_power

SEED: Final = 20261116
STATES: Final = 20_000
"""Unique crash states that must be recovered."""
PER_POINT: Final = 400
"""Power cuts that are drawn at each point of a recording."""
PER_RECORDING: Final = 800
"""Different states of one recording that are recovered."""
ROUNDS: Final = 4
"""How often other power cuts are drawn if there are fewer states than promised."""
KILLS: Final = 2_000
POWER_CUTS: Final = 60
CHANGES: Final = 5_000


class Figures(msgspec.Struct, kw_only=True):
    """What `make crash` promises to print; the order is the order of the table."""

    states: int = 0
    unique: int = 0
    violations: int = 0
    mutants_caught: int = 0
    mutants: int = 0
    kills: int = 0
    kills_lost: int = 0
    faults: int = 0
    faults_lost: int = 0
    powercuts: int = 0
    powercuts_lost: int = 0
    bitflips: int = 0
    bitflips_hidden: int = 0

    @property
    def wrong(self) -> int:
        """How much was lost, hidden, broken or not caught."""
        lost = self.violations + self.kills_lost + self.faults_lost + self.powercuts_lost + self.bitflips_hidden
        return lost + self.mutants - self.mutants_caught


class Report(msgspec.Struct, kw_only=True):
    """The figures, and what could not be done on this machine."""

    figures: Figures = msgspec.field(default_factory=Figures)
    left_out: list[str] = msgspec.field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether everything held, and enough was tried to say so."""
        return not self.figures.wrong and self.figures.unique >= STATES


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _explore(report: Report) -> list[str]:
    found = Found()
    for more in range(ROUNDS):
        found.add(campaign(Plan(per_point=PER_POINT, limit=PER_RECORDING, seed=SEED + more), every=1))
        _say(f"  {found.unique:,} different states")
        if found.unique >= STATES:
            break
    report.figures.states, report.figures.unique, report.figures.violations = (
        found.states,
        found.unique,
        len(found.violations),
    )
    return [str(violation) for violation in found.violations]


def _mutate(report: Report) -> list[str]:
    caught = catch_all()
    report.figures.mutants, report.figures.mutants_caught = len(caught), sum(map(bool, caught.values()))
    return [f"not caught: {name}" for name, violation in caught.items() if not violation]


def _kill(report: Report) -> list[str]:
    toll = torture(KILLS, seed=SEED)
    report.figures.kills, report.figures.kills_lost = toll.kills, len(toll.lost)
    return toll.lost


def _fault(report: Report) -> list[str]:
    reason = why_not("tmpfs")
    if reason:
        report.left_out.append(f"no full file system was tried: {reason}")
    outcome = fault_everything()
    report.figures.faults, report.figures.faults_lost = outcome.faults, len(outcome.lost)
    return outcome.lost


def _cut(report: Report) -> list[str]:
    reason = why_not("ext4")
    if reason:
        report.left_out.append(f"no real power cut was made: {reason}")
        return []
    cuts = cut_power(POWER_CUTS, seed=SEED)
    report.figures.powercuts, report.figures.powercuts_lost = cuts.cuts, len(cuts.lost)
    return cuts.lost


def _flip(report: Report) -> list[str]:
    flips = flip(CHANGES, seed=SEED)
    report.figures.bitflips, report.figures.bitflips_hidden = flips.changes, len(flips.hidden)
    return flips.hidden


PARTS: Final[dict[str, Callable[[Report], list[str]]]] = {
    "crash states of the recorded store": _explore,
    "wrong writers and readers": _mutate,
    "kill -9": _kill,
    "faults of the disk": _fault,
    "real power cuts on ext4": _cut,
    "changed bytes": _flip,
}


def main() -> int:
    """Run everything; 0 if it all held."""
    report = Report()
    for name, part in PARTS.items():
        began = time.monotonic()
        _say(f"{name} …")
        wrong = part(report)
        for each in wrong[:20]:
            _say(f"  {each}")
        _say(f"  {time.monotonic() - began:.0f} s")
    if os.environ.get("JSON"):
        for words in report.left_out:
            _say(f"NOT DONE: {words}")
        print(msgspec.json.encode(report.figures).decode())
    else:
        for field, value in msgspec.structs.asdict(report.figures).items():
            print(f"{field.replace('_', ' '):<18}{value:>10,}")
        for words in report.left_out:
            print(f"NOT DONE: {words}")
        print("all promises held" if report.good else "NOT GOOD: see above")
    return 0 if report.good else 1


if __name__ == "__main__":
    sys.exit(main())
