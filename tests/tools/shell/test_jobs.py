"""Commands that run: their output is kept within bounds, and nothing of them is left."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import ToolFailed
from holdfast.tools.shell.jobs import KEPT_ENDED, MOST_JOBS, Job, Jobs, Kept
from tests.tools.waiting import all_gone

PATH = {"PATH": os.environ["PATH"]}


@pytest.fixture
async def jobs() -> AsyncIterator[Jobs]:
    """A table of jobs that is closed at the end."""
    table = Jobs()
    yield table
    await table.close()


async def started(jobs: Jobs, script: str, *, most: int = 10_000) -> Job:
    """A job that runs a script in the open."""
    return await jobs.start(["/bin/bash", "-c", script], folder=Path("/"), environment=PATH, confined=False, most=most)


async def first_line(job: Job) -> str:
    """What a job says first."""
    await job.wait_for_news(10)
    return job.news().strip()


@given(st.lists(st.binary(max_size=30), max_size=20), st.integers(0, 40))
def test_the_beginning_and_the_end_are_kept(pieces: list[bytes], most: int) -> None:
    """
    What is kept is what was written, without the middle, and the middle is counted.
    """
    kept, written = Kept(most), b"".join(pieces)
    for piece in pieces:
        kept.add(piece)
    head, missing, tail = kept.since(0)

    assert len(written) == kept.size == len(head) + missing + len(tail)
    assert written.startswith(head)
    assert written.endswith(tail)
    assert len(head) + len(tail) <= most


@given(st.lists(st.tuples(st.binary(max_size=20), st.booleans()), max_size=20))
def test_what_is_read_in_pieces_is_what_was_written(pieces: list[tuple[bytes, bool]]) -> None:
    """
    As long as it fits, reading now and then gives every byte once.
    """
    kept, read, start = Kept(2_000), b"", 0
    for piece, look in pieces:
        kept.add(piece)
        if look:
            head, missing, tail = kept.since(start)
            assert 0 == missing
            read, start = read + head + tail, kept.size
    head, _, tail = kept.since(start)

    assert b"".join(piece for piece, _ in pieces) == read + head + tail


async def test_both_outputs_come_in_order_with_the_exit_code(jobs: Jobs) -> None:
    """
    Errors stand where they were written.
    """
    job = await started(jobs, "echo a; echo b >&2; echo c; exit 3")
    await job.ended.wait()

    assert ("a\nb\nc\n", 3) == (job.news(), job.code)
    assert "" == job.news()


async def test_nothing_can_be_typed_in(jobs: Jobs) -> None:
    """
    A command that asks gets the end of a file and does not wait.
    """
    job = await started(jobs, "read x; echo $?")

    assert "1" == await first_line(job)


async def test_letters_are_whole_although_their_bytes_come_apart(jobs: Jobs) -> None:
    """
    A letter that is half written is told when the other half is there; bytes that are no text are marked.
    """
    job = await started(jobs, r"printf 'a\xc3'; read -t 0.2 <> <(:); printf '\xa9\xff'")
    await job.wait_for_news(10)
    first = job.news()
    await job.ended.wait()

    assert "aé\ufffd" == first + job.news()


async def test_a_flood_is_bounded(jobs: Jobs) -> None:
    """
    More than may be kept is counted, and the beginning and the end are there.
    """
    job = await started(jobs, "echo first; head -c 1000000 /dev/zero | tr '\\0' x; echo last", most=1_000)
    await job.ended.wait()
    text = job.news()

    assert text.startswith("first\n")
    assert text.endswith("last\n")
    assert "[… 999,011 bytes left out …]" in text


async def test_what_a_command_leaves_behind_ends_with_it(jobs: Jobs) -> None:
    """
    Children in the background end when the command does, also those that went to a session of their own.
    """
    job = await started(jobs, "sleep 60 & echo $!; setsid sleep 60 & echo $!; sleep 0.1")
    await job.ended.wait()

    pids = job.news().split()
    assert 2 == len(pids)
    assert all_gone(*map(int, pids))


async def test_a_command_may_tidy_up_when_it_is_stopped(jobs: Jobs) -> None:
    """
    It is asked first; what it says then is heard.
    """
    job = await started(jobs, "trap 'echo bye; exit 7' TERM; echo ready; sleep 60 & wait")
    assert "ready" == await first_line(job)
    job.stop()
    await job.ended.wait()

    assert ("bye\n", 7) == (job.news(), job.code)


async def test_a_command_that_does_not_listen_is_ended(jobs: Jobs) -> None:
    """
    Half a second after it was asked, it ends with everything it started; asking twice is asking once.
    """
    job = await started(jobs, "trap '' TERM; sleep 60 & echo $!; wait; sleep 60")
    child = int(await first_line(job))
    job.stop()
    job.stop()
    await job.ended.wait()

    assert -9 == job.code
    assert all_gone(child)


async def test_a_start_that_is_broken_off_leaves_nothing(jobs: Jobs, tmp_path: Path) -> None:
    """
    Whoever is cancelled while a command starts has not left it running.
    """
    starting = asyncio.create_task(started(jobs, f"echo $$ > {tmp_path}/pid; sleep 60"))
    await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await jobs.close()

    pids = [int(path.read_text() or 0) for path in tmp_path.glob("pid")]
    assert all_gone(*filter(None, pids))


async def test_a_program_that_is_not_there_is_told(jobs: Jobs) -> None:
    """
    What cannot be started is an error for the model.
    """
    with pytest.raises(ToolFailed, match="No such file"):
        await jobs.start(["/nonexistent"], folder=Path("/"), environment={}, confined=False, most=10)


async def test_closing_ends_everything_and_nothing_starts_after(jobs: Jobs) -> None:
    """
    With the agent go its commands; closing twice is once.
    """
    several = [await started(jobs, "echo $$; exec sleep 60") for _ in range(3)]
    pids = [int(await first_line(job)) for job in several]
    await jobs.close()
    await jobs.close()

    assert all_gone(*pids)
    with pytest.raises(ToolFailed, match="closing"):
        await started(jobs, "true")


async def test_waiting_for_news_ends_in_time(jobs: Jobs) -> None:
    """
    A silent command is not waited for for ever, and an ended one not at all.
    """
    job = await started(jobs, "exec sleep 60")
    await job.wait_for_news(0.01)
    assert "" == job.news()
    job.stop()
    await job.ended.wait()
    await job.wait_for_news(60)


async def test_names_count_and_old_ones_go(jobs: Jobs) -> None:
    """
    A job has a name of its own; the output of the oldest that ended is forgotten in the end.
    """
    for number in range(KEPT_ENDED + 2):
        job = await started(jobs, "true")
        assert f"job-{number + 1}" == jobs.name(job)
        await job.ended.wait()
    last = await started(jobs, "true")
    jobs.name(last)

    assert last is jobs.find(last.name)
    with pytest.raises(ToolFailed, match="no job 'job-1'"):
        jobs.find("job-1")


async def test_there_are_so_many_in_the_background_and_no_more(jobs: Jobs) -> None:
    """
    Who starts too many is told which to stop.
    """
    for _ in range(MOST_JOBS):
        jobs.check_room()
        jobs.name(await started(jobs, "exec sleep 60"))

    with pytest.raises(ToolFailed, match="Stop one of job-1, job-2"):
        jobs.check_room()


async def test_closing_at_the_moment_a_command_ends_comes_back(jobs: Jobs) -> None:
    """
    What has ended but is not yet forgotten does not keep closing busy for ever.
    """
    job = await started(jobs, "true")
    await job.ended.wait()
    await jobs.close()

    assert 0 == job.code
