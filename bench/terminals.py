"""The chat of Holdfast on a terminal: the real command, typed at and looked at as a person would."""

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from itertools import cycle
from pathlib import Path

from bench.building import KEY, store_in
from bench.child import Job, Task
from bench.on_terminal import Chat, Figure, OnTerminal, library
from bench.terminal_rows import DELTAS, KEY_TYPED, LIBRARY, PACE, PROCESSOR
from bench.texts import said

_PATH = "/usr/bin:/bin"
_PIECE = 24
"""Characters that a scripted model says at once."""
_LAST = "That was all of it."
_SCREEN = 9
"""Sessions that a first screen adds to the one that was there."""


def _command(store: Path, *words: str) -> list[str]:
    return [str(Path(sys.executable).with_name("holdfast")), "--store", str(store), *words]


def _environment(job: Job) -> Mapping[str, str]:
    """A home of its own, and a model that nobody asks anything."""
    return {"HOME": job.folder, "PATH": _PATH, "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}


def _chat(figure: Figure) -> Callable[[Job], Task]:
    """The chat on a copy of the session."""

    def task(job: Job) -> Task:
        store = job.path("store")
        shutil.copytree(store_in(job.template), store)
        return Chat(figure, _command(store, "--session", KEY), _environment(job), job.folder)

    return task


class Picker:
    """The list of all sessions, opened for the first time in a chat that is already there."""

    def __init__(self, job: Job, *, typing: bool) -> None:
        self._job, self._typing = job, typing
        self._store = job.path("store")
        shutil.copytree(store_in(job.template), self._store)
        self._sample()

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds until its first screen, or until a key that was typed is followed; a new chat for each list."""
        del seconds
        samples: list[float] = []
        while len(samples) < count:
            samples += self._sample()
        return samples

    def close(self) -> None:
        """Nothing is open."""

    def _sample(self) -> list[float]:
        command = _command(self._store, "--session", "looks on")
        with OnTerminal(command, _environment(self._job), self._job.folder) as chat:
            chat.wait_for_input()
            chat.wait_until_idle()
            took = self._opened(chat)
            return [self._followed(chat, key) for key in "team"] if self._typing else [took]

    def _opened(self, chat: OnTerminal) -> float:
        """The few of this workspace, and then, which takes another key, those of all."""
        asked = chat.type("/resume\r")
        few = chat.wait_for("search:") - asked
        chat.wait_until_idle()
        widened = chat.type("\x01")
        return few + chat.wait_for("messages", _SCREEN) - widened

    def _followed(self, chat: OnTerminal, key: str) -> float:
        chat.wait_until_idle()
        typed = chat.type(key)
        return chat.wait_for_anything() - typed


class Redraw:
    """A long reply in Markdown, streamed into a chat."""

    def __init__(self, job: Job) -> None:
        self._job = job
        script = job.path("script.jsonl")
        lines: list[object] = [[{"delay": PACE}, {"say": reply()}], {"say": "A long reply", "when": "title"}]
        script.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
        self._command = _command(job.path("store"), "--new", "--model", f"scripted:{script}")

    def round(self, count: int, seconds: float) -> list[float]:
        """Processor seconds for each delta."""
        del seconds
        return [self._sample() for _ in range(count)]

    def close(self) -> None:
        """Nothing is open."""

    def _sample(self) -> float:
        with OnTerminal(self._command, _environment(self._job), self._job.folder) as chat:
            chat.wait_for_input()
            chat.wait_until_idle()
            before = chat.processor_time()
            chat.type("Tell me everything.\r")
            chat.wait_for(_LAST)
            return (chat.processor_time() - before) / DELTAS


def reply() -> str:
    """A reply with everything that replies have, as long as so many deltas."""
    text, words = "", cycle(said())
    while len(text) < DELTAS * _PIECE:
        text += (
            f"## {next(words)[:40]}\n\n{next(words)} **{next(words)[:30]}** and `{next(words)[:20]}`.\n\n"
            f"- {next(words)[:120]}\n- {next(words)[:120]}\n\n"
            f"```python\ndef answer(question: str) -> int:\n    return {len(text)}  # as always\n```\n\n"
            f"| one | two |\n|---|---|\n| {next(words)[:20]} | {next(words)[:20]} |\n\n"
        )
    return f"{text[: DELTAS * _PIECE].rpartition(chr(10))[0]}\n\n{_LAST}"


def _picker(job: Job) -> Task:
    return Picker(job, typing=False)


def _key_typed(job: Job) -> Task:
    return Picker(job, typing=True)


TASKS: dict[str, Callable[[Job], Task]] = {
    "prompt": _chat("wall"),
    f"prompt {PROCESSOR}": _chat("processor"),
    f"prompt {LIBRARY}": lambda job: library("wall", job.folder),
    "picker": _picker,
    f"picker {KEY_TYPED}": _key_typed,
    "redraw": Redraw,
    "idle_memory": _chat("memory"),
    f"idle_memory {LIBRARY}": lambda job: library("memory", job.folder),
}
"""Each by its name."""
