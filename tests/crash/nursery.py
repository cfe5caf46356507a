"""A process with everything imported, whose children append until they are killed.

Each child first proves that everything acknowledged so far is there, then appends
and acknowledges through a pipe until SIGKILL comes, somewhere within the next
milliseconds. The nursery itself never starts a thread, so forking is safe.
"""

import asyncio
import os
import random
import select
import signal
import sys
import time
from pathlib import Path
from typing import Final

import msgspec

import holdfast
from holdfast.ids import Position
from holdfast.records.entries import Drafted, ModelReplied
from holdfast.records.parts import Text
from tests.crash.speaker import open_plain, saying
from tests.crash.witness import tokens

KILLS_PER_SESSION: Final = 20
LONGEST_LIFE: Final = 0.015
"""Seconds that a child may append for."""

Acks = dict[int, str]
"""Position to token."""


class Toll(msgspec.Struct, kw_only=True):
    """What a run came to."""

    kills: int = 0
    acknowledged: int = 0
    lost: list[str] = msgspec.field(default_factory=list)


async def _live(root: Path, key: str, acks: Acks, life: int, pipe: int) -> None:
    """Check what was acknowledged, then append for ever; `life` makes each child's texts its own."""
    small = key.endswith(("1", "3", "5", "7", "9"))
    opened = open_plain(root, segment_bytes=8_000) if small else holdfast.open_store(root)
    async with opened as store, store.session(key) as session:
        for complaint in await _complaints(session, acks):
            os.write(pipe, f"L {key} {complaint}\n".encode())
        os.write(pipe, b"R\n")
        count, batch = 0, 1 + life % 3
        while True:
            said = []
            for _ in range(batch):
                token = f"#k{life * 100_000 + count}#"
                said.append((await _say(session, token, count), token))
                count += 1
            await session.commit()
            os.write(pipe, b"".join(f"A {position} {token}\n".encode() for position, token in said))


async def _say(session: holdfast.Session, token: str, count: int) -> int:
    """Append a text; every seventh is a reply that streams first."""
    if count % 7:
        return await session.append(saying(token, (20, 300, 700, 6_000)[count % 4]))
    for piece in (token, " and", " more"):
        await session.draft(Drafted(reply=Position(session.state.last + 1), text=piece))
    return await session.finish(ModelReplied(parts=(Text(text=f"{token} and more"),)))


async def _complaints(session: holdfast.Session, acks: Acks) -> list[str]:
    found: dict[int, list[str]] = {}
    last, complaints = -1, []
    async for record in session.read():
        if record.pos <= last:
            complaints.append(f"position {record.pos} comes after {last}")
        last = record.pos
        found[record.pos] = tokens(record.raw)
    complaints += [f"{token} at {pos} is gone" for pos, token in acks.items() if token not in found.get(pos, [])]
    said = [token for each in found.values() for token in dict.fromkeys(each)]
    complaints += [f"{token} is there twice" for token in dict.fromkeys(said) if said.count(token) > 1]
    return complaints


def _born(root: Path, key: str, acks: Acks, life: int) -> tuple[int, int]:
    """Start a child; its process and the pipe to hear it by."""
    hear, speak = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            asyncio.run(_live(root, key, acks, life, speak))
        except BaseException as error:  # noqa: BLE001 -- boundary: a child must end here, whatever happens
            os.write(speak, f"L {key} {type(error).__name__}: {error}\n".encode())
        os._exit(1)
    os.close(speak)
    return process, hear


def _hear_until_killed(process: int, hear: int, life: float) -> bytes:
    heard = b""
    while b"R\n" not in heard:
        piece = os.read(hear, 65_536)
        heard += piece
        if not piece:
            break
    deadline = time.monotonic() + life
    while (rest := deadline - time.monotonic()) > 0 and select.select([hear], [], [], rest)[0]:
        piece = os.read(hear, 65_536)
        heard += piece
        if not piece:
            break
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    while piece := os.read(hear, 65_536):
        heard += piece
    os.close(hear)
    return heard


def torture(root: Path, kills: int, seed: int) -> Toll:
    """Kill children at random instants, session after session."""
    draw = random.Random(seed)
    toll = Toll()
    for session in range(-(-kills // KILLS_PER_SESSION)):
        acks: Acks = {}
        for turn in range(KILLS_PER_SESSION + 1):
            # The last child of a session is there for what it checks; it dies at once, and is not counted.
            last = turn == KILLS_PER_SESSION
            child = _born(root, f"s{session}", acks, session * (KILLS_PER_SESSION + 1) + turn)
            heard = _hear_until_killed(*child, 0.0 if last else draw.random() * LONGEST_LIFE)
            toll.kills += not last
            _take_in(heard, acks, toll)
    return toll


def _take_in(heard: bytes, acks: Acks, toll: Toll) -> None:
    for line in heard.decode().splitlines(keepends=True):
        words = line.split()
        if line.startswith("L"):
            toll.lost.append(line.strip())
        elif line.startswith("A") and line.endswith("\n"):
            acks[int(words[1])] = words[2]
            toll.acknowledged += 1


if __name__ == "__main__":
    found = torture(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.buffer.write(msgspec.json.encode(found))
