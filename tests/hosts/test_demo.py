"""`make run`: a conversation survives a real kill."""

import subprocess
import sys
from pathlib import Path

from tests.hosts.processes import environment


def test_the_demonstration_kills_a_writer_and_loses_nothing(tmp_path: Path) -> None:
    """
    A child is killed in the middle of its writing, the session goes on, and the folder is removed afterwards.
    """
    env = environment(tmp_path / "unused", TMPDIR=str(tmp_path))
    command = [sys.executable, "-W", "error", "-m", "holdfast.hosts.demo"]
    ran = subprocess.run(command, check=False, env=env, capture_output=True, text=True, timeout=120)

    assert (0, "") == (ran.returncode, ran.stderr)
    assert "kill -9" in ran.stdout
    assert "Nothing that was acknowledged is lost." in ran.stdout
    assert "Yes. The launch is on Friday." in ran.stdout
    assert [] == list(tmp_path.iterdir())
    assert 80 >= max(map(len, (line for line in ran.stdout.splitlines() if "crc" not in line)))
