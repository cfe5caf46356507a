"""What a summary is made of: the originals, or the earlier summary and what came after it."""

from msgspec.structs import replace

from holdfast import Position, Session
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.compact.input import SummaryInput, gather
from holdfast.context.prefix import Prefix, prefix_of
from holdfast.context.units import FORGOTTEN
from holdfast.records.entries import Compacted, UserSaid
from holdfast.records.facts import MemoryShown
from holdfast.records.parts import plain_text
from tests.context.compact.talk import BUDGET, SETTINGS, asked_for, compactor, cost, entries, scripted, summary, talked


async def test_a_later_summary_starts_from_the_earlier_one(session: Session) -> None:
    """
    What was summarized is not read again; the earlier summary is merged, and the later one stands for both.
    """
    model = scripted(summary(goal="The first."), summary(goal="The second."))
    compact = compactor(session, model)
    for _ in range(2):
        await talked(session, 10)
        await compact.compact(BUDGET)
    first, second = await entries(session, Compacted)

    assert "<earlier_summary>" not in asked_for(model)[0]
    assert "<earlier_summary>\n## Goal\nThe first." in asked_for(model)[1]
    assert "Question 8" in asked_for(model)[1]
    assert 1 == asked_for(model)[1].count("Question 7\n")
    assert isinstance(first.entry, Compacted)
    assert isinstance(second.entry, Compacted)
    assert (0, 24) == (first.entry.first, first.entry.last)
    assert (0, 55) == (second.entry.first, second.entry.last)


async def test_or_from_the_originals(session: Session) -> None:
    """
    The log has every word, so a summary can be made of all of them again.
    """
    model = scripted(summary(goal="The first."), summary(goal="The second."))
    compact = compactor(session, model, replace(SETTINGS, from_originals=True))
    for _ in range(2):
        await talked(session, 10)
        await compact.compact(BUDGET)
    [_, second] = await entries(session, Compacted)

    assert "<earlier_summary>" not in asked_for(model)[1]
    assert 2 == asked_for(model)[1].count("Question 7\n")
    assert isinstance(second.entry, Compacted)
    assert (0, 55) == (second.entry.first, second.entry.last)


async def test_what_is_too_old_to_be_read_is_named(session: Session) -> None:
    """
    A summary that does not stand for everything says so itself.
    """
    await talked(session, 30)
    made = await gather(session, Prefix(), cost, Position(61), replace(SETTINGS, reads=100))

    assert "[What was said from 0 to 57 was too long to be summarized.]" == made.skipped
    assert ["Question 19"] == [plain_text(unit.messages[0].parts) for unit in made.units if unit.kind == "user"]


async def test_so_is_what_is_too_many_entries_away(session: Session) -> None:
    """
    However short the entries are, a bounded number of them is read.
    """
    await talked(session, 30)
    made = await gather(session, Prefix(), cost, Position(61), CompactionSettings(entries=10))

    assert "[What was said from 0 to 51 was too long to be summarized.]" == made.skipped


async def test_where_there_is_nothing_to_read_nothing_is_made_up(session: Session) -> None:
    """
    A stretch without a word has no units.
    """
    made = await gather(session, Prefix(), cost, Position(1), CompactionSettings())

    assert ((), "", 0) == (made.units, made.skipped, made.last)


async def test_an_earlier_summary_that_is_damaged_is_made_anew(session: Session) -> None:
    """
    What it stood for is still in the log.
    """
    await talked(session, 10)
    prefix = replace(prefix_of(session.state), summary=Position(1), covered=Position(15))
    made = await gather(session, prefix, cost, Position(25), CompactionSettings())

    assert ("", 0, 24) == (made.earlier, made.first, made.last)


async def test_what_was_forgotten_is_in_no_later_summary(session: Session) -> None:
    """
    Neither its words, nor an earlier summary that has them; and no fact, which may be forgotten later.
    """
    await talked(session, 10)
    await session.append(MemoryShown(core=()))
    earlier = Compacted(summary="Question 0.", first=Position(0), last=Position(3), verbatim_from=Position(4))
    pos, stop = await session.append(earlier), Position(session.state.last)
    said = [record.pos async for record in session.read() if isinstance(record.entry, UserSaid)]
    hidden = frozenset({Position(said[4]), pos})
    made = await gather(session, prefix_of(session.state), cost, stop, CompactionSettings(), hidden=hidden)

    shown = [plain_text(unit.messages[0].parts) for unit in made.units if unit.kind == "user"]
    assert ("", 10, FORGOTTEN) == (made.earlier, len(shown), shown[4])


async def test_another_branch_is_not_summed_up(session: Session) -> None:
    """
    What was rewound does not count.
    """
    await talked(session, 10)
    await session.rewind(9)
    await talked(session, 1)
    made = await gather(session, Prefix(), cost, Position(session.state.last + 1), CompactionSettings())

    assert 4 == sum(unit.kind == "user" for unit in made.units)
    assert 1 == sum(unit.kind == "user" for unit in (await _newest(session)).units)


async def _newest(session: Session) -> SummaryInput:
    """What is made of the last few entries alone."""
    return await gather(session, Prefix(), cost, Position(session.state.last + 1), CompactionSettings(entries=3))
