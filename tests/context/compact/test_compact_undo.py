"""A compaction can be taken back, because nothing was lost."""

from holdfast import Position, Session
from holdfast.context.budget import Budget
from holdfast.context.compact.compact import undo_compaction
from holdfast.context.compact.triggers import Trigger
from holdfast.context.view import View
from holdfast.records.entries import CompactionUndone, Shortened
from tests.context.compact.talk import (
    BUDGET,
    STORY,
    compactor,
    cost,
    entries,
    read,
    said,
    scripted,
    shown,
    talked,
    used,
)

WIDE = Budget(tokens=100_000, output=100)


async def test_undoing_a_summary_shows_what_it_stood_for(session: Session) -> None:
    """
    To the byte; and undoing again, with nothing left to undo, writes nothing.
    """
    await talked(session, 20)
    before = await View(session, cost).window(WIDE)
    done = await compactor(session, scripted()).compact(BUDGET)
    undone = await undo_compaction(session)
    last = session.state.last

    assert done.entries == (undone,)
    assert before == await View(session, cost).window(WIDE)
    assert None is await undo_compaction(session)
    assert last == session.state.last


async def test_undoing_a_shortening_shows_the_results_whole(session: Session) -> None:
    """
    The first stage is reversible too.
    """
    await read(session, 5, long=48)
    before = await View(session, cost).window(WIDE)
    done = await compactor(session, scripted()).compact(BUDGET, Trigger(why="share"))
    short = await View(session, cost).window(WIDE)
    undone = await undo_compaction(session)

    assert "results" == done.stage
    assert before.tokens > short.tokens
    assert done.entries == (undone,)
    assert before == await View(session, cost).window(WIDE)
    assert None is await undo_compaction(session)


async def test_compactions_are_undone_one_by_one_the_newest_first(session: Session) -> None:
    """
    Each undo goes one step back, to the summary before.
    """
    compact = compactor(session, scripted())
    found: list[Position] = []
    for _ in range(2):
        await talked(session, 10)
        found += (await compact.compact(BUDGET)).entries
    await read(session, 10)
    found += (await compact.compact(BUDGET, Trigger(why="share"))).entries
    undone = [await undo_compaction(session) for _ in range(4)]

    assert [*reversed(found), None] == undone
    assert 3 == len(await entries(session, CompactionUndone))


async def test_what_a_window_had_to_cut_is_not_undone(session: Session) -> None:
    """
    It would be cut again at once, and the user would never get back to their summary.
    """
    await session.append(said("Read"), *(entry for _ in range(6) for entry in used("a", STORY * 60)))
    await shown(session)

    assert 1 == len(await entries(session, Shortened))
    assert None is await undo_compaction(session)


async def test_a_shortening_on_another_branch_is_not_undone(session: Session) -> None:
    """
    What was rewound does not count.
    """
    await read(session, 5, long=48)
    last = session.state.last
    await compactor(session, scripted()).compact(BUDGET, Trigger(why="share"))
    await session.rewind(last)
    await talked(session, 1)

    assert None is await undo_compaction(session)


async def test_a_summary_can_be_made_again_after_its_undo(session: Session) -> None:
    """
    An undo changes what is shown, not what can be done.
    """
    await talked(session, 20)
    compact = compactor(session, scripted())
    first = await compact.compact(BUDGET)
    await undo_compaction(session)
    await session.append(said("Again"))
    second = await compact.compact(BUDGET)

    assert ["summary", "summary"] == [first.stage, second.stage]
