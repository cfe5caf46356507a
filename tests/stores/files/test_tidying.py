"""What a crash leaves half built or half removed."""

import fcntl
from pathlib import Path

import pytest

from holdfast import open_store
from holdfast.stores.files.segments import opened

CANARY = "quartz-canary"


async def half_built(root: Path) -> Path:
    """A fork of the session "a" as a crash leaves it: its folder is built and has no place yet."""
    async with open_store(root) as store, store.session("a") as session:
        await session.say(CANARY)
    building = root / "making" / "0123456789abcdef"
    building.mkdir(parents=True)
    (building / "000001.jsonl").write_bytes((root / "sessions" / "a" / "000001.jsonl").read_bytes())
    return building


@pytest.mark.parametrize("act", ["open", "delete"])
async def test_a_half_built_fork_goes_with_the_next_session_opened_or_deleted(tmp_path: Path, act: str) -> None:
    """
    Words do not stay behind in a place where nobody looks.
    """
    building = await half_built(tmp_path)

    async with open_store(tmp_path) as store:
        if act == "open":
            await (await store.open("b")).close()
        else:
            await store.delete("a")

    assert not building.exists()


async def test_deleting_leaves_no_byte_of_a_half_built_fork(tmp_path: Path) -> None:
    """
    Deleting really deletes, also what a crash copied before.
    """
    await half_built(tmp_path)

    async with open_store(tmp_path) as store:
        await store.delete("a")

    left = [path for path in tmp_path.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
    assert [] == left


async def test_a_fork_that_is_being_built_is_left_alone(tmp_path: Path) -> None:
    """
    Tidying takes nothing from a process that works there.
    """
    building = await half_built(tmp_path)

    with opened(tmp_path / "making") as place:
        fcntl.flock(place, fcntl.LOCK_SH)
        async with open_store(tmp_path) as store:
            await (await store.open("b")).close()

    assert building.is_dir()
