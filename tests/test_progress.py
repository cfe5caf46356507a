"""What `make test` prints while it runs."""

import re
import subprocess
import sys
from pathlib import Path

from tests.progress import Progress

ROOT = Path(__file__).resolve().parents[1]
WAITING = """
import pathlib, subprocess, sys, pytest

def test_one():
    pass

@pytest.mark.parametrize("number", range(3))
def test_many(number):
    assert number != 1

def test_skipped():
    pytest.skip("not here")

def test_two():
    subprocess.run(["sh", "-c", f"until [ -e {sys.argv[-1]} ]; do sleep 0.05; done"], check=True)
"""
FAST = """
import tests.progress
tests.progress.EVERY = tests.progress.LONG = 0.01
"""


def test_what_is_told_names_the_share_and_what_is_waited_for() -> None:
    """
    One line says how far it is; each test that runs for long has a line of its own, the longest first.
    """
    progress = Progress(began=100.0, found=200, over=25, failed=1)
    progress.running = {"tests/a.py::test_quick": 159.0, "tests/b.py::test_b": 150.0, "tests/c.py::test_c": 90.0}

    assert [
        " 12 %  25 of 200 tests, 1 failed, 1 min 00 s",
        "       waiting for tests/c.py::test_c (1 min 10 s)",
        "       waiting for tests/b.py::test_b (10 s)",
    ] == progress.lines(160.0)


def test_before_the_tests_are_found_this_is_told() -> None:
    """
    Looking for the tests takes long on a busy machine, and is no silence.
    """
    assert ["looking for tests, 21 s"] == Progress(began=100.0).lines(121.9)


def test_a_run_that_is_no_terminal_tells_what_it_waits_for(tmp_path: Path) -> None:
    """
    The test that runs is named while it runs, what failed is named at once, and there are no dots.
    """
    (tmp_path / "test_some.py").write_text(WAITING.replace("sys.argv[-1]", repr(str(tmp_path / "go"))))
    (tmp_path / "fast.py").write_text(FAST)
    (tmp_path / "pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    plugins = ["-p", "tests.progress", "-p", "fast"]
    command = [sys.executable, "-m", "pytest", *plugins, "-n2", "-q", "test_some.py"]
    env = {"PYTHONPATH": f"{ROOT}:{tmp_path}", "PATH": "/usr/bin:/bin"}

    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        told = ""
        while not re.search(r"8[03] %.*\n +waiting for test_some.py::test_two", told):
            line = run.stdout.readline()
            assert line, told
            told += line
        (tmp_path / "go").touch()
        told += run.stdout.read()

    assert 1 == run.returncode
    assert "FAILED test_some.py::test_many[1]\n" in told
    assert "1 failed, 4 passed, 1 skipped" in told
    assert not re.search(r"^[.FsE]+( |$)", told.partition("= FAILURES =")[0], re.MULTILINE)
    assert "FAILED test_some.py::test_many[1] - assert 1 != 1" in told
