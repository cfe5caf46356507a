"""`list_dir`, `find` and `grep`: what they find, what they leave out, and that they always come to an end."""

import asyncio
import json
import os
from pathlib import Path

import pytest

from holdfast.log.blobs import SPILL_BYTES
from holdfast.tools.files.diffs import diff
from holdfast.tools.files.find import Find
from holdfast.tools.files.grep import Grep
from holdfast.tools.files.grep_process import LARGEST_FILE, LONGEST_LINE, MOST_MATCHES
from holdfast.tools.files.list import ListDir
from holdfast.tools.files.workspace import WorkspaceFiles
from tests.tools.calling import Desk, asked, failure, fill, text

HOPELESS = {"pattern": r"(a+)+$", "path": "hopeless.txt"}
"""A search that would take longer than anybody lives."""


@pytest.fixture
def workspace(tmp_path: Path) -> WorkspaceFiles:
    """A small project."""
    fill(
        tmp_path,
        {
            ".gitignore": "# made\n*.log\n/build/\n!keep.log\n",
            ".git/config": "token",
            "README.md": "# Title\nWords about it.\n",
            "build/out.txt": "words",
            "keep.log": "words",
            "noise.log": "words",
            "node_modules/x/index.js": "words",
            "src/app/main.py": "import re\n\n\ndef main() -> None:\n    words()\n",
            "src/app/Words.txt": "Words\n",
            "src/picture.bin": b"words\0\1",
        },
    )
    (tmp_path / "link").symlink_to("src")
    return WorkspaceFiles(tmp_path)


async def test_a_folder_is_listed(workspace: WorkspaceFiles) -> None:
    """
    Names in order, folders with a slash, files with their size, links with where they lead.
    """
    expected = """\
.git/ (not entered)
.gitignore (31 bytes)
README.md (24 bytes)
build/ (not entered)
keep.log (5 bytes)
link -> src
node_modules/ (not entered)
noise.log (5 bytes)
src/"""

    assert expected == await text(ListDir(workspace))


async def test_folders_within_folders_are_listed(workspace: WorkspaceFiles) -> None:
    """
    With a depth, what is in the folders is shown below them.
    """
    expected = """\
app/
  Words.txt (6 bytes)
  main.py (44 bytes)
picture.bin (7 bytes)"""

    assert expected == await text(ListDir(workspace), path="src", depth=2)


async def test_a_folder_that_is_named_is_entered(workspace: WorkspaceFiles) -> None:
    """
    What is usually skipped is shown to who asks for it by name.
    """
    assert "x/\n  index.js (5 bytes)" == await text(ListDir(workspace), path="node_modules", depth=2)
    assert "build/out.txt" == await text(Find(workspace), path="build", pattern="*")
    assert "build/out.txt\n     1: words" == await text(Grep(workspace), path="build", pattern="words")


async def test_odd_names_are_listed(tmp_path: Path) -> None:
    """
    A name that is not UTF-8 is shown by its bytes, and a pipe is said to be one.
    """
    (tmp_path / os.fsdecode(b"gr\xfcn")).write_text("")
    os.mkfifo(tmp_path / "pipe")

    assert "gr\\xfcn (0 bytes)\npipe (device, pipe or socket)" == await text(ListDir(WorkspaceFiles(tmp_path)))
    assert "gr\\xfcn" == await text(Find(WorkspaceFiles(tmp_path)), pattern="gr*")


async def test_a_line_feed_in_a_name_forges_no_line(tmp_path: Path) -> None:
    """
    Nor does any other character that ends a line or moves a cursor; spaces and letters of all scripts stay.
    """
    names = ["a\nREADME.md (24 bytes)", "b\r\x1b[2Jc", "d\u2028e\x85f", "grün \u3000\u00a0x"]
    for name in names:
        (tmp_path / name).write_text("words\n")
    workspace = WorkspaceFiles(tmp_path)
    shown = ["a\\nREADME.md (24 bytes)", "b\\r\\x1b[2Jc", "d\\u2028e\\x85f", "grün \u3000\u00a0x"]

    assert [f"{each} (6 bytes)" for each in shown] == (await text(ListDir(workspace))).split("\n")
    assert shown == sorted((await text(Find(workspace), pattern="*")).split("\n"))
    matched = (await text(Grep(workspace), pattern="words")).split("\n")
    assert dict.fromkeys(shown, 1) == {each: sum(line.startswith(each) for line in matched) for each in shown}
    assert diff(None, "x\n", names[0]).startswith("--- /dev/null\n+++ b/a\\nREADME.md (24 bytes)\n@@")


