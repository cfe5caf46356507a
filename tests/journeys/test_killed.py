"""A turn that is killed at any of its appends goes on, complete and legal, and no side effect happens twice."""

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from holdfast import ModelReplied, ToolFinished, TurnEnded, UserSaid
from holdfast.records.entries import ToolStarted
from holdfast.records.parts import plain_text
from tests.journeys.killed import EFFECTS, STEPS, open_errand

ROOT = Path(__file__).resolve().parent.parent.parent
APPENDS = 13
"""What was opened and said; for each of three steps a reply, a start and a result; the last reply; the end."""


def killed(root: Path, at: int, when: str) -> bool:
    """Run the errands in a process that dies at an append; whether it came that far."""
    command = [sys.executable, "-m", "tests.journeys.killed", str(root), str(at), when]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode in {0, -signal.SIGKILL}, ran.stderr
    return ran.returncode != 0


def effects(root: Path) -> Counter[str]:
    """How often each side effect happened."""
    path = root / EFFECTS
    return Counter(path.read_text().splitlines() if path.exists() else [])


async def go_on(root: Path) -> None:
    """What must hold after the kill: the turn goes on to its end, and everything is in the log once."""
    before = effects(root)
    logs, conversation = await open_errand(root)
    async with logs, conversation:
        if not await conversation.resume():
            await conversation.send("Run my errands.", client_id="errands")
        ended = await conversation.idle()
        assert ended is None or "answered" == ended.why, ended
        entries = [record.entry async for record in conversation.session.read()]
        (last,) = [entry for entry in entries if isinstance(entry, ModelReplied)][-1:]

        assert "All done." == plain_text(last.parts)
        assert 1 == sum(isinstance(entry, UserSaid) for entry in entries)
        assert 1 == sum(isinstance(entry, TurnEnded) for entry in entries)
        assert () == conversation.state.open_calls
        assert not conversation.state.in_turn
        started = sum(isinstance(entry, ToolStarted) for entry in entries)
        unknown = sum("may have run" in plain_text(e.parts) for e in entries if isinstance(e, ToolFinished))
    after = effects(root)
    assert max(after.values()) == 1
    # A call that had begun when the process died is not run again; its effect may be missing, and the log says so.
    assert len(after) >= len(STEPS) - unknown
    assert started == len(STEPS)
    assert before <= after


async def test_a_kill_at_every_append_loses_no_step_and_repeats_none(tmp_path: Path) -> None:
    """
    Right before the bytes of each append, and right after them.
    """
    died = 0
    for when in ("before", "after"):
        for at in range(1, APPENDS + 1):
            root = tmp_path / f"{when}-{at}"
            root.mkdir()
            died += killed(root, at, when)
            await go_on(root)

    assert 2 * APPENDS == died
