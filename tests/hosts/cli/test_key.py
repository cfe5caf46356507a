"""`holdfast key`: a key is given once, tried, kept and used, and never seen again."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from tests.hosts.processes import COMMAND, Answer, Seen, on_terminal
from tests.providers.anthropic_server import KEY, anthropic, message, text
from tests.providers.stand_in import StandIn

WRONG = "sk-ant-this-key-is-wrong-9f8e7d"
QUIET = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "xterm", "OLLAMA_HOST": "127.0.0.1:9"}


class Person:
    """Somebody with a fresh home and a service that stands in for Anthropic."""

    def __init__(self, home: Path, port: int) -> None:
        self.home, self.seen = home, b""
        self.work = home / "work"
        self.work.mkdir()
        self.environment = {**QUIET, "HOME": str(home), "PATH": os.environ["PATH"]}
        folder = home / ".config" / "holdfast"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(f'endpoints.anthropic = "http://127.0.0.1:{port}"\n')

    def run(self, *words: str, piped: str = "", **more: str) -> "subprocess.CompletedProcess[bytes]":
        """Run the command through pipes."""
        ran = subprocess.run(
            [*COMMAND, *words],
            check=False,
            cwd=self.work,
            env={**self.environment, **more},
            input=piped.encode(),
            capture_output=True,
            timeout=60,
        )
        self.seen += ran.stdout + ran.stderr
        return ran

    def type(self, *words: str, answers: tuple[Answer, ...] = ()) -> Seen:
        """Run it on a terminal."""
        seen = on_terminal(["env", "-C", str(self.work), *COMMAND, *words], self.environment, answers=answers)
        self.seen += seen.text.encode()
        return seen

    @property
    def file(self) -> Path:
        """The file with keys."""
        return self.home / ".config" / "holdfast" / "keys.json"

    def places_of(self, key: str) -> list[Path]:
        """Every file in the home that holds a key."""
        files = [each for each in self.home.rglob("*") if each.is_file()]
        return [each for each in files if key.encode() in each.read_bytes()]


@contextmanager
def service(answers: int) -> Iterator[StandIn]:
    """A service in a thread of its own that says so many times that it is ready."""
    there = anthropic(*(message(text("Ready.")) for _ in range(answers)))
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(there.__aenter__(), loop).result()
    try:
        yield there
    finally:
        asyncio.run_coroutine_threadsafe(there.__aexit__(None, None, None), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_a_key_is_given_once_and_used(tmp_path: Path) -> None:
    """
    From a pipe: it is tried with one request and kept, names its service in the list, and the next start uses it.
    """
    with service(2) as there:
        person = Person(tmp_path, there.port)
        added = person.run("key", "add", "anthropic", piped=f"export ANTHROPIC_API_KEY='{KEY}'\n")
        asked = len(there.asked)
        listed = person.run("key", "list")
        answered = person.run("-p", "Are you there?")

    assert (0, 1) == (added.returncode, asked), added.stderr
    assert b"It works." in added.stdout
    assert b"anthropic" in listed.stdout
    assert b"Ready." in answered.stdout, answered.stderr
    assert b"Model: anthropic:" in answered.stderr
    assert 0o600 == person.file.stat().st_mode & 0o777
    assert KEY.encode() not in person.seen
    assert [person.file] == person.places_of(KEY)


def test_a_key_that_is_typed_is_not_shown(tmp_path: Path) -> None:
    """
    On a terminal it is asked for, and neither echoed nor written into any file but its own.
    """
    with service(2) as there:
        person = Person(tmp_path, there.port)
        seen = person.type("key", "add", "anthropic", answers=(Answer("not shown", f"{KEY}\n"),))
        person.type("-p", "Are you there?")

    assert 0 == seen.code, seen.text
    assert "It works." in seen.text
    assert KEY.encode() not in person.seen
    assert [person.file] == person.places_of(KEY)


def test_a_wrong_key_is_not_kept(tmp_path: Path) -> None:
    """
    What the service says is told, and what to do.
    """
    with service(1) as there:
        person = Person(tmp_path, there.port)
        added = person.run("key", "add", "anthropic", piped=WRONG)

    assert 1 == added.returncode
    assert b"Nothing is kept." in added.stderr
    assert b"holdfast key add anthropic" in added.stderr
    assert not person.file.exists()
    assert WRONG.encode() not in person.seen


def test_a_key_is_kept_where_it_cannot_be_tried(tmp_path: Path) -> None:
    """
    Without a network it may be right all the same; that it was not tried is said.
    """
    person = Person(tmp_path, 9)
    added = person.run("key", "add", "anthropic", piped=KEY)

    assert 0 == added.returncode
    assert b"It could not be tried" in added.stderr
    assert [person.file] == person.places_of(KEY)


def test_a_key_is_removed(tmp_path: Path) -> None:
    """
    No byte of it stays; removing it twice is an error.
    """
    person = Person(tmp_path, 9)
    person.run("key", "add", "anthropic", piped=KEY)
    removed, again = person.run("key", "remove", "anthropic"), person.run("key", "remove", "anthropic")

    assert (0, 3) == (removed.returncode, again.returncode)
    assert [] == person.places_of(KEY)
    assert b"No key is kept" in person.run("key").stderr
    assert b'"keys": []' in person.run("key", "--json").stdout


def test_the_environment_counts_before_a_kept_key(tmp_path: Path) -> None:
    """
    It is said when a key is kept or removed, and the list shows both.
    """
    person = Person(tmp_path, 9)
    added = person.run("key", "add", "anthropic", piped=KEY, ANTHROPIC_API_KEY=WRONG)
    listed = person.run("key", "list", ANTHROPIC_API_KEY=WRONG)
    removed = person.run("key", "remove", "anthropic", ANTHROPIC_API_KEY=WRONG)

    assert b"counts before it" in added.stderr
    assert 2 == listed.stdout.count(b"ANTHROPIC_API_KEY")
    assert b"still set in the environment" in removed.stderr
    assert WRONG.encode() not in person.seen


@pytest.mark.parametrize(
    "words",
    [
        ("add", "anthropic", WRONG),
        ("add", WRONG),
        (WRONG,),
        ("add", f"--key={WRONG}", "anthropic"),
        ("remove", WRONG),
        ("list", WRONG),
    ],
)
def test_a_key_on_the_command_line_is_refused_without_being_shown(words: tuple[str, ...], tmp_path: Path) -> None:
    """
    A shell has it in its history by then, so it is said not to do it; no message repeats it.
    """
    person = Person(tmp_path, 9)
    ran = person.run("key", *words)

    assert 2 == ran.returncode
    assert WRONG.encode() not in person.seen
    assert not person.file.exists()


@pytest.mark.parametrize("piped", ["", "\n", "two words", "sk-ant-\x1b[2J", "schlüssel", "x" * 5_000])
def test_what_is_no_key_is_refused(piped: str, tmp_path: Path) -> None:
    """
    Nothing is kept, and what was given is not repeated.
    """
    person = Person(tmp_path, 9)
    ran = person.run("key", "add", "openai", piped=piped)

    assert (2, False) == (ran.returncode, person.file.exists())
    assert b"nothing is kept" in ran.stderr


def test_a_service_must_be_named(tmp_path: Path) -> None:
    """
    The services that have keys are listed.
    """
    ran = Person(tmp_path, 9).run("key", "add")

    assert 2 == ran.returncode
    assert b"anthropic, openai, google" in ran.stderr
