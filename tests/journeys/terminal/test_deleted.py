"""What is left of a session that was deleted for good: nothing, in any file that the program wrote anywhere."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.hosts.processes import COMMAND
from tests.hosts.terminal.ptys import Terminal
from tests.journeys.terminal.house import KEY, MARK, House, ask, calling, ready

CALLS = "open,openat,creat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mknod,mknodat,memfd_create"
STRACE = shutil.which("strace")
_CALL = re.compile(r"^\d+ +(\w+)\((.*)\) += (\d+)")
_FROM = re.compile(r"(?:AT_FDCWD|\d+)<([^>]*)>, ")
_NAME = re.compile(r'"((?:[^"\\]|\\.)*)"')
pytestmark = pytest.mark.skipif(STRACE is None, reason="strace is not installed: nobody lists the files")


class Watched(House):
    """A house in which every file that a program writes is listed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.traces = folder / "traces"
        self.traces.mkdir()
        (folder / "tmp").mkdir()
        self.environment["TMPDIR"] = str(folder / "tmp")

    def command(self, *words: str) -> list[str]:
        """A command line under the eyes of strace."""
        trace = self.traces / f"{len(list(self.traces.iterdir()))}.txt"
        watching = [str(STRACE), "-f", "-y", "-qq", "-s", "4096", "-e", f"trace={CALLS}", "-e", "signal=none"]
        return [*watching, "-o", str(trace), *COMMAND, *words]

    def start(self, *words: str, columns: int = 80, rows: int = 24, **more: str) -> Terminal:
        """Open a window."""
        env = {**self.environment, **more}
        return Terminal(self.command(*words), env=env, cwd=self.workspace, columns=columns, rows=rows)

    def run(self, *words: str) -> str:
        """What another command prints."""
        ran = subprocess.run(
            self.command(*words), env=self.environment, cwd=self.workspace, capture_output=True, text=True, check=True
        )
        return ran.stdout

    def written(self) -> set[Path]:
        """Every file that was made, opened for writing or renamed, and its folder, where it is still there."""
        found = set()
        for trace in self.traces.iterdir():
            for line in trace.read_text(errors="replace").splitlines():
                found |= set(_written(line, self.workspace))
        return {path for path in found if path.is_file() and not path.is_relative_to("/proc")}


def _written(line: str, here: Path) -> Sequence[Path]:
    """The paths that a line of a trace says were written."""
    call = _CALL.match(line)
    if call is None or (call[1] in {"open", "openat"} and not re.search(r"O_WRONLY|O_RDWR|O_CREAT", call[2])):
        return ()
    folder = _FROM.search(call[2])
    return [(Path(folder[1]) if folder else here) / name for name in _NAME.findall(call[2])]


@pytest.fixture
def house(tmp_path: Path) -> Watched:
    """A machine on which every file that is written is known."""
    return Watched(tmp_path)


def holding(files: set[Path], folder: Path, words: Sequence[str]) -> dict[str, list[str]]:
    """The files that hold a word; of the listed ones, and of all in a folder."""
    everything = files | {path for path in folder.rglob("*") if path.is_file()}
    found = {}
    for path in everything:
        data = path.read_bytes().lower()
        held = [word for word in words if word.encode() in data]
        if held and path.parent.name != "traces" and path.name != "script.jsonl":
            found[str(path)] = held
    return found


def test_after_a_deletion_no_file_that_was_written_holds_a_word(house: Watched) -> None:
    """
    What was said, answered, called, shown, searched for, typed and not sent, and the title: all of it is gone.
    """
    words = [f"canary{name}" for name in ("said", "reply", "shell", "slash", "typed", "title", "pasted")]
    said, reply, shell, slash, typed, title, pasted = words
    house.write(
        {"say": title, "when": "Answer with a title"},
        *calling("shell", command=f"for i in $(seq 9000); do echo {shell} $i; done"),
        {"say": f"I heard {reply}."},
        {"say": "Yes."},
    )
    with house.open("--allow", "shell") as window:
        ask(window, said, f"I heard {reply}.")
        window.say(f"/search {slash}")
        window.wait_for("Nothing that was said")
        ready(window)
        window.paste("\n".join([pasted] * 80))
        window.press("enter")
        window.wait_for("Yes.")
        ready(window)
        window.say(f"/rename {title}")
        window.press("up")
        window.type(typed)
        window.wait_for(typed)
        window.watch(0.5)
        window.press("ctrl-c", "ctrl-d")
        window.end()
    with house.open() as again:
        again.type(f"not sent {typed}")
        again.wait_for(f"{MARK} not sent {typed}")
        again.watch(0.5)
        again.kill()
    before = holding(house.written(), house.home, words)
    house.run("delete", KEY, "--yes")

    assert set(words) == {word for held in before.values() for word in held}
    assert {} == holding(house.written(), house.home.parent, words)


def test_the_trash_takes_along_what_was_typed(house: Watched) -> None:
    """
    It comes back with the session, and is gone with the trash.
    """
    house.write({"say": "Yes."})
    with house.open() as window:
        ask(window, "canarysaid", "Yes.")
        window.press("ctrl-d")
        window.end()
    house.run("delete", KEY, "--trash")
    outside = {path for path in holding(house.written(), house.home, ["canarysaid"]) if "/trash/" not in path}
    house.run("trash", "restore", KEY)
    typed = house.run("history", "list", KEY)
    house.run("delete", KEY, "--trash")
    house.run("trash", "empty", "--yes")

    assert set() == outside
    assert "canarysaid\n" == typed
    assert {} == holding(house.written(), house.home.parent, ["canarysaid"])


def test_where_nothing_is_kept_nothing_is_written(house: Watched) -> None:
    """
    Without persistence no file holds a word of what was said, answered or typed, while the chat runs or after it.
    """
    house.configure("persistence = false\n")
    house.write({"say": "I heard canaryreply."})
    with house.chat() as window:
        window.wait_for("not kept")
        window.say("canarysaid")
        window.wait_for("I heard canaryreply.")
        window.type("canarytyped")
        window.wait_for(f"{MARK} canarytyped")
        window.watch(0.5)
        during = holding(house.written(), house.home.parent, ["canary"])
        window.press("ctrl-c", "ctrl-d")
        window.end()

    assert {} == during == holding(house.written(), house.home.parent, ["canary"])