async def test_listing_is_bounded(tmp_path: Path) -> None:
    """
    A long list is cut where the reader can see it, and time that is over ends it.
    """
    workspace = WorkspaceFiles(fill(tmp_path, {f"{'long-name' * 5}-{number}": "" for number in range(600)}))

    for shown in (await text(ListDir(workspace)), await text(Find(workspace), pattern="*")):
        assert "are shown; " in shown.split("\n")[-1]
        assert SPILL_BYTES > len(shown.encode())
    assert "time is over" in await text(ListDir(workspace, seconds=0))
    assert "time is over" in await text(Find(workspace, seconds=0), pattern="*")


async def test_what_cannot_be_listed(workspace: WorkspaceFiles, tmp_path: Path) -> None:
    """
    Each error says what is there instead.
    """
    (tmp_path / "empty").mkdir()

    assert "[empty is empty]" == await text(ListDir(workspace), path="empty")
    assert "Did you mean src" in await failure(ListDir(workspace), path="scr")
    assert "README.md is not a folder. `read_file`" in await failure(ListDir(workspace), path="README.md")
    assert "`path`, `depth`" in await failure(ListDir(workspace), depth=99)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"pattern": "*.py"}, "src/app/main.py"),
        ({"pattern": "**/*.py"}, "src/app/main.py"),
        ({"pattern": "src/**/main.*"}, "src/app/main.py"),
        ({"pattern": "*.{py,md}"}, "README.md\nsrc/app/main.py"),
        ({"pattern": "app/*.py", "path": "src"}, "src/app/main.py"),
        ({"pattern": "app"}, "src/app/"),
        ({"pattern": "*.log"}, "keep.log"),
        ({"pattern": "src/*"}, "src/app/\nsrc/picture.bin"),
        ({"pattern": "*.js"}, "Nothing in . matches *.js."),
    ],
)
async def test_files_are_found_by_name(workspace: WorkspaceFiles, arguments: dict[str, object], found: str) -> None:
    """
    A pattern without a slash is for names anywhere, one with a slash for paths; what is ignored is left out.
    """
    assert found == await text(Find(workspace), **arguments)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (
            {"pattern": "words"},
            "keep.log\n     1: words\nsrc/app/main.py\n     5:     words()",
        ),
        (
            {"pattern": "WORDS", "ignore_case": True, "glob": "*.{md,txt}"},
            "README.md\n     2: Words about it.\nsrc/app/Words.txt\n     1: Words",
        ),
        ({"pattern": "words()", "literal": True}, "src/app/main.py\n     5:     words()"),
        ({"pattern": r"^def \w+", "path": "src/app/main.py"}, "src/app/main.py\n     4: def main() -> None:"),
        (
            {"pattern": "import|words", "glob": "*.py", "context": 1},
            "src/app/main.py\n     1: import re\n     2- \n  …\n     4- def main() -> None:\n     5:     words()",
        ),
        ({"pattern": "words", "glob": "app/*.py", "path": "src"}, "src/app/main.py\n     5:     words()"),
        ({"pattern": "nowhere", "path": "src"}, "Nothing in src matches nowhere."),
    ],
)
async def test_lines_are_found(workspace: WorkspaceFiles, arguments: dict[str, object], found: str) -> None:
    """
    Lines come with their file and number; binary files and what is ignored are left out.
    """
    assert found == await text(Grep(workspace), **arguments)


@pytest.mark.parametrize("literal", [True, False])
async def test_words_are_found_in_any_encoding(tmp_path: Path, literal: bool) -> None:
    """
    A quick look at the bytes of a file leaves out none that has the words.
    """
    texts = {"a": "grün words".encode("utf-16"), "b": b"gr\xfcn words", "c": "grün words".encode(), "d": b"none"}
    workspace = WorkspaceFiles(fill(tmp_path, texts))

    for pattern in ("n words", "grün"):
        shown = await text(Grep(workspace), pattern=pattern, literal=literal)
        assert "a\n     1: grün words\nb\n     1: grün words\nc\n     1: grün words" == shown


async def test_each_line_is_shown_once(tmp_path: Path) -> None:
    """
    Lines around matches that are near each other are not repeated.
    """
    fill(tmp_path, {"a": "x1\nx2\n-\n-\nx3\n-\n"})

    shown = await text(Grep(WorkspaceFiles(tmp_path)), pattern="x", context=3)

    assert "a\n     1: x1\n     2: x2\n     3- -\n     4- -\n     5: x3\n     6- -" == shown


