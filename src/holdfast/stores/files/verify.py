"""Checking every byte of one session, changing nothing."""

import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import msgspec

from holdfast.errors import NoBlob
from holdfast.ids import BlobId, Position, SessionKey
from holdfast.log.store import Damaged, Repeated, Verdict
from holdfast.records.codec import Record
from holdfast.records.scan import Damage, lines_lost
from holdfast.stores.files import disk
from holdfast.stores.files.blob_files import get_blob, references
from holdfast.stores.files.blocks import Block, forward
from holdfast.stores.files.repair import cut_away
from holdfast.stores.files.segments import SegmentSpan, opened, read_spans, segment_path, spans


class _Found:
    """What was found so far, and the damage whose extent is known only at the next good record."""

    def __init__(self, cut: list[Damaged]) -> None:
        self.entries = 0
        self.cut = sorted(cut, key=lambda each: each.offset)
        """What the log went on without, to be told where it stood."""
        self.before = 0
        """How many entries at least were there before the first that can be read."""
        self.first = self.last = Position(-1)
        self.damaged: list[Damaged] = []
        self.open: list[Damaged] = []
        self.blobs: set[BlobId] = set()
        self.repeated: list[Repeated] = []

    def record(self, segment: str, offset: int, pos: Position) -> None:
        missing = max(self.before, pos - self.last - 1)
        self.before = 0
        if missing and not self.open:
            self.open.append(Damaged(where=segment, offset=offset, length=0, after=self.last, missing=0))
        self.close(missing)
        if self.first < 0:
            self.first = pos
        self.last = pos
        self.entries += 1

    def again(self, segment: str, records: list[Record], differing: int) -> None:
        """Note lines that do not count, those of one segment together."""
        places = [record.pos for record in records]
        lines = len(places)
        if self.repeated and self.repeated[-1].where == segment:
            before = self.repeated.pop()
            places += [before.first, before.last]
            lines, differing = lines + before.lines, differing + before.differing
        found = Repeated(where=segment, first=min(places), last=max(places), lines=lines, differing=differing)
        self.repeated.append(found)

    def reached(self, cut: list[Damaged]) -> None:
        """Tell what was cut away behind the last good record."""
        self.cut = [each for each in self.cut if each not in cut]
        self.damaged += [msgspec.structs.replace(each, after=self.last) for each in cut]

    def close(self, missing: int) -> None:
        for index, damage in enumerate(self.open):
            self.damaged.append(msgspec.structs.replace(damage, missing=0 if index else missing))
        self.open.clear()


def check(folder: Path, key: SessionKey) -> Verdict:
    """Read every line and every attachment of a session."""
    found = _Found(list(cut_away(folder)))
    counting = spans(folder)
    for span in counting:
        _check_segment(folder, span, found, counting)
        if not found.entries and span.first is None:
            # At least one was there: a log has its first lines before it has its name.
            first = segment_path(folder, counting[0].number).name
            found.open = found.open or [Damaged(where=first, offset=0, length=0, after=Position(-1), missing=0)]
            found.before = max(1, sum(_lost(folder, each) for each in found.open))
    found.reached(found.cut)
    found.close(found.before or sum(_lost(folder, each) for each in found.open))
    return Verdict(
        key=key,
        entries=found.entries,
        first=found.first,
        last=found.last,
        size=disk.size_below(folder),
        damaged=tuple(found.damaged),
        blobs_missing=tuple(sorted(_missing(folder, found.blobs))),
        repeated=tuple(found.repeated),
    )


def _check_segment(folder: Path, span: SegmentSpan, found: _Found, counting: list[SegmentSpan]) -> None:
    path, limit = segment_path(folder, span.number), span.limit
    with opened(path) as descriptor:
        for block in forward(descriptor, span.number, 0):
            again: list[Record] = []
            for offset, piece in _in_order(block):
                found.reached([each for each in found.cut if each.where == path.name and each.offset <= offset])
                if isinstance(piece, Damage):
                    length = piece.end - piece.start
                    found.open.append(
                        Damaged(where=path.name, offset=piece.start, length=length, after=found.last, missing=0)
                    )
                elif found.last < piece.pos and (limit is None or piece.pos < limit):
                    found.record(path.name, offset, piece.pos)
                else:
                    again.append(piece)
            if again:
                found.again(path.name, again, _differing(folder, again, counting))
            for record in block.lines.records:
                found.blobs |= references(record.raw)
    found.reached([each for each in found.cut if each.where == path.name])


def _differing(folder: Path, records: list[Record], counting: list[SegmentSpan]) -> int:
    """How many lines stand otherwise where they count, or do not count at all."""
    places = [record.pos for record in records]
    handfuls = read_spans(folder, counting, min(places), Position(max(places) + 1))
    lines = {record.pos: record.raw for record in chain.from_iterable(handfuls)}
    return sum(lines.get(record.pos) != record.raw for record in records)


def _lost(folder: Path, damaged: Damaged) -> int:
    """How many entries a stretch after the last good record may have held."""
    with opened(folder / damaged.where) as descriptor:
        return lines_lost(os.pread(descriptor, damaged.length + 1, damaged.offset))


def _in_order(block: Block) -> Iterator[tuple[int, Damage | Record]]:
    """Damage and records as they stand in a block, each with where the one before it ended."""
    placed: list[tuple[int, Damage | Record]] = [(each.end, each) for each in block.lines.damage]
    placed += [(end, record) for record, end in zip(block.lines.records, block.lines.ends, strict=True)]
    at = block.start
    for end, piece in sorted(placed, key=lambda each: each[0]):
        yield at, piece
        at = end


def _missing(folder: Path, names: set[BlobId]) -> Iterator[BlobId]:
    for name in names:
        try:
            get_blob(folder, name)
        except NoBlob:
            yield name
