"""What somebody new does, from the clone to the first answer, a second start, and three keys of their own.

Each step is a command line typed on a machine, and what has to be seen then. What the program names as the
command that helps is typed as it stands, and counted. The screens are kept, so that a person can read them.
"""

import re
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.hosts.terminal.draw.activity import PROMPT
from tests.first_hour.machines import Machine
from tests.first_hour.services import KEYS, words
from tests.hosts.terminal.ptys import Terminal

PATIENCE = 900.0
"""Seconds until a step that installs something has failed."""
QUESTION = "Hello! Who are you?"
NOTHING: Mapping[str, str] = {}
AGAIN = "Tell me about the sea."
_ASKED = re.compile(r"\[y/n\]|\(y/n\)|y yes · n no|password:", re.IGNORECASE)
"""How a program asks the person something that has to be answered."""
_AROUND = re.compile(r"^(?:The built-in demo model is fetched now|The conversation is kept as)[^\n]*$", re.MULTILINE)
"""Lines of the program around an answer."""
_ROOT = re.compile(r"as root: `?(apt-get update && apt-get install -y [\w.+-]*\w)")
_COMMAND = re.compile(r"`([^`]*xllamacpp[^`]*)`")


class Step(NamedTuple):
    """One step on one machine."""

    machine: str
    name: str
    seconds: float
    typed: int
    """Command lines typed, with those that a message named."""
    prompts: int
    """Questions of programs that had to be answered."""
    failure: str = ""


class Failed(Exception):
    """A step did not end as it should; the text is what was to be seen."""