async def test_secrets_are_left_out_and_said(tmp_path: Path) -> None:
    """
    A search of everything does not read what a person should be asked about; naming it asks.
    """
    workspace = WorkspaceFiles(fill(tmp_path, {".env": "key=1", "deploy/id_rsa": "key=2", "a": "key=3"}))
    note = "[not searched: 2 files that may hold secrets; name one as `path` to ask for it]"

    assert f"a\n     1: key=3\n{note}" == await text(Grep(workspace), pattern="key")
    assert ".env\n     1: key=1" == await text(Grep(workspace), pattern="key", path=".env")
    assert [False, True] == [
        (await asked(Grep(workspace), pattern="key", path=path)).reads_only for path in (".env", ".")
    ]


async def test_a_search_is_bounded(tmp_path: Path) -> None:
    """
    Many matches, long lines and large files are cut where the reader can see it.
    """
    many = WorkspaceFiles(fill(tmp_path / "many", {"a": "x\n" * (MOST_MATCHES + 1)}))
    long = WorkspaceFiles(fill(tmp_path / "long", {"a": ("x" * 5000 + "\n") * 100}))
    large = WorkspaceFiles(fill(tmp_path / "large", {"a": b"x" * (LARGEST_FILE + 1)}))

    shown = await text(Grep(long), pattern="x")

    assert f"[only {MOST_MATCHES} matches are shown" in await text(Grep(many), pattern="x")
    assert f"{'x' * LONGEST_LINE}[…]\n" in shown
    assert shown.endswith("[there is more; give a narrower pattern, a glob or a folder]")
    assert SPILL_BYTES > len(shown.encode())
    assert "Nothing in . matches x.\n[not searched: 1 over 16 MiB]" == await text(Grep(large), pattern="x")


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "(?P<n>x)(?P<n>y)", "*", "x" * 1500 + "["])
async def test_a_pattern_that_is_none(workspace: WorkspaceFiles, pattern: str) -> None:
    """
    A wrong pattern is an error that says what is wrong with it.
    """
    assert "is not a regular expression" in await failure(Grep(workspace), pattern=pattern)


async def test_what_cannot_be_searched(workspace: WorkspaceFiles, tmp_path: Path) -> None:
    """
    Each error says what is in the way.
    """
    os.mkfifo(tmp_path / "pipe")

    assert "Did you mean" in await failure(Grep(workspace), pattern="x", path="REDME.md")
    assert "pipe is a device, pipe or socket" in await failure(Grep(workspace), pattern="x", path="pipe")
    assert "The arguments cannot be used" in await failure(Grep(workspace), pattern="")


async def test_a_hopeless_pattern_is_stopped(tmp_path: Path) -> None:
    """
    An expression that never comes to an end is stopped; others are served meanwhile, and what was found is shown.
    """
    workspace = WorkspaceFiles(fill(tmp_path, {"a.txt": "ab\naaa\n", "hopeless.txt": "a" * 60 + "!\n"}))
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    shown = await text(Grep(workspace, seconds=1.5), pattern=HOPELESS["pattern"])
    ticking.cancel()

    assert "a.txt\n     2: aaa\n[the search was stopped after 1.5 seconds" in shown
    assert ticks > 30


async def test_a_search_that_is_cancelled_leaves_no_process(tmp_path: Path) -> None:
    """
    Cancelling takes effect inside an expression that never ends, long before its time is over, and its process is gone.
    """
    workspace = WorkspaceFiles(fill(tmp_path, {"hopeless.txt": "a" * 60 + "!\n"}))
    step = await Grep(workspace, seconds=3600).understand(json.dumps(HOPELESS), Desk())
    task = asyncio.create_task(step.run())
    mark = str(tmp_path).encode()
    while not running(mark):
        await asyncio.wait({task}, timeout=0.05)
    await asyncio.wait({task}, timeout=0.5)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)

    assert [] == running(mark)


def running(mark: bytes) -> list[str]:
    """The processes of searches whose job names this folder."""
    if not os.path.isdir("/proc/self"):
        pytest.skip("there is no /proc here")
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path(f"/proc/{number}/cmdline").read_bytes()
        except OSError:
            continue
        if b"holdfast.tools.files.grep_process" in line and mark in line:
            found.append(number)
    return found


async def test_a_tree_that_is_too_deep_ends(tmp_path: Path) -> None:
    """
    Folders within folders without end do not use up what the system has.
    """
    folder = tmp_path
    for _ in range(100):
        folder /= "d"
    fill(folder, {"bottom.txt": "words"})

    assert "Nothing in . matches bottom.txt." == await text(Find(WorkspaceFiles(tmp_path)), pattern="bottom.txt")
