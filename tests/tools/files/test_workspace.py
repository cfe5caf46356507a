"""File tools stay inside the workspace: every way out that we know, ways drawn at random, and races."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.agent.permissions import Permissions
from holdfast.agent.tool import Tool
from holdfast.errors import ToolFailed
from holdfast.tools.files.edit import EditFile
from holdfast.tools.files.find import Find
from holdfast.tools.files.grep import Grep
from holdfast.tools.files.list import ListDir
from holdfast.tools.files.read import ReadFile
from holdfast.tools.files.sensitive import sensitive
from holdfast.tools.files.workspace import ResolvedPath, WorkspaceFiles
from holdfast.tools.files.write import WriteFile
from tests.tools.calling import SECRET, asked, failure, fill, output, paths_below, text
from tests.tools.escapes import ASKED, LINKS, NAMES, OUT


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with links that lead out, beside a folder with a secret."""
    outside = fill(tmp_path / "outside", {"secret.txt": SECRET})
    root = fill(tmp_path / "ws", {"a.txt": "inside", "sub/deep/b.txt": "inside"})
    for name, target in LINKS.items():
        (root / name).symlink_to(target.format(outside=outside, root=root))
    return root


def calls(root: Path, path: str) -> list[tuple[Tool, dict[str, object]]]:
    """A call of every file tool about a path."""
    workspace = WorkspaceFiles(root)
    return [
        (ReadFile(workspace), {"path": path}),
        (WriteFile(workspace), {"path": path, "content": "x"}),
        (EditFile(workspace), {"path": path, "edits": [{"old": "words", "new": "x"}]}),
        (ListDir(workspace), {"path": path}),
        (Find(workspace), {"path": path, "pattern": "*"}),
        (Grep(workspace), {"path": path, "pattern": "words"}),
    ]


@pytest.mark.parametrize("attempt", OUT)
async def test_no_path_leads_out(root: Path, attempt: str) -> None:
    """
    Whatever a path says, no tool reads, lists or writes anything outside the workspace.
    """
    outside = root.parent / "outside"
    path = attempt.format(outside=outside, root=root)

    for tool, arguments in calls(root, path):
        assert SECRET not in await failure(tool, **arguments)

    assert ({"secret.txt"}, SECRET) == (paths_below(outside), (outside / "secret.txt").read_text())
    assert {"outside", "ws"} == {each.name for each in root.parent.iterdir()}


@pytest.mark.parametrize("attempt", NAMES)
async def test_nothing_is_decoded(root: Path, attempt: str) -> None:
    """
    A path is taken as it is: encodings, variables and other systems' separators are characters of a name.
    """
    path = attempt.format()

    for tool, arguments in calls(root, path):
        if not isinstance(tool, WriteFile):
            assert SECRET not in await failure(tool, **arguments)
    with suppress(ToolFailed):
        await output(WriteFile(WorkspaceFiles(root)), path=path, content="x")

    assert {"secret.txt"} == paths_below(root.parent / "outside")
    assert {"outside", "ws"} == {each.name for each in root.parent.iterdir()}


@pytest.mark.parametrize("name", ASKED)
async def test_secrets_inside_are_asked_about(tmp_path: Path, name: str) -> None:
    """
    What looks like a secret is neither read nor searched before a person allowed it.
    """
    fill(tmp_path, {name: SECRET} if "innocent" not in name and ".." not in name else {".env": SECRET})
    (tmp_path / "sub").mkdir(exist_ok=True)
    if name == "innocent.txt":
        (tmp_path / name).symlink_to(".env")
    workspace = WorkspaceFiles(tmp_path)

    asks = [await asked(ReadFile(workspace), path=name), await asked(Grep(workspace), path=name, pattern="words")]

    assert ["ask", "ask"] == [Permissions().decide(ask) for ask in asks]
    assert SECRET not in await text(Grep(workspace), pattern="words")


@pytest.mark.parametrize("name", ["a.py", "environment.md", "id_rsa.pub", ".env.example", "docs/keys.md", ".git/HEAD"])
def test_what_is_no_secret(name: str) -> None:
    """
    Ordinary files are read without a question.
    """
    assert not sensitive(name)


