"""`write_file`: whole files, in one step, and only what was looked at."""

import asyncio
import json
import os
import resource
import stat
from pathlib import Path

import pytest

from holdfast.errors import ToolFailed
from holdfast.tools.files.atomic_replace import LARGEST, look, replace
from holdfast.tools.files.workspace import WorkspaceFiles
from holdfast.tools.files.write import WriteFile
from holdfast.tools.step import Stop
from tests.tools.calling import Desk, asked, failure, fill, output, paths_below, text


@pytest.fixture
def tool(tmp_path: Path) -> WriteFile:
    """A writer to an empty workspace."""
    return WriteFile(WorkspaceFiles(tmp_path))


async def test_a_new_file_with_its_folders(tool: WriteFile, tmp_path: Path) -> None:
    """
    Folders that are missing are made, and nothing else is left behind.
    """
    assert "Created src/new/a.py: 1 lines, 6 bytes." == await text(tool, path="src/new/a.py", content="words\n")
    assert "words\n" == (tmp_path / "src/new/a.py").read_text()
    assert {"src/new/a.py"} == paths_below(tmp_path)


async def test_what_would_change_is_shown(tool: WriteFile, tmp_path: Path) -> None:
    """
    A person who is asked sees the difference, before anything is written.
    """
    fill(tmp_path, {"a.txt": "one\ntwo\n"})

    ask = await asked(tool, path="a.txt", content="one\n2\n")

    assert ("write a.txt (over what is there)", "diff", ("a.txt",), False) == (
        ask.title,
        ask.form,
        ask.subjects,
        ask.reads_only,
    )
    assert "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n" == ask.detail
    assert "one\ntwo\n" == (tmp_path / "a.txt").read_text()


@pytest.mark.parametrize(
    ("before", "content", "detail"),
    [
        (None, "new", "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n"),
        (b"same\n", "same\n", "(no difference)"),
        (b"\0\1", "x\n", "replaces a binary file of 2 bytes\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n"),
    ],
)
async def test_details(tool: WriteFile, tmp_path: Path, before: bytes | None, content: str, detail: str) -> None:
    """
    Also a new file, one that stays the same and a binary one are said for what they are.
    """
    fill(tmp_path, {"a": before} if before is not None else {})

    assert detail == (await asked(tool, path="a", content=content)).detail


async def test_what_a_file_held_is_kept_before_it_is_replaced(tool: WriteFile, tmp_path: Path) -> None:
    """
    The session is told of both contents and of the mode, of a new file as of one that was there.
    """
    fill(tmp_path, {"a": b"\0old"})
    (tmp_path / "a").chmod(0o640)
    desk = Desk()

    await output(tool, desk, path="a", content="new")
    await output(tool, desk, path="sub/b", content="b")

    assert [("a", b"\0old", b"new", 0o640), ("sub/b", None, b"b", 0)] == desk.changed


async def test_the_mode_stays(tool: WriteFile, tmp_path: Path) -> None:
    """
    A script that could be run can still be run.
    """
    fill(tmp_path, {"run.sh": "old"})
    (tmp_path / "run.sh").chmod(0o751)

    await output(tool, path="run.sh", content="new")

    assert ("new", 0o751) == ((tmp_path / "run.sh").read_text(), stat.S_IMODE((tmp_path / "run.sh").stat().st_mode))


async def test_a_link_inside_is_written_through(tool: WriteFile, tmp_path: Path) -> None:
    """
    A link that stays in the workspace stays a link; the file it leads to is written.
    """
    fill(tmp_path, {"real/a.txt": "old"})
    (tmp_path / "link.txt").symlink_to("real/a.txt")

    await output(tool, path="link.txt", content="new")

    assert ("new", True) == ((tmp_path / "real/a.txt").read_text(), (tmp_path / "link.txt").is_symlink())


async def test_another_name_of_a_file_outside_is_not_written_through(tmp_path: Path) -> None:
    """
    A hard link cannot be told from a file, but writing replaces the name and not what other names lead to.
    """
    outside = fill(tmp_path, {"outside.txt": "theirs"}) / "outside.txt"
    root = fill(tmp_path / "ws", {"x": ""})
    os.link(outside, root / "a.txt")

    await output(WriteFile(WorkspaceFiles(root)), path="a.txt", content="ours")

    assert ("theirs", "ours") == (outside.read_text(), (root / "a.txt").read_text())


@pytest.mark.parametrize("before", ["old", None])
async def test_a_file_that_changed_meanwhile_is_left_alone(tool: WriteFile, tmp_path: Path, before: str | None) -> None:
    """
    What a person allowed was a change of what they saw; anything else is refused.
    """
    fill(tmp_path, {"a.txt": before} if before is not None else {})
    step = await tool.understand(json.dumps({"path": "a.txt", "content": "new"}), Desk())
    fill(tmp_path, {"a.txt": "somebody else's"})

    with pytest.raises(ToolFailed, match=r"a\.txt has changed since it was looked at; nothing was written"):
        await step.run()

    assert "somebody else's" == (tmp_path / "a.txt").read_text()
    assert {"a.txt"} == paths_below(tmp_path)


