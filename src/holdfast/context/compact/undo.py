"""Taking a compaction back: the log has every word, so it takes one entry to show them again."""

from holdfast.context.prefix import prefix_of
from holdfast.ids import Position
from holdfast.records.entries import CompactionUndone, Shortened
from holdfast.session.state import on_path
from holdfast.session.writer import Session


async def undo_compaction(session: Session) -> Position | None:
    """Take back the newest summary or shortening that counts, and say where it stands; None if there is none.

    What a window had to cut to fit is not taken back: the next window would cut it again.
    """
    found = [pos for pos in (prefix_of(session.state).summary, await _shortening(session)) if pos is not None]
    if not found:
        return None
    await session.append(CompactionUndone(compaction=max(found)))
    await session.commit()
    return max(found)


async def _shortening(session: Session) -> Position | None:
    """The newest shortening of old results that counts; those from before the window's start do not."""
    path, start = session.state.path, prefix_of(session.state).start or 0
    undone: set[Position] = set()
    async for record in session.read_back(before=session.state.head + 1):
        if record.pos < start:
            break
        if not on_path(record.pos, path):
            continue
        if isinstance(record.entry, CompactionUndone):
            undone.add(record.entry.compaction)
        elif isinstance(record.entry, Shortened) and record.entry.why == "old" and record.pos not in undone:
            return record.pos
    return None