def test_paths_of_rules_can_be_private(tmp_path: Path) -> None:
    """
    A workspace can be told of further files that are asked about.
    """
    files = fill(tmp_path, {"letters/a/b.txt": "", "app/[id]/x": "", "app/i/x": "", "c.txt": ""})
    workspace = WorkspaceFiles(files, private=("letters/*", "app/[id]/*"))
    paths = ("letters/a/b.txt", "app/[id]/x", "app/i/x", "c.txt")

    assert [True, True, False, False] == [workspace.place(path).sensitive for path in paths]


async def test_our_own_folders_are_asked_about(tmp_path: Path) -> None:
    """
    Where the workspace holds the store, other conversations are neither read nor searched without asking.
    """
    workspace = WorkspaceFiles(fill(tmp_path, {"store/log": SECRET, "a": "words"}), folders=(tmp_path / "store",))

    assert [False, True] == [(await asked(ReadFile(workspace), path=path)).reads_only for path in ("store/log", "a")]
    assert SECRET not in await text(Grep(workspace), pattern="words")


def test_links_that_stay_inside_are_followed(tmp_path: Path) -> None:
    """
    A link within the workspace, relative or absolute, leads where it leads.
    """
    root = fill(tmp_path / "ws", {"src/a.txt": "", "lib/b.txt": ""})
    (root / "lib/link").symlink_to("../src")
    (root / "lib/absolute").symlink_to(root / "src/a.txt")
    workspace = WorkspaceFiles(root)

    assert ResolvedPath("src/a.txt", "file", sensitive=False) == workspace.place("lib/link/a.txt")
    assert ResolvedPath("src/a.txt", "file", sensitive=False) == workspace.place("lib/absolute")
    assert ResolvedPath("lib/b.txt", "file", sensitive=False) == workspace.place("src/../lib/link/../lib/b.txt")
    assert ResolvedPath("src/new/c", "missing", sensitive=False) == workspace.place("lib/link/new/c")
    assert ResolvedPath(".", "folder", sensitive=False) == workspace.place(str(root))


def test_a_link_to_a_name_that_is_not_text(tmp_path: Path) -> None:
    """
    A name that no log could hold is refused, also where a link hides it.
    """
    odd = tmp_path / os.fsdecode(b"gr\xfcn")
    fill(tmp_path, {str(odd): "x", "plain": ""})
    (tmp_path / "link").symlink_to(odd.name)
    (tmp_path / "under").symlink_to(f"{odd.name}/x")

    for path in ("link", "under"):
        with pytest.raises(ToolFailed) as failed:
            WorkspaceFiles(tmp_path).place(path)
        assert str(failed.value).encode()


def test_a_workspace_that_is_a_link(tmp_path: Path) -> None:
    """
    A workspace may be reached by a link; paths under either name are inside.
    """
    root = fill(tmp_path / "ws", {"a.txt": ""})
    (tmp_path / "link").symlink_to(root)
    workspace = WorkspaceFiles(tmp_path / "link")

    assert ["a.txt", "a.txt"] == [workspace.place(f"{each}/a.txt").path for each in (root, tmp_path / "link")]
    assert root == workspace.root


async def test_windows_into_the_machine_are_not_files() -> None:
    """
    Even where the workspace holds them, files of the kernel's own file systems are not read.
    """
    if not os.path.ismount("/proc"):
        pytest.skip("there is no /proc here")

    assert "not a regular file" in await failure(ReadFile(WorkspaceFiles(Path("/proc/self"))), path="status")


NAME = st.sampled_from(["a", "b", "c", "..", ".", "out", "ws", "secret.txt", "f.txt", "~", "%2e%2e", ""])
PATH = st.lists(NAME, max_size=6).map("/".join)


