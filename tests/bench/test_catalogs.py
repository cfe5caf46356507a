"""The rows about the catalog measure the situation that they name."""

import asyncio
from itertools import cycle
from pathlib import Path

import pytest

from bench.building import BuildSessions, store_in
from bench.catalogs import TASKS, Attached, CatchUp, Copied
from bench.child import Job
from bench.texts import said
from holdfast import open_store


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A store of twenty sessions with forty messages, and a folder to measure in."""
    built, work = tmp_path / "built", tmp_path / "work"
    work.mkdir()
    BuildSessions(Job(task="any", size=40, folder=str(built), template="", lines=""), cycle(said()), 20).round(1, 0)
    return Job(task="any", size=40, folder=str(work), template=str(built), lines="")


def listed(root: Path) -> list[int]:
    """The entries of each session, as the list has them."""

    async def ask() -> list[int]:
        async with open_store(root) as store:
            return [each.entries for each in (await store.list()).sessions]

    return asyncio.run(ask())


@pytest.mark.parametrize("task", [name for name in TASKS if not name.startswith("list_blobs")])
def test_each_question_is_asked_of_a_copy(job: Job, task: str) -> None:
    """
    A figure for each question, and the store that was built stays as it was.
    """
    before = {path: path.stat().st_mtime_ns for path in store_in(job.template).rglob("*") if path.is_file()}
    running = TASKS[task](job)
    samples = running.round(1, 0)
    running.close()

    assert [True] == [0 < sample < 60 for sample in samples]
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_catching_up_begins_with_no_catalog_and_ends_with_all_of_it(job: Job) -> None:
    """
    What a figure for each entry is divided by was read.
    """
    running = CatchUp(job, first=False)
    root = job.path("store")
    assert ["sessions"] == [path.name for path in root.iterdir()]

    running.round(1, 0)
    running.close()

    assert [3] * 20 == listed(root)


def test_a_copied_store_has_its_catalog(job: Job) -> None:
    """
    The list of the copy answers from what was known, with every session.
    """
    running = Copied(job)
    assert (job.path("store") / "catalog.db").exists()

    running.round(1, 0)
    running.close()

    assert 20 == len(listed(job.path("store")))


@pytest.mark.parametrize(("blobs", "entries"), [(0, 4), (250, 7)])
def test_attachments_are_in_the_session_that_is_listed(job: Job, blobs: int, entries: int) -> None:
    """
    A hundred in a message, each a file, before anything is measured.
    """
    running = Attached(job, blobs)
    samples = running.round(2, 0)
    running.close()

    assert 2 == len(samples)
    assert blobs == sum(len(path.name) == 64 for path in job.path("store").rglob("blobs/*"))
    assert [entries] == listed(job.path("store"))
