"""Several processes want one session, and each is paused and woken at any instant.

A paused process believes that it holds the session until it looks. Whatever it does
when it wakes: each record acknowledged to anyone is there, in its place, once.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec

from tests.crash.record import HOME, environment, scratch
from tests.crash.rival import KEY
from tests.crash.speaker import open_plain
from tests.crash.witness import tokens

NAMES: Final = ("a", "b", "c")
LONGEST: Final = 0.04
"""Seconds that a process is paused or left alone."""


class Dispute(msgspec.Struct, kw_only=True):
    """What a run came to."""

    pauses: int = 0
    acknowledged: dict[str, int] = msgspec.field(default_factory=dict)
    """How many records each process was told to be safe."""
    wrong: list[str] = msgspec.field(default_factory=list)


def dispute(pauses: int, *, seed: int) -> Dispute:
    """Let the processes fight until one or another was paused so often."""
    draw = random.Random(seed)
    found = Dispute(pauses=pauses)
    with scratch() as folder:
        root = folder / "store"
        said = [folder / name for name in NAMES]
        with ExitStack() as stack:
            rivals = [_begun(stack.enter_context(_rival(root, path, stack))) for path in said]
            for rival in rivals:
                rival.send_signal(signal.SIGCONT)
            for _ in range(pauses):
                rival = draw.choice(rivals)
                rival.send_signal(signal.SIGSTOP)
                time.sleep(draw.random() * LONGEST)
                rival.send_signal(signal.SIGCONT)
                time.sleep(draw.random() * LONGEST)
            found.wrong += [f"{rival.args!r} ended by itself" for rival in rivals if rival.poll() is not None]
            for rival in rivals:
                rival.kill()
        told = {path.name: path.read_text(encoding="utf-8") for path in said}
        found.wrong += asyncio.run(_wrong(root, told, found))
    return found


def _begun(rival: "subprocess.Popen[bytes]") -> "subprocess.Popen[bytes]":
    """Wait until a process has said something and paused itself: beside the others it may never get to say anything."""
    os.waitid(os.P_PID, rival.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    return rival


def _rival(root: Path, said: Path, stack: ExitStack) -> "subprocess.Popen[bytes]":
    output = stack.enter_context(said.open("wb"))
    command = [sys.executable, "-m", "tests.crash.rival", str(root), said.name]
    rival = subprocess.Popen(command, cwd=HOME, env=environment(), stdout=output, stderr=subprocess.STDOUT)
    stack.callback(rival.kill)
    return rival


async def _wrong(root: Path, told: dict[str, str], found: Dispute) -> list[str]:
    async with open_plain(root) as store:
        records = [record async for record in store.read(KEY)]
        verdict = await store.verify(KEY)
    places = [record.pos for record in records]
    there: dict[int, list[str]] = {record.pos: tokens(record.raw)[:1] for record in records}
    wrong = [f"position {b} comes after {a}" for a, b in pairwise(places) if b != a + 1]
    wrong += [f"damage: {damaged}" for damaged in verdict.damaged]
    every = [token for each in there.values() for token in each]
    wrong += [f"{token} is there twice" for token in set(every) if every.count(token) > 1]
    for name, text in told.items():
        lines = text.split("\n")[:-1]
        wrong += [f"{name} said: {line}" for line in lines if not line.startswith("A ")]
        acks = [line.split() for line in lines if line.startswith("A ")]
        found.acknowledged[name] = len(acks)
        wrong += [f"{token} at {pos} is gone" for _, pos, token in acks if there.get(int(pos)) != [token]]
    return wrong
