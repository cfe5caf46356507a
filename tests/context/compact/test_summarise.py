"""A model that summarizes is never sent more than it can take."""

import pytest

from holdfast import Session
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.compact.input import SummaryInput, gather
from holdfast.context.compact.summarise import Summariser, SummaryReply
from holdfast.context.prefix import Prefix
from holdfast.errors import Overflow
from holdfast.ids import Position
from holdfast.providers.scripted.model import ScriptedModel
from tests.context.compact.talk import asked_for, cost, scripted, summary, talked

SETTINGS = CompactionSettings(window=3_000, output=300)
MOST = 10**6


async def summary_input(session: Session, turns: int = 40) -> SummaryInput:
    """Everything that was said in some turns."""
    await talked(session, turns, long=12)
    return await gather(session, Prefix(), cost, Position(session.state.last + 1), SETTINGS)


async def write(model: ScriptedModel, made: SummaryInput, settings: CompactionSettings = SETTINGS) -> SummaryReply:
    """Have it summarized."""
    return await Summariser(model, made, settings).write(cost, MOST)


async def test_long_material_is_read_in_pieces_each_with_the_summary_so_far(session: Session) -> None:
    """
    The scripted model refuses what is over its window, as a provider does; and every turn is read once.
    """
    numbers = iter(range(100))
    model = scripted(then=lambda _: summary(goal=f"Summary {next(numbers)}"), window=3_000)
    written = await write(model, await summary_input(session))
    asked = asked_for(model)

    assert len(asked) > 2
    assert all(f"## Goal\nSummary {n - 1}\n" in text for n, text in enumerate(asked) if n)
    assert all(1 == sum(f"User: Question {n}\n" in text for text in asked) for n in range(40))
    assert written.entry is not None
    assert f"Summary {len(asked) - 1}" in written.entry.summary
    assert written.usage == written.entry.usage
    assert written.usage is not None
    assert written.usage.output_tokens > 40 * len(asked)


@pytest.mark.parametrize("limit", [None, 1_500])
async def test_a_window_that_is_smaller_than_we_were_told_takes_one_more_request(
    session: Session, limit: int | None
) -> None:
    """
    An overflow makes the pieces smaller, once.
    """
    told = [Overflow("Too long.", limit=limit, asked=2_400)]
    model = scripted(lambda _: told.pop(), then=lambda _: summary(), window=3_000)
    written = await write(model, await summary_input(session, 10))

    assert written.entry is not None
    assert len(asked_for(model)[1]) < len(asked_for(model)[0])
    assert "could not be used" not in asked_for(model)[1]


async def test_a_window_in_which_nothing_fits_is_said_to_be_too_small(session: Session) -> None:
    """
    No request is sent that could only be refused.
    """
    model = scripted()
    written = await write(model, await summary_input(session, 3), CompactionSettings(window=700, output=300))

    assert SummaryReply(problems=("The window of the model that summarizes is too small.",)) == written
    assert [] == model.requests


async def test_a_piece_that_fails_is_asked_for_once_more(session: Session) -> None:
    """
    The pieces before it are not read again.
    """
    model = scripted(summary(), "no summary", then=lambda _: summary(), window=3_000)
    made = await summary_input(session)
    written = await write(model, made)
    asked = asked_for(model)

    assert written.entry is not None
    assert "Your last answer could not be used:\n- It did not have all of the sections" in asked[2]
    assert "Question 0\n" in asked[0]
    assert all("Question 0\n" not in text for text in asked[1:])
    assert "could not be used" not in asked[3]


async def test_two_failures_end_it_wherever_they_are(session: Session) -> None:
    """
    One retry is for all pieces together.
    """
    model = scripted("no", summary(), "no", then=None, window=3_000)
    written = await write(model, await summary_input(session))

    assert None is written.entry
    assert 3 == len(model.requests)
    assert written.usage is not None


async def test_what_is_missing_is_a_summarys_first_line(session: Session) -> None:
    """
    Whoever reads a summary reads what it does not stand for.
    """
    await talked(session, 30)
    made = await gather(session, Prefix(), cost, Position(61), CompactionSettings(reads=100))
    written = await write(scripted(), made)

    assert written.entry is not None
    assert written.entry.summary.startswith("[What was said from 0 to 57 was too long to be summarized.]\n\n## Goal")
