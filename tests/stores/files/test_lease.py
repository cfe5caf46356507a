"""One writer: the lock file, who it names, and what ends it."""

import errno
import fcntl
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.clock import at_time
from holdfast.errors import Closed, Fenced, Held
from holdfast.stores.files.lease import LOCK, Doubt, FileLease, acquire, current_holder, let_go, take_over
from tests.contracts.talk import KEY
from tests.stores.files.neighbour import neighbour
from tests.stores.files.trouble import Refusing

NOW = 1_794_787_200_123_456_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A session folder."""
    return tmp_path


def taken(folder: Path, doing: str = "") -> FileLease:
    """The lease of a folder that is free."""
    return acquire(folder, KEY, doing, NOW)


def refused(folder: Path) -> str:
    """Who is said to hold the lease."""
    with pytest.raises(Held) as told:
        taken(folder)
    return told.value.holder


@pytest.fixture
def lease(folder: Path) -> Iterator[FileLease]:
    """A lease that is held."""
    held = taken(folder, "answering")
    yield held
    held.close()


def test_the_lock_file_says_who_holds_it(folder: Path, lease: FileLease) -> None:
    """
    Process, machine, since when and doing what; for a person too, in one line of text.
    """
    holder = current_holder(folder)

    assert lease.holder == holder
    assert (os.getpid(), socket.gethostname(), at_time(NOW), "answering", 1) == (
        lease.holder.pid,
        lease.holder.host,
        lease.holder.since,
        lease.holder.doing,
        lease.holder.epoch,
    )
    assert 1 == (folder / LOCK).read_text().count("\n")
    assert "answering" in refused(folder)


def test_opening_and_closing_the_lock_file_elsewhere_ends_nothing(folder: Path, lease: FileLease) -> None:
    """
    A backup that reads the file, even in this very process, does not drop the lock.
    """
    (folder / LOCK).read_bytes()

    assert f"process {os.getpid()}" in refused(folder)
    lease.check()


def test_the_lock_file_stays_when_the_lease_is_given_back(folder: Path, lease: FileLease) -> None:
    """
    A lock file that is deleted could be locked twice; closing twice is once.
    """
    inode = (folder / LOCK).stat().st_ino
    lease.close()
    lease.close()

    assert current_holder(folder) is None
    again = taken(folder)
    assert (inode, 2) == ((folder / LOCK).stat().st_ino, again.holder.epoch)
    again.close()


def test_a_closed_lease_is_no_right_to_write(lease: FileLease) -> None:
    """
    Checking it says so.
    """
    lease.close()

    assert not lease.held
    with pytest.raises(Closed):
        lease.check()


def test_a_take_over_leaves_the_former_holder_without_a_name(folder: Path, lease: FileLease) -> None:
    """
    The former holder sees it before it acknowledges anything, and cannot harm the lease that followed.
    """
    latter = take_over(folder, "helping", NOW)
    with pytest.raises(Fenced):
        lease.check()
    lease.write_doubt(Doubt(segment=1, offset=0))
    lease.close()

    latter.check()
    assert latter.holder == current_holder(folder)
    assert lease.holder.epoch < latter.holder.epoch
    assert [LOCK] == os.listdir(folder)
    latter.close()


def test_another_name_of_the_lock_file_does_not_hide_a_take_over(folder: Path, lease: FileLease) -> None:
    """
    Copies made by hard links share the file: the former holder still learns of it.
    """
    (folder / "copy").hardlink_to(folder / LOCK)
    latter = take_over(folder, "helping", NOW)

    with pytest.raises(Fenced):
        lease.check()
    latter.check()
    latter.close()


def test_a_lock_file_that_was_moved_away_is_no_lease(folder: Path, lease: FileLease) -> None:
    """
    Whoever comes next would find the session free.
    """
    (folder / LOCK).rename(folder / "elsewhere")

    with pytest.raises(Fenced):
        lease.check()


@pytest.mark.parametrize(("doing", "told"), [("\ud800\n\x1b[31m", "\ufffd ␛[31m"), ("so " * 100, "so " * 66 + "s…")])
def test_what_a_holder_does_is_told_on_one_line(folder: Path, doing: str, told: str) -> None:
    """
    Whatever it says.
    """
    lease = taken(folder, doing)

    assert told == lease.holder.doing
    lease.close()


def test_taking_over_what_nobody_ever_held_is_taking_it(folder: Path) -> None:
    """
    Without a lock file there is nobody to fence.
    """
    lease = take_over(folder, "", NOW)

    assert (1, None) == (lease.holder.epoch, lease.doubt)
    assert f"process {os.getpid()}" in refused(folder)
    lease.close()


@pytest.mark.parametrize("way", [taken, lambda folder: take_over(folder, "", NOW)])
def test_the_next_holder_learns_of_a_doubt(folder: Path, lease: FileLease, way: Callable[[Path], FileLease]) -> None:
    """
    What a holder could not make durable is told to the next one, however that one comes by the lease.
    """
    doubt = Doubt(segment=3, offset=4711)
    lease.write_doubt(doubt)
    lease.close()
    latter = way(folder)

    assert doubt == latter.doubt
    latter.write_doubt(None)
    latter.close()
    last = taken(folder)
    assert last.doubt is None
    last.close()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\x00", b'{"holder":3}'])
def test_a_lock_file_that_a_crash_cut_off_is_written_anew(folder: Path, content: bytes) -> None:
    """
    What stands in it is a courtesy; the lock itself is the kernel's.
    """
    (folder / LOCK).write_bytes(content)
    lease = taken(folder)

    assert lease.holder == current_holder(folder)
    assert 1 == lease.holder.epoch
    (folder / LOCK).write_bytes(content)
    assert "a process that has just taken it" == refused(folder)
    assert current_holder(folder) is None
    lease.close()


def test_a_lock_on_a_file_that_was_replaced_meanwhile_is_not_the_lease(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Between opening the file and locking it another process may take over: then one asks again, and is told.
    """
    taken(folder).close()
    flock = fcntl.flock
    others: list[FileLease] = []

    def too_late(descriptor: int, how: int) -> None:
        if not others:
            monkeypatch.undo()
            others.append(take_over(folder, "being faster", NOW))
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", too_late)

    assert "being faster" in refused(folder)
    others[0].close()


