"""Change bytes of a session at random: each change is seen or does no harm.

A record none of whose bytes changed must be readable, the same, in its place;
one that changed must not be given for another. Seen means that `verify` reports
damage; no harm means that every record is there as before.
"""

import asyncio
import random
import shutil
from pathlib import Path
from typing import Final

import msgspec

from holdfast.log.store import Verdict
from holdfast.records.codec import Record
from holdfast.session.store import Store
from tests.crash.layout import Files, lay_out
from tests.crash.promises import read_files
from tests.crash.record import scratch
from tests.crash.speaker import open_plain, saying
from tests.crash.witness import Seen, segment

KEY: Final = "alice"
RECORDS: Final = 40


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One stretch of one segment, and what it becomes."""

    kind: str
    file: str
    start: int
    end: int
    becomes: bytes


class Flips(msgspec.Struct, kw_only=True):
    """What a run came to."""

    changes: int = 0
    seen: int = 0
    hidden: list[str] = msgspec.field(default_factory=list)


async def _original(root: Path) -> None:
    async with open_plain(root, segment_bytes=6_000) as store, store.session(KEY) as session:
        for number in range(RECORDS):
            await session.append(saying(f"#b{number}#", (20, 400, 90, 900)[number % 4]))
        await session.commit()


def _change(files: dict[str, bytes], draw: random.Random) -> Change:
    """A byte, a bit, a line feed, a block of zeros, or the rest of the file."""
    file = draw.choice(sorted(files))
    content = files[file]
    at = draw.randrange(len(content))
    kind = draw.choice(["byte", "byte", "byte", "bit", "line feed", "zeros", "cut"])
    match kind:
        case "byte":
            return Change(kind=kind, file=file, start=at, end=at + 1, becomes=bytes([draw.randrange(256)]))
        case "bit":
            return Change(
                kind=kind, file=file, start=at, end=at + 1, becomes=bytes([content[at] ^ 1 << draw.randrange(8)])
            )
        case "line feed":
            ends = [index for index, byte in enumerate(content) if byte == ord("\n")]
            at = draw.choice(ends)
            return Change(kind=kind, file=file, start=at, end=at + 1, becomes=bytes([draw.randrange(256)]))
        case "zeros":
            at -= at % 512
            end = min(at + 512, len(content))
            return Change(kind=kind, file=file, start=at, end=end, becomes=bytes(end - at))
        case _:
            # A log that ends with a whole line looks like one that was never longer; so cut inside a line.
            at -= content[at - 1 : at] == b"\n"
            return Change(kind=kind, file=file, start=max(at, 1), end=len(content), becomes=b"")


class Examiner:
    """Holds the store to what it had before."""

    def __init__(self, files: Files) -> None:
        """`files` are those of the unharmed store."""
        self._files = files
        self.segments = {names[0]: content for names, content in files if names[0].endswith(".jsonl")}
        self._records = {name: segment(KEY, 1, content).records for name, content in self.segments.items()}

    def lay_out(self, root: Path, change: Change) -> None:
        """The store with the change in it."""
        folders = sorted({str(parent) for names, _ in self._files for parent in Path(names[0]).parents} - {"."})
        changed = tuple(
            (
                names,
                content[: change.start] + change.becomes + content[change.end :]
                if names[0] == change.file
                else content,
            )
            for names, content in self._files
        )
        lay_out((tuple(folders), changed), root)

    def untouched(self, change: Change) -> list[Seen]:
        """The records that must still be there."""
        return [
            record
            for name, records in self._records.items()
            for record in records
            if name != change.file or record.end <= change.start or record.start >= change.end
        ]

    def around(self, change: Change) -> list[int]:
        """The positions on both sides of the change."""
        near = [
            each.pos for each in self._records[change.file] if each.end >= change.start and each.start <= change.end
        ]
        return [min(near), max(near)] if near else []

    def complaints(self, change: Change, seen: list[Record], verdict: Verdict | None) -> list[str]:
        """What is wrong with what can be read now."""
        found: dict[int, bytes] = {record.pos: record.raw for record in seen}
        wrong = [
            f"good record {each.pos} is hidden" for each in self.untouched(change) if found.get(each.pos) != each.raw
        ]
        whole = {each.raw for records in self._records.values() for each in records}
        wrong += [f"record {pos} is not what was written" for pos, raw in found.items() if raw not in whole]
        if len(found) < len(whole) and verdict is not None and not verdict.damaged:
            wrong.append("a record is gone and verify reports no damage")
        return wrong


async def _examine(root: Path, examiner: Examiner, change: Change) -> tuple[bool, list[str]]:
    """Whether it was seen, and what is wrong."""
    async with open_plain(root) as store:
        seen = await _read(store)
        verdict = await store.verify(KEY)
        wrong = examiner.complaints(change, seen, verdict)
        for around in examiner.around(change):
            part = [record async for record in store.read(KEY, start=around)]
            back = [record async for record in store.read_back(KEY, before=around)]
            if [*back[::-1], *part] != seen:
                wrong.append(f"reading from and before {around} gives something else")
        async with store.session(KEY) as session:
            at = await session.append(saying("#again1#", 30))
            await session.commit()
        after = await _read(store)
        wrong += examiner.complaints(change, [record for record in after if record.pos != at], None)
        if [record.pos for record in after][-1:] != [at]:
            wrong.append("the session does not go on")
        return bool(verdict.damaged), wrong


async def _read(store: Store) -> list[Record]:
    return [record async for record in store.read(KEY)]


def flip(changes: int, *, seed: int) -> Flips:
    """Make so many changes, each to the unharmed store."""
    draw = random.Random(seed)
    flips = Flips()
    with scratch() as folder, asyncio.Runner() as runner:
        original = folder / "original"
        runner.run(_original(original))
        examiner = Examiner(read_files(original))
        while flips.changes < changes:
            change = _change(examiner.segments, draw)
            if examiner.segments[change.file][change.start : change.end] == change.becomes:
                continue
            root = folder / "store"
            root.mkdir()
            examiner.lay_out(root, change)
            was_seen, wrong = runner.run(_examine(root, examiner, change))
            flips.changes += 1
            flips.seen += was_seen
            flips.hidden += [f"{change.kind} in {change.file} at {change.start}: {each}" for each in wrong]
            shutil.rmtree(root)
    return flips
