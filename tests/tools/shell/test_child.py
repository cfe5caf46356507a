"""Work in a process of its own: it answers, it is killed, and it ends by itself."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.tools.shell.child import child
from tests.tools.calling import fill

BUSY = """
import sys
from holdfast.tools.shell.child import job_of
job_of(sys.argv, seconds=0.3, memory=1 << 40)
import re
re.match(r"(a+)+$", "a" * 60 + "!")
"""

GREEDY = """
import sys
from holdfast.tools.shell.child import answer, job_of
job_of(sys.argv, seconds=20, memory=1 << 29)
try:
    bytearray(1 << 30)
except MemoryError:
    answer(failed=True)
"""


def test_a_child_ends_by_itself() -> None:
    """
    A child whose time is over ends even if nobody is left to kill it, also in the middle of an expression.
    """
    ended = subprocess.run([sys.executable, "-c", BUSY, "{}"], check=False, timeout=20)

    assert -signal.SIGALRM == ended.returncode


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not bound the memory of a process")
def test_a_child_is_bounded_in_memory() -> None:
    """
    A child cannot take the memory of the machine.
    """
    ended = subprocess.run([sys.executable, "-c", GREEDY, "{}"], check=True, timeout=20, capture_output=True)

    assert {"failed": True} == json.loads(ended.stdout)


async def test_a_child_that_breaks_down_has_no_answers() -> None:
    """
    A child that cannot even start ends without a word.
    """
    async with child("holdfast.tools.no_such_module", {}) as answers:
        assert [] == [each async for each in answers]


async def test_leaving_kills_at_once() -> None:
    """
    Who does not read to the end does not wait for it either.
    """
    job = {"root": "/", "path": ".", "kind": "folder", "pattern": "(x+)+y", "literal": False, "ignore_case": False}

    async with (
        asyncio.timeout(60),  # all files of this machine take far longer
        child(
            "holdfast.tools.files.grep_process",
            {**job, "glob": "", "context": 0, "secrets": False, "private": [], "folders": []},
        ),
    ):
        await asyncio.sleep(0)


async def test_half_a_line_is_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A child that was ended in the middle of a line has said what came before it.
    """
    fill(tmp_path, {"halves/__init__.py": "", "halves/__main__.py": "print('{}\\n{\"a\": ', end='')"})
    monkeypatch.setattr("holdfast.tools.shell.child.SOURCE", str(tmp_path))

    async with child("halves", {}) as answers:
        assert [{}] == [each async for each in answers]
