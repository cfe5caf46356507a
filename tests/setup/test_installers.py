"""The program installed with pip, pipx and uv, for real: it works, and its messages name commands that work."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.setup.checkout import Person, copy_checkout

BASE = f"{sys.base_prefix}/bin/python3"


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody without a key, an Ollama or anything installed."""
    return Person(tmp_path / "home", PYTHON=BASE)


def installed_with(tool: str, person: Person, project: Path) -> Path:
    """Install the checkout into an empty environment; gives the command."""
    home, tools = person.home, project.parent / "tools"
    person.environment["PATH"] = f"{tools / 'bin'}:{person.environment['PATH']}"
    person.environment |= {
        "UV_CACHE_DIR": str(home / "uv"),
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_PYTHON": BASE,
        "UV_SYSTEM_CERTS": "true",  # pip reads the certificates of the machine too
    }
    environment = home / "env with a blank"
    steps: list[list[str | Path]]
    match tool:
        case "pip":
            steps = [[BASE, "-m", "venv", environment], [environment / "bin" / "python", "-m", "pip", "install", "."]]
            command = environment / "bin" / "holdfast"
        case "pipx":
            steps = [["pipx", "install", "--backend", "pip", "--python", BASE, "."]]
            command = home / ".local" / "bin" / "holdfast"
        case "uv tool":
            steps = [["uv", "tool", "install", "."]]
            command = home / ".local" / "bin" / "holdfast"
        case _:
            steps = [["make", "install"], [home / ".local/share/holdfast/venv/bin/python", *REMOVE]]
            command = home / ".local" / "bin" / "holdfast"
    if tool in {"pipx", "uv tool"}:
        steps.insert(0, [BASE, "-m", "venv", tools])
        steps.insert(1, [tools / "bin" / "python", "-m", "pip", "install", "--quiet", tool.removesuffix(" tool")])
    for step in steps:
        ran = person.type(*step, folder=project)
        assert 0 == ran.returncode, ran.stdout
    return command


REMOVE = ("-m", "pip", "uninstall", "--yes", "--quiet", "xllamacpp")


@pytest.mark.parametrize("tool", ["pip", "pipx", "uv tool", "make install"])
def test_the_command_that_a_message_names_works_as_typed(tool: str, person: Person, tmp_path: Path) -> None:
    """
    Without a model the program says what adds the demo model's packages here; whoever types that has them.
    """
    command = installed_with(tool, person, copy_checkout(tmp_path / "project"))
    workspace = person.home / "work"
    workspace.mkdir()

    asked = person.type(command, "-p", "Hello", folder=workspace)
    found = re.search(r"`([^`]*xllamacpp[^`]*)`", asked.stdout)

    assert found is not None, asked.stdout
    assert 1 == asked.returncode
    assert "Traceback" not in asked.stdout
    typed = subprocess.run(
        ["sh", "-c", found[1]], cwd=workspace, env=person.environment, capture_output=True, text=True, check=False
    )
    assert 0 == typed.returncode, typed.stderr
    checked = person.type(command, "doctor", folder=workspace)
    assert "xllamacpp: the built-in demo model" in checked.stdout, shlex.quote(found[1])
    assert "pydantic_ai is not installed" in checked.stdout
