"""The promises, checked on what a crash left behind.

Recover with the real code, append once more, open again; at each step everything
owed must be there, nothing may be there that was never said, nothing good may be
hidden, and what is no record must be kept.
"""

from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec

from holdfast.errors import HoldfastError
from holdfast.records.codec import Record
from holdfast.session.store import Store
from tests.crash.layout import Files
from tests.crash.marks import Promise, fingerprint
from tests.crash.speaker import open_plain, saying
from tests.crash.witness import Segment, segments, tokens, visible

AGAIN: Final = "#again1#"
NOTHING: Final = Promise()


class Duty(msgspec.Struct, frozen=True, kw_only=True):
    """What the store owes in one state."""

    allowed: dict[str, Promise]
    """By what was said at the earliest point with this state: what may be there."""
    owed: dict[str, Promise]
    """By what was acknowledged at the latest point: what must be there."""
    survived: dict[str, Promise]
    """By what was appended, when only the process died: what must be there as well."""
    damage: tuple[Segment, ...] = ()
    """Segments as they were before the workload: what is no record in them must be kept."""


async def broken(root: Path, files: Files | None, duty: Duty) -> list[str]:
    """Which promises do not hold, in words; `files` are the bytes before anything is opened."""
    log = segments(files if files is not None else read_files(root))
    complaints: list[str] = []
    async with open_plain(root) as store:
        for key in sorted(duty.owed.keys() | duty.allowed.keys()):
            examiner = Examiner(root, key, duty, [each for each in log if each.folder == key])
            try:
                complaints += await examiner.examine(store)
            except (HoldfastError, OSError) as error:
                complaints.append(f"{key}: recovery failed: {type(error).__name__}: {error}")
    return complaints


def read_files(root: Path) -> Files:
    """Every file below a folder."""
    return tuple(
        ((str(path.relative_to(root)),), path.read_bytes()) for path in sorted(root.rglob("*")) if path.is_file()
    )


class Examiner:
    """Looks at one session of one state."""

    def __init__(self, root: Path, key: str, duty: Duty, log: list[Segment]) -> None:
        """`log` is what the witness saw in the session's folder."""
        self._root, self._key, self._log = root, key, log
        self._may = duty.allowed.get(key, NOTHING)
        self._must = duty.owed.get(key, NOTHING)
        self._survived = duty.survived.get(key, NOTHING)
        self._damage = [piece for each in (*duty.damage, *log) if each.folder == key for piece in each.junk]
        self._others = {token for other, each in duty.allowed.items() if other != key for token in each.said}
        self._complaints: list[str] = []

    def _expect(self, holds: bool, complaint: str) -> None:
        if not holds:
            self._complaints.append(f"{self._key}: {complaint}")

    async def examine(self, store: Store) -> list[str]:
        """All that is wrong with it."""
        there = await store.exists(self._key)
        trashed = [each.name for each in await store.trash() if each.key == self._key]
        if self._must.gone:
            self._expect(not there and not trashed, "a deleted session is back")
            self._left_nothing()
        elif there:
            self._expect(self._must.there, "a session that was thrown away is back")
            await self._is_whole(store)
        elif trashed:
            self._expect(self._must.trashed, "a session is in the trash again")
            await store.bring_back(trashed[0])
            await self._is_whole(store)
        elif self._must.leaving:
            self._left_nothing()
        else:
            self._expect(not self._must.acked, "the session is gone, with acknowledged records")
        return self._complaints

    def _left_nothing(self) -> None:
        own = sorted(self._must.said - self._others)
        for path in self._root.rglob("*"):
            if path.is_file():
                content = path.read_bytes()
                for token in own:
                    self._expect(token.encode() not in content, f"{token} of a deleted session is still in {path.name}")

    async def _is_whole(self, store: Store) -> None:
        seen = await self._read(store)
        self._holds(seen)
        self._hides_nothing(seen)
        await self._reads_the_same_from_anywhere(store, seen)
        verdict = await store.verify(self._key)
        self._expect(verdict.entries == len(seen), f"verify counts {verdict.entries} entries, {len(seen)} can be read")
        self._expect(not verdict.blobs_missing, f"attachments are missing: {verdict.blobs_missing}")
        if any(each.junk for each in self._log):
            self._expect(bool(verdict.damaged), "there are damaged bytes and verify does not say so")
        after = await self._go_on(store)
        self._expect(after[: len(seen)] == seen, "reading gives something else after repair and append")
        self._holds(after[:-1])
        self._keeps_what_only_the_process_lost(after)
        self._keeps_damage()

    async def _go_on(self, store: Store) -> list[Record]:
        """Open, append once more, close; the records then. Twice, because the second time nothing is to be mended."""
        async with store.session(self._key) as session:
            at = await session.append(saying(AGAIN, 40))
            await session.commit()
        after = await self._read(store)
        self._expect(after[-1].pos == at and tokens(after[-1].raw)[:1] == [AGAIN], "the new record is not last")
        self._expect(self._on_a_line_of_its_own(after[-1].raw), "the log goes on in the middle of a line")
        async with store.session(self._key) as session:
            self._expect(not session.repaired, "a mended log is mended again")
        self._expect(await self._read(store) == after, "opening again changes what can be read")
        return after

    async def _reads_the_same_from_anywhere(self, store: Store, seen: list[Record]) -> None:
        back = [record async for record in store.read_back(self._key)]
        self._expect(back[::-1] == seen, "reading backwards gives something else")
        for start in {record.pos for record in seen[len(seen) // 2 :: 2]}:
            part = [record async for record in store.read(self._key, start=start)]
            self._expect(part == [r for r in seen if r.pos >= start], f"reading from {start} gives something else")

    def _on_a_line_of_its_own(self, raw: bytes) -> bool:
        last = max((self._root / "sessions" / self._key).glob("[0-9]*.jsonl"))
        return f"\n{raw.decode()}\n".encode() in b"\n" + last.read_bytes()

    async def _read(self, store: Store) -> list[Record]:
        return [record async for record in store.read(self._key)]

    def _holds(self, seen: list[Record]) -> None:
        """Everything owed is there, in its place; nothing twice; nothing that was never said."""
        places = [record.pos for record in seen]
        self._expect(all(a < b for a, b in pairwise(places)), f"positions do not increase: {places}")
        found: dict[int, str] = {record.pos: fingerprint(record.raw) for record in seen}
        for pos, mark in (self._must.acked | self._must.whole).items():
            self._expect(
                found.get(pos) == mark, f"acknowledged record {pos} {'differs' if pos in found else 'is lost'}"
            )
        said = [token for record in seen for token in dict.fromkeys(tokens(record.raw))]
        for token in dict.fromkeys(said):
            self._expect(token in self._may.said, f"{token} was refused, or never said")
            self._expect(said.count(token) == 1, f"{token} is there {said.count(token)} times")

    def _hides_nothing(self, seen: list[Record]) -> None:
        raws = {record.raw for record in seen}
        for record in visible(self._log):
            self._expect(record.raw in raws, f"good record {record.pos} is hidden")

    def _keeps_what_only_the_process_lost(self, after: list[Record]) -> None:
        said = {token for record in after for token in tokens(record.raw)}
        for token in sorted(self._survived.appended - said):
            self._expect(holds=False, complaint=f"{token} was appended, and lost though only the process died")

    def _keeps_damage(self) -> None:
        if self._damage:
            kept = [path.read_bytes() for path in (self._root / "sessions" / self._key).rglob("*") if path.is_file()]
            for piece in self._damage:
                self._expect(any(piece in content for content in kept), f"damaged bytes are gone: {piece[:40]!r}")