@dataclass
class Journey:
    """One person on one machine."""

    machine: Machine
    addresses: Mapping[str, str]
    transcript: list[str] = field(default_factory=list)
    typed: int = 0
    prompts: int = 0

    def steps(self) -> Iterator[Step]:
        """Do everything, in its order; ends after a step that failed."""
        plan = self._with_pip() if self.machine.is_own is False else self._with_make()
        for name, work in plan:
            self.typed = self.prompts = 0
            began, failure = time.monotonic(), ""
            try:
                work()
            except (Failed, AssertionError, subprocess.TimeoutExpired) as error:
                failure = str(error)
            yield Step(self.machine.name, name, time.monotonic() - began, self.typed, self.prompts, failure)
            if failure:
                return

    def _with_make(self) -> Iterator[tuple[str, Callable[[], object]]]:
        run = "cd holdfast && make -s run"
        yield "clone", lambda: self.type(f"git clone -q {self.machine.source} holdfast")
        yield "first answer", lambda: self.first_answer(run)
        yield "second start", lambda: self.talk(run, AGAIN, sees=QUESTION)
        for service in KEYS:
            yield f"key of {service}", lambda service=service: self.key(f"{run} ARGS={{}}", service)  # type: ignore[misc]
        yield "make install", lambda: self.type("cd holdfast && make -s install")
        yield "without the clone", lambda: self.key("rm -rf holdfast; ~/.local/bin/holdfast {}", "openai")

    def _with_pip(self) -> Iterator[tuple[str, Callable[[], object]]]:
        run = "env/bin/holdfast"
        yield "clone", lambda: self.type(f"git clone -q {shlex.quote(self.machine.source)} holdfast")
        yield "pip install .", lambda: self.type("python3 -m venv env && cd holdfast && ../env/bin/pip install -q .")
        yield "first answer", lambda: self.first_answer(run)
        yield "second start", lambda: self.talk(run, AGAIN, sees=QUESTION)
        for service in KEYS:
            yield f"key of {service}", lambda service=service: self.key(f"{run} {{}}", service)  # type: ignore[misc]

    def type(self, line: str, *, root: bool = False, more: Mapping[str, str] = NOTHING) -> str:
        """Type a command line; what is seen then. Raises `Failed` if it fails."""
        self.typed += 1
        ran = subprocess.run(
            self.machine.command(line, root=root),
            env={**self.machine.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        self._keep(f"{'#' if root else '$'} {line}", ran.stdout)
        if ran.returncode:
            raise Failed(f"{line}: exit code {ran.returncode}: {ran.stdout[-500:]}")
        return ran.stdout

    def first_answer(self, line: str) -> None:
        """Start, and say something; where the program names what is missing, type that and start again."""
        for _ in range(3):
            try:
                self.talk(line, QUESTION)
            except Failed as failed:
                screen = " ".join(str(failed).split())
                if found := _ROOT.search(screen):
                    self.type(found[1], root=True)
                elif found := _COMMAND.search(screen):
                    self.type(found[1])
                else:
                    raise
            else:
                return
        raise Failed("what the program named did not help")

    def talk(self, line: str, text: str, *, sees: str = "") -> None:
        """Open the chat, say something, wait for the answer, and leave."""
        self.typed += 1
        with Terminal(self.machine.command(line), env=self.machine.environment, columns=100, rows=40) as window:
            try:
                window.wait_until(lambda: _is_rested(window.lines), "the chat to open", PATIENCE)
                window.wait_for(*([sees] if sees else []))
                before = _times_asked(window.transcript, text)
                window.say(text)
                window.wait_until(lambda: _is_over(window, text, before), "an answer", PATIENCE)
                window.press("ctrl-d")
                code = window.end()
            finally:
                seen = window.transcript
                self._keep(f"$ {line}", seen)
        if code or not answer_to(text, seen):
            raise Failed(f"no answer to {text!r}: exit code {code}: {seen}")

    def key(self, line: str, service: str) -> None:
        """Ask a service with a key, and a question on the command line."""
        settings = "".join(f'{name} = "{address}"\n' for name, address in self.addresses.items())
        self.machine.write(".config/holdfast/config.toml", f"[endpoints]\n{settings}")
        variable, key = KEYS[service]
        question = '-p "Hello"'
        try:
            said = self.type(line.format(shlex.quote(question) if "ARGS" in line else question), more={variable: key})
        finally:
            self.machine.write(".config/holdfast/config.toml", "")
        if words(service) not in said or key in said:
            raise Failed(f"{service} did not answer: {said}")

    def _keep(self, line: str, said: str) -> None:
        self.prompts += len(_ASKED.findall(said))
        self.transcript.append(f"{line}\n{said.rstrip()}\n")


def _is_rested(lines: Sequence[str]) -> bool:
    """Whether the line below the input says that everything is saved, and nothing runs."""
    last = next((line for line in reversed(lines) if line), "")
    return last.endswith("✓") and " s ·" not in last


def _is_over(window: Terminal, text: str, before: int) -> bool:
    """Whether what was said stands on the screen once more than before, and whatever followed is over."""
    transcript = window.transcript
    is_input_empty = transcript.rpartition(f"\n{PROMPT.strip()}")[2].partition("\n")[0].strip() == ""
    asked = _times_asked(transcript, text) > before
    return asked and is_input_empty and _is_rested(window.lines) and bool(_after(transcript, text))


def _times_asked(transcript: str, text: str) -> int:
    """How often a question stands on the screen, the input included."""
    return transcript.count(f"{PROMPT}{text}")


def _after(transcript: str, text: str) -> str:
    """What stands between the newest question and the input."""
    behind = transcript.rpartition(f"{PROMPT}{text}\n")[2]
    return behind.split(f"\n{PROMPT.strip()}")[0].strip()


def answer_to(text: str, transcript: str) -> str:
    """The answer to a question on a screen that was left; nothing if the turn failed or was stopped."""
    if f"{PROMPT}{text}\n" not in transcript:
        return ""
    behind = _AROUND.sub("", _after(transcript, text)).strip()
    return "" if re.search(r"^[✗■]|cannot be loaded|not installed", behind, re.MULTILINE) else behind