async def test_a_file_that_vanished_meanwhile_is_not_brought_back(tool: WriteFile, tmp_path: Path) -> None:
    """
    A file that someone removed after the question stays removed.
    """
    fill(tmp_path, {"a.txt": "old"})
    step = await tool.understand(json.dumps({"path": "a.txt", "content": "new"}), Desk())
    (tmp_path / "a.txt").unlink()

    with pytest.raises(ToolFailed, match="has changed"):
        await step.run()

    assert set() == paths_below(tmp_path)


async def test_a_folder_that_became_a_link_meanwhile_is_refused(tmp_path: Path) -> None:
    """
    What was understood has no links left, so one that turns up before the call is run leads nowhere.
    """
    root = fill(tmp_path / "ws", {"src/a.txt": "old"})
    fill(tmp_path / "outside", {"a.txt": "old"})
    step = await WriteFile(WorkspaceFiles(root)).understand(json.dumps({"path": "src/a.txt", "content": "new"}), Desk())
    (root / "src").rename(root / "src.old")
    (root / "src").symlink_to(tmp_path / "outside")

    with pytest.raises(ToolFailed, match="became a link"):
        await step.run()

    assert "old" == (tmp_path / "outside/a.txt").read_text()


@pytest.mark.parametrize(
    "path",
    [".git/config", ".git/hooks/post-commit", "sub/.git", ".GIT/x", ".holdfast/config.toml", ".g\u200bit/x", "GIT~1/x"],
)
async def test_protected_folders_are_not_written_to(tool: WriteFile, tmp_path: Path, path: str) -> None:
    """
    What could run code or loosen permission is kept from file tools, however it is spelled.
    """
    assert "kept from file tools" in await failure(tool, path=path, content="x")
    assert set() == paths_below(tmp_path)


async def test_further_protected_folders(tmp_path: Path) -> None:
    """
    Holdfast's own folders are refused also where they lie in the workspace, and by a link.
    """
    fill(tmp_path, {"store/a": "", "stored": ""})
    (tmp_path / "link").symlink_to("store")
    tool = WriteFile(WorkspaceFiles(tmp_path, folders=(tmp_path / "store",)))

    assert "store/b is not written to" in await failure(tool, path="link/b", content="x")
    assert "Replaced stored" in await text(tool, path="stored", content="x")


async def test_what_cannot_be_written(tool: WriteFile, tmp_path: Path) -> None:
    """
    Each refusal says what is in the way.
    """
    fill(tmp_path, {"folder/a": "", "fixed": ""})
    (tmp_path / "fixed").chmod(0o444)
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", LARGEST + 1)
    os.mkfifo(tmp_path / "pipe")

    assert "folder is a folder" in await failure(tool, path="folder", content="x")
    assert "marked as not to be written" in await failure(tool, path="fixed", content="x")
    assert "huge is larger than" in await failure(tool, path="huge", content="x")
    assert "pipe is not a regular file" in await failure(tool, path="pipe", content="x")
    assert "The content is longer" in await failure(tool, path="b", content="x" * (LARGEST + 1))
    assert "a name in the path is too long" in await failure(tool, path="n" * 300, content="x")
    assert "folder/a is not a folder" in await failure(tool, path="folder/a/b", content="x")


async def test_a_file_that_does_not_fit_on_the_disk_is_named(tool: WriteFile, tmp_path: Path) -> None:
    """
    What was there stays as it was, and nothing is left beside it.
    """
    fill(tmp_path, {"a.txt": "old", "folder/b.txt": "old"})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        reasons = [await failure(tool, path=path, content="x" * 200_000) for path in ("a.txt", "folder/b.txt")]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert ["a.txt: File too large.", "folder/b.txt: File too large."] == reasons
    assert ("old", {"a.txt", "folder/b.txt"}) == ((tmp_path / "a.txt").read_text(), paths_below(tmp_path))


def test_work_that_was_given_up_writes_nothing(tmp_path: Path) -> None:
    """
    A call that was cancelled before its last step leaves the file as it was, and nothing beside it.
    """
    workspace = WorkspaceFiles(fill(tmp_path, {"a.txt": "old"}))
    before = look(workspace, workspace.place("a.txt"))
    stop = Stop(1)
    stop.abandon()

    replace(workspace, before, b"new", stop)

    assert ("old", {"a.txt"}) == ((tmp_path / "a.txt").read_text(), paths_below(tmp_path))


async def test_two_writers_of_one_new_file(tool: WriteFile, tmp_path: Path) -> None:
    """
    Of two calls that would both create a file, one does and the other is told.
    """
    steps = [
        await tool.understand(json.dumps({"path": "a.txt", "content": content}), Desk()) for content in ("one", "two")
    ]

    ended = await asyncio.gather(*(step.run() for step in steps), return_exceptions=True)

    assert 1 == sum(isinstance(each, ToolFailed) for each in ended)
    assert (tmp_path / "a.txt").read_text() in {"one", "two"}
    assert {"a.txt"} == paths_below(tmp_path)
