"""Children that take turns: a short round each, again and again, so that drift of the machine hits all alike."""

import json
import os
import select
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Self

import msgspec

from bench.child import Job

_PATIENCE = 1_200.0


class Failed(Exception):
    """A child could not do its task; the text is the end of what it said."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What one contender showed in one row."""

    samples: tuple[float, ...]
    memory: int
    """Bytes: peak of the process above what it used once everything was imported."""


class Child:
    """A running contender, seen from the bench."""

    def __init__(self, command: Sequence[str], root: Path, job: Job) -> None:
        folder = Path(job.folder)
        folder.mkdir(parents=True)
        self._log = folder.with_suffix(".log")
        # A peer that keeps things in the home of its user must not find, nor touch, those of a real one.
        env = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'src'}", "HOME": str(folder)}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder, env=env
            )
        self._samples: list[float] = []
        self._ask(asdict(job))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def round(self, count: int, seconds: float) -> None:
        """One turn."""
        self._samples += self._ask({"round": count, "seconds": seconds})["samples"]

    def finish(self) -> Measured:
        """No more rounds: what came out."""
        memory = self._ask({"end": True})["memory"]
        self._process.wait(timeout=60)
        return Measured(samples=tuple(self._samples), memory=memory)

    def _ask(self, request: Mapping[str, object]) -> dict[str, Any]:
        stdin, stdout = _pipes(self._process)
        try:
            stdin.write(json.dumps(request) + "\n")
            stdin.flush()
        except BrokenPipeError:
            raise Failed(self._last_words()) from None
        ready, _, _ = select.select([stdout], [], [], _PATIENCE)
        answer = stdout.readline() if ready else ""
        if not answer:
            raise Failed(self._last_words())
        found: dict[str, Any] = json.loads(answer)
        return found

    def _last_words(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "it ended without a word, or took too long"


def _pipes(process: "subprocess.Popen[str]") -> tuple[IO[str], IO[str]]:
    if process.stdin is None or process.stdout is None:
        raise Failed("it has no pipes")
    return process.stdin, process.stdout


def take_turns(children: Iterable[Child], rounds: int, count: int, seconds: float) -> None:
    """Every child has `rounds` turns; the order is turned round each time, so that none is always first."""
    order = list(children)
    for _ in range(rounds):
        for child in order:
            child.round(count, seconds)
        order.reverse()
