"""Every example on the pages that nobody follows from the top runs, as it stands; `test_followed.py` has the others."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Described, ModelReplied, Text, open_store
from tests.docs.followed import PAGES as FOLLOWED
from tests.docs.pages import PAGES, ROOT, Block, Program, blocks, programs

REST = [page for page in PAGES if page not in FOLLOWED]
PROGRAMS = [each for page in REST for each in programs(page)]
SHELL_PAGES = [page for page in REST if any(block.language in {"sh", "console"} for block in blocks(page))]


def place(value: Program | Path) -> str:
    """Where an example stands."""
    return value.place if isinstance(value, Program) else str(value.relative_to(ROOT))


TYPED = {"holdfast key add": "sk-example-0123456789"}
"""What a person types when a command asks for it."""
NOWHERE = "http://127.0.0.1:9/v1"


def run(command: list[str], home: Path) -> "subprocess.CompletedProcess[str]":
    """Run something in a folder of a home, where nothing of this machine is known but the way to its programs."""
    here = home / "project"
    here.mkdir(exist_ok=True)
    env = {"HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    env["OPENAI_BASE_URL"] = NOWHERE
    return subprocess.run(command, check=False, cwd=here, env=env, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("program", PROGRAMS, ids=place)
def test_a_python_example_runs_as_it_stands(program: Program, tmp_path: Path) -> None:
    """
    Who copies an example gets a program that runs, without warnings, and prints what the page says.
    """
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "example.py").write_text(program.text)

    ran = run([sys.executable, "-W", "error", "example.py"], tmp_path)

    assert (0, "") == (ran.returncode, ran.stderr)
    assert program.prints in {None, ran.stdout}


async def converse(path: Path) -> None:
    """Two sessions that the examples can name: `notes` is a long one, `team:alice` a short one."""
    async with open_store(path, durability="os") as store:
        async with store.session("notes") as session:
            await session.append(Described(title="The boat", tags=("work",)))
            for number in range(70):
                await session.say(f"Question {number}: where is the harbour?")
                await session.append(ModelReplied(parts=(Text(text="By the sea."),), model="example-1"))
        async with store.session("team:alice") as session:
            await session.say("Remember: the launch is on Friday.")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a store in it, and the command."""
    asyncio.run(converse(tmp_path / ".holdfast"))
    (tmp_path / "bin").mkdir()
    shim = tmp_path / "bin" / "holdfast"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -W error -m holdfast.hosts.main "$@"\n')
    shim.chmod(0o700)
    return tmp_path


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a block, with the pattern of exit codes it may have."""
    lines = block.text.split("\n")
    if block.language == "console":
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    found = [line for line in lines if line and not line.startswith(("#", "make "))]
    # Without a terminal to ask on, a command that asks removes nothing and says so with 6.
    for index, line in enumerate(found):
        last = index == len(found) - 1 and block.mark.startswith("exits ")
        typed = next((keys for begin, keys in TYPED.items() if line.startswith(begin)), "")
        yield f"echo '{typed}' | {line}" if typed else line, block.mark.removeprefix("exits ") if last else "0|6"


@pytest.mark.parametrize("page", SHELL_PAGES, ids=place)
def test_the_commands_on_a_page_run_in_their_order(page: Path, home: Path) -> None:
    """
    Who types what a page says, from top to bottom, sees it work.
    """
    typed = [block for block in blocks(page) if block.language in {"sh", "console"} and block.mark != "installs"]
    found = [each for block in typed for each in commands(block)]
    if any("jq" in line for line, _ in found) and shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    script = "".join(
        f"{line}\ncase $? in {codes}) ;; *) printf '%s\\n' {number} >&2; exit 1;; esac\n"
        for number, (line, codes) in enumerate(found)
    )

    ran = run(["sh", "-c", script], home)

    assert 0 == ran.returncode, (found[int(ran.stderr.split()[-1])], ran.stderr)


def test_the_first_example_is_short() -> None:
    """
    The first example of README fits into one look.
    """
    first = next(block for block in blocks(ROOT / "README.md") if block.language == "python")

    assert 12 >= first.text.count("\n")
