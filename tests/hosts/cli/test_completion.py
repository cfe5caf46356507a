"""Shell completion, asked for by real shells."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast.commands.shell_table import IN_SHELL as COMMANDS
from holdfast.hosts.cli.completion import candidates
from tests.hosts.conftest import Shell
from tests.hosts.processes import Answer, environment, on_terminal

# Whoever may install programs has all shells (setup/packages.py); others test those they have.
SHELLS = [name for name in ("bash", "zsh", "fish") if shutil.which(name) or os.geteuid() == 0]
START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
BEGIN = {
    "bash": "source <(holdfast completion bash)",
    "zsh": "autoload -U compinit; compinit -u -D; source <(holdfast completion zsh)",
    "fish": "holdfast completion fish | source",
}


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A search path on which the command is found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "holdfast"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m holdfast.hosts.main "$@"\n')
    command.chmod(0o700)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.parametrize("name", SHELLS)
@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("holdfast rena\tnotes 'One'", "One"),
        ("holdfast rename not\t 'Two'", "Two"),
        ("holdfast rename team:al\t 'Three'", "Three"),
        ("holdfast rename with\t 'Four'", "Four"),
    ],
    ids=["a command", "a key", "a colon", "spaces"],
)
def test_a_tab_completes(shell: Shell, path: str, name: str, typed: str, title: str) -> None:
    """
    In each shell a tab finishes commands and keys, and what it finished is what the command gets.
    """
    for key in ("notes", "team:alice", "with space"):
        shell.say(key, "hello")
    env = environment(shell.store, PATH=path, HOME=str(shell.store), TERM="dumb")
    answers = [
        Answer("", f"{BEGIN[name]}; echo rea''dy\n"),
        Answer("ready", f"{typed}; echo do''ne\n"),
        Answer("done", "exit\n"),
    ]

    seen = on_terminal(START[name], env, answers=answers)

    assert f"is now called {title}." in seen.text


def complete(shell: Shell, path: str, line: str) -> list[str]:
    """What bash offers for a line."""
    script = (
        f"source <(holdfast completion bash); COMP_LINE={shlex.quote(line)}; COMP_POINT=${{#COMP_LINE}};"
        ' _holdfast; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    env = environment(shell.store, PATH=path)
    ran = subprocess.run(["bash", "-c", script], check=True, env=env, capture_output=True, text=True)
    return ran.stdout.splitlines()


def test_bash_is_told_about_open_quotes_and_word_breaks(shell: Shell, path: str) -> None:
    """
    Inside quotes bash gets bare words, outside quoted ones; after a colon only what follows it.
    """
    for key in ("with space", "team:alice", "中文"):
        shell.say(key, "hello")

    assert ["'with space'"] == complete(shell, path, "holdfast show wi")
    assert ["with space"] == complete(shell, path, "holdfast show 'wi")
    assert ["with space"] == complete(shell, path, 'holdfast show "with s')
    assert ["alice"] == complete(shell, path, "holdfast show team:")
    assert ["'中文'"] == complete(shell, path, "holdfast show 中")


def test_no_control_character_is_offered(shell: Shell) -> None:
    """
    A key that a terminal could obey is never completed.
    """
    shell.say("bad\x1b[31m", "hello")
    shell.say("bare", "hello")

    assert "bare\n" == shell("__complete", "fish", "show", "ba").out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ([""], [*(command.name for command in COMMANDS), "--help", "--store", "--version"]),
        (["nope", ""], []),
        (["--store", ""], ["<files>"]),
        (["--store", "x", "trash", ""], ["list", "restore", "empty", "sweep"]),
        (["export", "notes", "--format", ""], ["md", "html", "json", "jsonl"]),
        (["export", "notes", "--output", ""], ["<files>"]),
        (["where", "-"], ["--help", "--store", "--json"]),
        (["where", "notes", ""], ["--help", "--store", "--json"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
    ],
)
def test_each_place_offers_what_fits(typed: Sequence[str], offered: Sequence[str]) -> None:
    """
    Commands, options, choices and files are offered where they can stand.
    """
    assert list(offered) == list(candidates(typed))


def test_tags_and_trash_are_completed(notes: Shell) -> None:
    """
    A tag is offered with the sign that was typed, and what lies in the trash by its key.
    """
    notes("tag", "notes", "+sea")
    assert "-sea\n" == notes("__complete", "zsh", "tag", "notes", "-").out
    assert "sea\n" == notes("__complete", "zsh", "sessions", "--tag", "").out
    notes("delete", "notes", "--trash")

    assert "notes\n" == notes("__complete", "zsh", "trash", "restore", "").out
    assert "" == notes("__complete", "zsh", "show", "").out


def test_completion_on_an_empty_store_is_silent(shell: Shell) -> None:
    """
    Nothing is offered, nothing is made, nothing is complained about.
    """
    assert (0, "", "") == shell("__complete", "zsh", "show", "")
    assert not shell.store.exists()
