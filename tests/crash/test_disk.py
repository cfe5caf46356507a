"""The model of a power cut: what may be lost, and what may not."""

import random

from tests.crash.disk import SECTOR, Disk, contents
from tests.crash.operations import ROOT, Inode, Linked, Marked, Moved, Operation, Synced, SyncFailed, Unlinked, Wrote
from tests.crash.states import Recording, State, crash_states
from tests.crash.tree import Tree

FILE = Inode(1)
MADE = Linked(folder=ROOT, name="a", inode=FILE, makes="file")


def wrote(data: bytes, offset: int = 0) -> Wrote:
    """A write to the one file."""
    return Wrote(inode=FILE, offset=offset, data=data)


def final(*operations: Operation) -> list[dict[str, bytes]]:
    """What may be on the disk when the power goes after the last operation."""
    recording = Recording(name="hand", start=Tree(), operations=list(operations))
    states = [s for s in crash_states(recording, per_point=500, seed=1) if s.point == len(operations)]
    return [as_dict(state) for state in states if state.how == "power cut"]


def as_dict(state: State) -> dict[str, bytes]:
    """Each name with its bytes."""
    return {name: content for names, content in state.files for name in names}


def test_a_synced_file_in_a_synced_folder_stays() -> None:
    """
    After both syncs there is one state only.
    """
    found = final(MADE, wrote(b"x"), Synced(inode=FILE, covers=2), Synced(inode=ROOT, covers=3))

    assert all(state == {"a": b"x"} for state in found)


def test_a_file_may_vanish_with_its_folder_not_synced() -> None:
    """
    Syncing a file does not make its name durable.
    """
    found = final(MADE, wrote(b"x"), Synced(inode=FILE, covers=2))

    assert {} in found
    assert {"a": b"x"} in found


def test_bytes_not_synced_may_be_lost_torn_or_zero() -> None:
    """
    Lost, zero-filled, cut at a sector, and with the sectors in any order.
    """
    old, new = b"o" * 100, b"n" * 1200
    found = final(
        MADE,
        wrote(old),
        Synced(inode=FILE, covers=2),
        Synced(inode=ROOT, covers=3),
        wrote(new, 100),
    )
    whole = old + new

    assert {"a": old} in found
    assert {"a": whole} in found
    assert {"a": whole[:SECTOR]} in found
    assert {"a": old.ljust(len(whole), b"\0")} in found
    assert {"a": (old.ljust(SECTOR, b"\0") + whole[SECTOR:])} in found


def test_durable_bytes_are_never_touched() -> None:
    """
    Whatever happens to later writes, the synced beginning is there.
    """
    found = final(
        MADE,
        wrote(b"keep"),
        Synced(inode=FILE, covers=2),
        Synced(inode=ROOT, covers=3),
        wrote(b"x" * 2000, 4),
        wrote(b"y" * 2000, 2004),
    )

    assert all(state["a"].startswith(b"keep") for state in found)


def test_a_rename_is_one_step() -> None:
    """
    The old file or the new one is under the name, never neither.
    """
    other = Inode(2)
    found = final(
        MADE,
        wrote(b"old"),
        Synced(inode=FILE, covers=2),
        Synced(inode=ROOT, covers=3),
        Linked(folder=ROOT, name="b", inode=other, makes="file"),
        Wrote(inode=other, offset=0, data=b"new"),
        Synced(inode=other, covers=6),
        Moved(folder=ROOT, name="b", to_folder=ROOT, to_name="a", inode=other),
    )

    assert {b"old", b"new"} == {state["a"] for state in found}


def test_an_unlink_may_overtake_a_link() -> None:
    """
    Names that are not synced come and go independently.
    """
    found = final(
        MADE, Synced(inode=ROOT, covers=1), Linked(folder=ROOT, name="b", inode=FILE), Unlinked(folder=ROOT, name="a")
    )

    assert sorted({tuple(sorted(state)): sorted(state) for state in found}.values()) == [[], ["a"], ["a", "b"], ["b"]]


def test_a_failed_sync_is_not_healed_by_the_next() -> None:
    """
    After a failed sync the next one may say yes while the bytes are gone.
    """
    disk = Disk(Tree())
    for operation in (MADE, wrote(b"x"), SyncFailed(inode=FILE, covers=2), Synced(inode=FILE, covers=3)):
        disk.apply(operation)

    assert disk.versions[FILE] == [b"x"]
    assert disk.ghosts[FILE] == [b""]


def test_a_sync_leaves_out_what_came_while_it_ran() -> None:
    """
    Only what was finished before the sync began is durable.
    """
    disk = Disk(Tree())
    for operation in (MADE, wrote(b"x"), wrote(b"y", 1), Synced(inode=FILE, covers=2)):
        disk.apply(operation)

    assert disk.versions[FILE] == [b"x", b"xy"]


def test_a_killed_process_may_leave_half_a_write() -> None:
    """
    One write is not atomic under kill -9.
    """
    recording = Recording(name="hand", start=Tree(), operations=[MADE, wrote(b"abcd")])

    found = {state.files for state in crash_states(recording, per_point=10, seed=1) if state.how == "killed"}

    assert {(), ((("a",), b""),), ((("a",), b"ab"),), ((("a",), b"abcd"),)} <= found


def test_a_state_knows_what_was_said_before_it() -> None:
    """
    Marks made before a crash are what the state has to answer for.
    """
    recording = Recording(name="hand", start=Tree(), operations=[MADE, Marked(mark=b"one"), wrote(b"x")])

    assert [s.last_marks for s in crash_states(recording, per_point=1, seed=1) if s.how == "killed"] == [0, 0, 1, 1]


def test_mixtures_hold_only_bytes_that_were_there() -> None:
    """
    A sector is one of its own versions, never invented.
    """
    versions = [b"", b"a" * 700, b"a" * 700 + b"b" * 700]

    for content in contents(versions, random.Random(1)):
        assert set(content) <= set(b"ab\0")
        assert len(content) <= len(versions[-1])


def test_a_later_write_may_be_there_without_an_earlier_one() -> None:
    """
    Writes reach the disk in any order, so a hole of zeros may lie before good bytes.
    """
    first, second = b"1" * SECTOR, b"2" * SECTOR
    found = final(MADE, Synced(inode=ROOT, covers=1), wrote(first), wrote(second, SECTOR))

    assert {"a": bytes(SECTOR) + second} in found


def test_a_rename_or_link_may_be_lost_and_a_removed_name_may_be_back() -> None:
    """
    What happens to names is durable when the folder they go to, or go from, is synced, and not before.
    """
    folder = Inode(2)
    before = (
        MADE,
        wrote(b"x"),
        Synced(inode=FILE, covers=2),
        Linked(folder=ROOT, name="d", inode=folder, makes="folder"),
        Synced(inode=ROOT, covers=4),
    )
    moved = Moved(folder=ROOT, name="a", to_folder=folder, to_name="a", inode=FILE)
    gone = Unlinked(folder=ROOT, name="a")

    assert {"a", "d/a"} == {name for state in final(*before, moved) for name in state}
    assert {"d/a"} == {name for state in final(*before, moved, Synced(inode=folder, covers=6)) for name in state}
    assert [{"a": b"x"}, {}] == [state for state in ({"a": b"x"}, {}) if state in final(*before, gone)]
    assert all(state == {} for state in final(*before, gone, Synced(inode=ROOT, covers=6)))
