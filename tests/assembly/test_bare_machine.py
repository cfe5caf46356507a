"""The command on a machine without a key, a network, a sandbox or a model: it says what is missing, and what to do."""

import json
import socket
import subprocess
from pathlib import Path

import pytest

from tests.hosts.processes import COMMAND, PATIENCE


class Machine:
    """A machine with nothing on it."""

    def __init__(self, folder: Path) -> None:
        self.home, self.work = folder / "home", folder / "work"
        for each in (self.home, self.work, folder / "bin"):
            each.mkdir()
        # Whoever wants out meets a port where nobody listens.
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
        self.environment = {
            "HOME": str(self.home),
            "PATH": str(folder / "bin"),
            "LC_ALL": "C.UTF-8",
            "HTTPS_PROXY": nobody,
            "HTTP_PROXY": nobody,
            "ALL_PROXY": nobody,
            "OLLAMA_HOST": nobody,
        }

    def run(self, *words: str) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        ran = subprocess.run(
            [*COMMAND, *words],
            cwd=self.work,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with nothing on it."""
    return Machine(tmp_path)


def test_a_question_ends_with_what_is_missing(machine: Machine) -> None:
    """
    Nothing on standard output, no traceback, exit code 1, and what was asked is in the log.
    """
    code, out, err = machine.run("-p", "Hello?", "--session", "s")

    assert (1, "") == (code, out), err
    assert "Traceback" not in err
    assert "local:" in err
    assert "failed:" in err
    shown = machine.run("show", "s")
    assert "Hello?" in shown[1]


def test_a_program_is_told_in_its_own_form(machine: Machine) -> None:
    """
    One object, with why.
    """
    code, out, err = machine.run("-p", "Hello?", "--output", "json")
    told = json.loads(out)

    assert (1, "failed", "") == (code, told["why"], told["answer"]), err
    assert told["note"]


def test_the_doctor_says_what_is_missing_and_how_to_mend_it(machine: Machine) -> None:
    """
    The built-in demo model would answer once it is fetched, and commands are not shut in.
    """
    code, out, err = machine.run("doctor")

    assert "Traceback" not in out + err
    assert "local:" in out
    assert "MB" in out
    assert "bubblewrap" in out
    assert code in {0, 1}, out


def test_the_doctor_asks_the_model_when_told_to(machine: Machine) -> None:
    """
    That it cannot be fetched is a problem, with what to do.
    """
    code, out, _ = machine.run("doctor", "--ask")

    assert 1 == code, out
    assert "Traceback" not in out