@settings(max_examples=100)
@given(
    folders=st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), max_size=4),
    links=st.lists(st.tuples(PATH, PATH, st.sampled_from(["", "{root}/", "{outside}/", "/"])), max_size=6),
    paths=st.lists(st.tuples(st.sampled_from(["", "{root}/", "/", "{outside}/../ws/"]), PATH), min_size=1, max_size=8),
)
def test_no_tangle_of_links_leads_out(
    folders: list[list[str]], links: list[tuple[str, str, str]], paths: list[tuple[str, str]]
) -> None:
    """
    Whatever links there are, what is opened is a file of the workspace, the one that the system itself finds.
    """
    with TemporaryDirectory() as made:
        base = Path(made).resolve()
        root = fill(base / "ws", {"f.txt": "inside", "a/f.txt": "inside"})
        outside = fill(base / "outside", {"secret.txt": SECRET, "f.txt": SECRET})
        for folder in folders:
            with suppress(OSError):
                root.joinpath(*folder).mkdir(parents=True)
        for where, target, start in links:
            with suppress(OSError, ValueError):
                name = root.joinpath(*(each for each in where.split("/") if each not in {"..", ""}))
                name.symlink_to(start.format(root=root, outside=outside) + target)
        workspace = WorkspaceFiles(root)
        for start, rest in paths:
            path = start.format(root=root, outside=outside) + rest
            with suppress(ToolFailed):
                place = workspace.place(path)
                real = Path(os.path.realpath(root / place.path))
                assert real.is_relative_to(root)
                assert real == root / place.path
                if place.kind == "file":
                    with workspace.file(place.path) as opened:
                        assert b"inside" == opened.read()


@contextmanager
def swapping(folder: Path, target: Path) -> Iterator[None]:
    """Swap a folder for a link to another and back, as fast as can be, in a thread."""
    stop = threading.Event()
    away = folder.with_name("away")
    numbers = count()

    def surely(step: Callable[[], object]) -> None:
        while True:
            try:
                step()
            except OSError:  # a call has made the folder anew meanwhile
                folder.rename(folder.with_name(f"made-{next(numbers)}"))
            else:
                return

    def swap() -> None:
        while not stop.is_set():
            folder.rename(away)
            surely(lambda: folder.symlink_to(target))
            folder.unlink()
            surely(lambda: away.rename(folder))

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


async def test_a_race_never_leads_out(tmp_path: Path) -> None:
    """
    While someone swaps a folder for a link that leads out, calls fail or stay inside.
    """
    root = fill(tmp_path / "ws", {"sub/a.txt": "inside", "sub/deep/b.txt": "inside"})
    outside = fill(tmp_path / "outside", {"a.txt": SECRET, "deep/b.txt": SECRET})
    workspace = WorkspaceFiles(root)
    seen: list[str] = []

    async def tried(tool: Tool, **arguments: object) -> None:
        try:
            seen.append(await text(tool, **arguments))
        except ToolFailed as failed:
            seen.append(str(failed))

    with swapping(root / "sub", outside):
        for number in range(25):
            await tried(ReadFile(workspace), path="sub/a.txt")
            await tried(ReadFile(workspace), path="sub/deep/b.txt")
            await tried(WriteFile(workspace), path=f"sub/new/{number}.txt", content="inside")
            await tried(WriteFile(workspace), path="sub/deep/b.txt", content="inside")
            await tried(EditFile(workspace), path="sub/a.txt", edits=[{"old": "inside", "new": "inside"}])
            await tried(Find(workspace), pattern="*.txt")
        for _ in range(3):
            await tried(Grep(workspace), pattern="words|inside")

    assert [] == [each for each in seen if SECRET in each]
    assert any("inside" in each for each in seen)
    assert {"a.txt", "deep/b.txt"} == paths_below(outside)
    assert [SECRET] * 2 == [(outside / name).read_text() for name in ("a.txt", "deep/b.txt")]


async def test_no_descriptor_is_left_open(root: Path) -> None:
    """
    Whether a call works or fails, what it opened is closed.
    """
    before = len(os.listdir("/dev/fd"))

    for attempt in (*OUT, "a.txt", "sub/deep/b.txt", "missing/x"):
        for tool, arguments in calls(root, attempt.format(outside=root.parent / "outside", root=root)):
            if not isinstance(tool, Grep):
                with suppress(ToolFailed):
                    await output(tool, **arguments)
    await asyncio.sleep(0)

    assert before == len(os.listdir("/dev/fd"))
