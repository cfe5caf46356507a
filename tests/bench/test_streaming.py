"""The rows about streamed deltas measure all streams at once, and nothing of the turns around them."""

import asyncio
from pathlib import Path

import pytest

from bench.building import BuildMessages, store_in
from bench.child import Job
from bench.streaming import Pace, Streaming
from holdfast import ModelReplied, open_store
from holdfast.model.protocol import Finished, TextDelta
from holdfast.stores.files.catalog import file_catalog
from tests.bench.test_bench import run_bench


class Watched:
    """A meter that notes when it is asked."""

    def __init__(self) -> None:
        self.given = 0
        self.spans: list[tuple[int, int]] = []
        self._from = 0

    def start(self) -> None:
        """From now on."""
        self._from = self.given

    def stop(self) -> float:
        """How many deltas came meanwhile."""
        self.spans.append((self._from, self.given))
        return float(self.given - self._from)


async def test_the_clock_runs_while_all_stream() -> None:
    """
    From the moment when each has given its first delta, until each has given its last.
    """
    meter = Watched()
    pace = Pace(5, 3, 1_000.0, meter)

    async def read() -> list[object]:
        found: list[object] = []
        async for delta in pace.deltas():
            meter.given += 1
            found.append(delta)
        return found

    streams = await asyncio.gather(*(read() for _ in range(5)))

    assert [[*[TextDelta(text="word ")] * 4, Finished()]] * 5 == streams
    assert ([(5, 20)], 15.0) == (meter.spans, pace.measured)


def test_a_round_is_a_turn_in_every_conversation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    What was streamed is in the log of each of them, and once more nobody was there to keep it.
    """
    monkeypatch.setattr(file_catalog, "QUIET_SECONDS", file_catalog.QUIET_SECONDS)  # a task keeps the catalog behind
    built = tmp_path / "built"
    BuildMessages(Job(task="build messages", size=10, folder=str(built), template="", lines="")).round(1, 0)
    job = Job(task="delta", size=10, folder=str(tmp_path / "work"), template=str(built), lines="")
    meter = Watched()
    streaming = Streaming(job, 3, 1_000.0, meter)
    samples = streaming.round(4, 0)
    streaming.close()

    async def lengths() -> list[int]:
        async with open_store(store_in(built)) as store:
            last = [(await store.load(listed.key)) for listed in (await store.list(limit=3)).sessions]
        replies = [[each.entry for each in records if isinstance(each.entry, ModelReplied)][-1] for records in last]
        return [len(reply.parts[0].text.split()) for reply in replies if hasattr(reply.parts[0], "text")]

    assert [0.0] == samples  # the meter saw nothing in between
    assert 2 == len(meter.spans)
    assert [5, 5, 5] == asyncio.run(lengths())


def test_a_row_whose_program_is_missing_is_not_judged(tmp_path: Path) -> None:
    """
    A system without valgrind is told so, and the run has not failed.
    """
    done = run_bench(ONLY="delta_instr", PATH=str(tmp_path))

    assert 0 == done.returncode
    assert "goal: not judged: valgrind is not installed (delta_instr)" in done.stdout