def test_a_lock_on_a_session_that_was_removed_meanwhile_is_not_the_lease(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Whoever waits for a session that is deleted does not get a lease on nothing.
    """
    flock = fcntl.flock

    def too_late(descriptor: int, how: int) -> None:
        monkeypatch.undo()
        (folder / LOCK).unlink()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", too_late)
    lease = taken(folder)

    lease.check()
    assert lease.holder == current_holder(folder)
    lease.close()


def test_one_who_only_asks_for_the_holder_is_not_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Looking shares the lock for a moment; taking the lease then takes a moment longer, and never fails.
    """
    looking = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    flock = fcntl.flock
    flock(looking, fcntl.LOCK_SH)

    def until_asked_twice(descriptor: int, how: int) -> None:
        flock(descriptor, how)
        if how & fcntl.LOCK_SH:
            monkeypatch.undo()
            os.close(looking)

    monkeypatch.setattr(fcntl, "flock", until_asked_twice)
    lease = taken(folder)

    assert lease.held
    lease.close()


def test_a_lock_is_let_go_whatever_goes_wrong(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Also where it is not the disk.
    """
    with monkeypatch.context() as patch:
        patch.delattr(socket, "gethostname")
        with pytest.raises(AttributeError):
            taken(folder)
    lease = taken(folder)

    assert lease.held
    lease.close()


@pytest.mark.parametrize("call", ["pread", "pwrite"])
def test_a_lock_that_did_not_become_a_lease_is_let_go(folder: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """
    A disk that fails for a moment does not lock this process out of its own session.
    """
    with monkeypatch.context() as patch:
        patch.setattr(os, call, Refusing(getattr(os, call), errno.EIO))
        with pytest.raises(OSError, match="Input/output"):
            taken(folder)
    lease = taken(folder)

    assert lease.held
    lease.close()


def test_a_take_over_that_fails_takes_nothing(folder: Path, lease: FileLease, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The holder keeps its session, and no descriptor stays open.
    """
    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(Path, "rename", Refusing(Path.rename, errno.EIO))
    with pytest.raises(OSError, match="Input/output"):
        take_over(folder, "", NOW)

    lease.check()
    assert before == len(os.listdir("/proc/self/fd"))


def test_letting_go_closes_every_lease_of_this_process(tmp_path: Path) -> None:
    """
    A forked child does this first, so its parent's leases end when the parent closes them.
    """
    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        folder.mkdir()
    leases = [taken(folder) for folder in folders]
    let_go()

    assert [False, False] == [lease.held for lease in leases]
    assert [None, None] == [current_holder(folder) for folder in folders]


FORKING = """
import os, sys
from pathlib import Path
from holdfast.stores.files.lease import acquire
folder = Path(sys.argv[1])
lease = acquire(folder, "key", "", 0)
read, write = os.pipe()
alive, born = os.pipe()
child = os.fork()
if not child:
    os.close(write)
    os.close(born)
    os.read(read, 1)  # live as long as the parent wants
    os._exit(lease.held)
os.close(born)
os.read(alive, 1)
lease.close()
acquire(folder, "key", "", 0)
os.close(write)
print("free;", "child held" if os.waitpid(child, 0)[1] else "child did not")
"""


def test_a_forked_child_does_not_inherit_the_lease(folder: Path) -> None:
    """
    When the parent gives the lease back it is free, though its child lives on; and the child never had it.
    """
    done = subprocess.run([sys.executable, "-c", FORKING, str(folder)], capture_output=True, text=True, check=True)

    assert "free; child did not\n" == done.stdout


def test_a_started_program_does_not_inherit_the_lease(folder: Path, lease: FileLease) -> None:
    """
    Not even one that is given every open file.
    """
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, close_fds=False) as program:
        lease.close()
        again = taken(folder)

        assert program.poll() is None
        again.close()
        program.communicate(b"")


def test_another_process_is_named_and_its_death_ends_the_lease(tmp_path: Path) -> None:
    """
    The second one is told who holds the session; after a kill it is free at once, with nothing to clean up.
    """
    folder = tmp_path / "sessions" / "team%3aalice"
    with neighbour(tmp_path) as other:
        assert "done -1" == other.asked("hold dreaming of sheep")
        assert refused(folder).startswith(f"process {other.pid} on {socket.gethostname()} since 2")
        assert refused(folder).endswith("UTC, dreaming of sheep")
        other.kill()

    lease = taken(folder)
    assert 2 == lease.holder.epoch
    lease.close()
