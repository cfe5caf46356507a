"""Kills of a process that works on a goal, and what they cost: effects doubled or lost, requests made again."""

import subprocess
import sys
from pathlib import Path

from holdfast.records.parts import Value
from tests.goals.killed import NEVER, WORKS

ROOT = Path(__file__).resolve().parents[2]
MOST_STARTS = 4


class Outcome(Value, frozen=True, kw_only=True):
    """How a goal went that was killed once."""

    where: str
    state: str
    """The goal at the end, as JSON; '' if it never ended."""
    effects: tuple[str, ...]
    requests: int
    """Those that looked after an interruption are not counted."""
    killed: bool

    @property
    def doubled(self) -> int:
        """Effects that happened more than once."""
        return len(self.effects) - len(set(self.effects))

    @property
    def lost(self) -> int:
        """Effects that never happened."""
        return WORKS - len(set(self.effects))


def run(folder: Path, *, append: int = NEVER, effect: int = NEVER) -> Outcome:
    """Work on the goal, dying once, and start it again until it is reached."""
    folder.mkdir(parents=True)
    killed = False
    for start in range(MOST_STARTS):
        at = (append, effect) if start == 0 else (NEVER, NEVER)
        words = [sys.executable, "-m", "tests.goals.killed", str(folder), *map(str, at)]
        done = subprocess.run(words, cwd=ROOT, check=False, capture_output=True, timeout=60)
        killed |= done.returncode == -9
        if done.returncode not in {0, -9}:
            raise AssertionError(done.stderr.decode()[-2_000:])
        if done.returncode == 0:
            break
    asked = (folder / "asked").read_text().split() if (folder / "asked").exists() else []
    ledger = (folder / "ledger").read_text().splitlines() if (folder / "ledger").exists() else []
    state = (folder / "state").read_text() if (folder / "state").exists() else ""
    return Outcome(
        where=f"append {append}" if append != NEVER else f"effect {effect}" if effect != NEVER else "never",
        state=state,
        effects=tuple(ledger),
        requests=asked.count("model"),
        killed=killed,
    )
