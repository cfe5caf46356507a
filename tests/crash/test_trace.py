"""The reader of strace's text, and the recorder that makes operations of it."""

import pytest

from tests.crash.operations import ROOT, Inode, Linked, Marked, Moved, Resized, Synced, SyncFailed, Unlinked, Wrote
from tests.crash.recorder import Recorder
from tests.crash.trace import UnreadableTraceError, calls
from tests.crash.tree import Tree


def quoted(value: str) -> str:
    """A string as `strace -xx` writes it."""
    return '"' + "".join(f"\\x{byte:02x}" for byte in value.encode()) + '"'


def recorded(*lines: str) -> list[object]:
    """The operations of these calls on a store at `/s`."""
    recorder = Recorder(root="/s", marks="/marks", tree=Tree())
    return list(recorder.feed(calls(lines)))


OPEN = f"7 openat(AT_FDCWD, {quoted('/s/a')}, O_WRONLY|O_CREAT|O_APPEND|O_CLOEXEC, 0600) = 3"
MADE = Linked(folder=ROOT, name="a", inode=Inode(1), makes="file")


def test_an_append_lands_at_the_end() -> None:
    """
    A write on an O_APPEND descriptor goes to the end of the file, as the kernel does it.
    """
    found = recorded(OPEN, f"7 write(3, {quoted('ab')}, 2) = 2", f"7 write(3, {quoted('c,)')}, 3)   = 3")

    assert [MADE, Wrote(inode=Inode(1), offset=0, data=b"ab"), Wrote(inode=Inode(1), offset=2, data=b"c,)")] == found


def test_a_short_write_counts_only_what_was_written() -> None:
    """
    The result of the call says how many bytes reached the file.
    """
    assert Wrote(inode=Inode(1), offset=0, data=b"ab") == recorded(OPEN, f"7 write(3, {quoted('abcd')}, 4) = 2")[-1]


def test_a_sync_covers_what_was_finished_before_it_began() -> None:
    """
    A write that another thread makes while a sync is under way is not covered by it.
    """
    found = recorded(
        OPEN,
        "8 fdatasync(3 <unfinished ...>",
        f"7 write(3, {quoted('ab')}, 2) = 2",
        "8 <... fdatasync resumed>) = 0",
    )

    assert Synced(inode=Inode(1), covers=1) == found[-1]


def test_a_failed_sync_is_kept() -> None:
    """
    A sync that failed may have thrown data away, so the model must know of it.
    """
    found = recorded(OPEN, "7 fdatasync(3) = -1 EIO (Input/output error) (INJECTED)")

    assert SyncFailed(inode=Inode(1), covers=1) == found[-1]


def test_names_are_followed_through_links_and_renames() -> None:
    """
    A second name, a new name and a removed name are the same file to the model.
    """
    found = recorded(
        OPEN,
        f"7 mkdir({quoted('/s/d')}, 0700) = 0",
        f"7 link({quoted('/s/a')}, {quoted('/s/d/b')}) = 0",
        f"7 unlink({quoted('/s/a')}) = 0",
        f"7 openat(AT_FDCWD, {quoted('/s/d')}, O_RDONLY|O_DIRECTORY) = 4",
        f"7 renameat(4, {quoted('b')}, 4, {quoted('c')}) = 0",
        "7 fsync(4) = 0",
        "7 ftruncate(3, 5) = 0",
    )

    folder = Inode(2)
    assert [
        MADE,
        Linked(folder=ROOT, name="d", inode=folder, makes="folder"),
        Linked(folder=folder, name="b", inode=Inode(1)),
        Unlinked(folder=ROOT, name="a"),
        Moved(folder=folder, name="b", to_folder=folder, to_name="c", inode=Inode(1)),
        Synced(inode=folder, covers=5),
        Resized(inode=Inode(1), size=5),
    ] == found


def test_files_elsewhere_are_left_out_and_marks_are_kept() -> None:
    """
    Only the store's own files count; what the workload says of itself comes as marks.
    """
    found = recorded(
        f"7 openat(AT_FDCWD, {quoted('/elsewhere')}, O_WRONLY|O_CREAT, 0600) = 3",
        f"7 openat(AT_FDCWD, {quoted('/marks')}, O_WRONLY|O_APPEND) = 4",
        f"7 write(3, {quoted('x')}, 1) = 1",
        f"7 write(4, {quoted('hello')}, 5) = 5",
        "7 close(3) = 0",
    )

    assert [Marked(mark=b"hello")] == found


@pytest.mark.parametrize(
    "line",
    [
        "7 sendfile(3, 5, NULL, 100) = 100",
        "7 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3, 0) = 0x7f0000000000",
        'what = "is this"',
        '7 write(3, "\\x61"..., 9) = 9',
        "7 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 9",
    ],
)
def test_what_is_not_modelled_is_refused(line: str) -> None:
    """
    A recording is whole or it is an error; nothing is silently left out.
    """
    with pytest.raises(ValueError, match=r"."):
        recorded(OPEN, line)


def test_a_trace_error_has_its_own_name() -> None:
    """
    The reader's refusals can be told from mistakes in the test.
    """
    with pytest.raises(UnreadableTraceError):
        list(calls(["7 nonsense"]))
