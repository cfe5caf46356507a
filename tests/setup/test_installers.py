"""The program installed with pip, pipx and uv, for real: it works, and its messages name commands that work."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.first_hour.services import KEYS, ollama, stand_ins, words
from tests.hosts.terminal.ptys import Terminal
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


def silent_services(command: Path, person: Person, workspace: Path) -> Iterator[str]:
    """What the program says for each service that does not answer through it."""
    with stand_ins() as addresses, ollama() as host:
        file = person.home / ".config" / "holdfast" / "config.toml"
        file.parent.mkdir(parents=True)
        file.write_text("".join(["[endpoints]\n", *(f'{name} = "{at}"\n' for name, at in addresses.items())]))
        asked = {service: {variable: key} for service, (variable, key) in KEYS.items()}
        for service, variables in {**asked, "ollama": {"OLLAMA_HOST": host}}.items():
            ran = person.type(command, "-p", "Hello", folder=workspace, **variables)
            if words(service) not in ran.stdout or ran.returncode:
                yield f"{service}: {ran.stdout}"
        file.unlink()


REMOVE = ("-m", "pip", "uninstall", "--yes", "--quiet", "xllamacpp")


@pytest.mark.parametrize("tool", ["pip", "pipx", "uv tool", "make install"])
def test_what_is_installed_works_and_names_commands_that_work(tool: str, person: Person, tmp_path: Path) -> None:
    """
    It opens the chat and talks to four services with nothing else installed; what adds the demo model is named.
    """
    command = installed_with(tool, person, copy_checkout(tmp_path / "project"))
    workspace = person.home / "work"
    workspace.mkdir()
    assert [] == list(silent_services(command, person, workspace))
    with Terminal(
        ["sh", "-c", f"exec {shlex.quote(str(command))}"],
        env={**person.environment, "TERM": "xterm-256color"},
        cwd=workspace,
    ) as window:
        window.wait_for("Holdfast", "saved ✓")
        window.press("ctrl-d")
        assert 0 == window.end()

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
