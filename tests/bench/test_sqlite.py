"""What is measured beside us on SQLite keeps the messages it says it keeps."""

import asyncio
import sys
from pathlib import Path

import pytest

from bench.child import Job
from bench.contest import Child
from bench.peers.sqlite import GroupCommit, Session, connect

ROOT = Path(__file__).resolve().parents[2]


def job(task: str, size: int, folder: Path, template: str = "") -> Job:
    """What a child is asked for."""
    return Job(task=task, size=size, folder=str(folder), template=template, lines="")


def done(asked: Job) -> list[float]:
    """What the real child answers to one round."""
    with Child([sys.executable, "-m", "bench.peers.sqlite"], ROOT, asked) as child:
        child.round(3, 60)
        return list(child.finish().samples)


def test_messages_that_wait_together_are_kept_in_their_order(tmp_path: Path) -> None:
    """
    One transaction for all who wait, each told only when another connection finds its message.
    """

    async def talk() -> None:
        db = connect(tmp_path, "full")
        commits = GroupCommit(db, asyncio.get_running_loop())
        sessions = [Session(db, f"team:{number}") for number in range(20)]
        other = connect(tmp_path, "full")
        for text in ("one", "two"):
            await asyncio.gather(*(commits.say(session, text) for session in sessions))
            found = other.execute("select count(*) from messages where text = ?", (text,)).fetchone()
            assert (20,) == found
        rows = other.execute("select position, role, text from messages order by session, position").fetchall()
        assert [(0, "user", "one"), (1, "assistant", "two")] * 20 == rows
        commits.close()
        other.close()
        db.close()

    asyncio.run(talk())


@pytest.mark.parametrize(
    ("kind", "size", "task"),
    [("messages", 10, "append"), ("messages", 10, "ack"), ("messages", 10, "load"), ("sessions", 60, "list"),
     ("words", 3_000, "search")],
)  # fmt: skip
def test_each_task_runs_on_what_was_built_for_it(tmp_path: Path, kind: str, size: int, task: str) -> None:
    """
    The real program, as the bench starts it.
    """
    built = tmp_path / "built"
    assert [] == done(job(f"build {kind}", size, built))

    samples = done(job(task, size, tmp_path / "work", str(built)))

    assert (3, True) == (len(samples), all(0 < sample < 60 for sample in samples))


@pytest.mark.parametrize("task", ["parallel8", "parallel64", "amplification"])
def test_what_begins_with_nothing_runs_too(tmp_path: Path, task: str) -> None:
    """
    Many sessions at once, and all bytes written.
    """
    assert 0 < done(job(task, 20, tmp_path / "work"))[0]
