"""A compaction frees room in stages, says what it did, and leaves nothing half done."""

import asyncio
from collections.abc import Callable

import pytest

from holdfast import CallId, ModelReplied, Position, Session, ToolCall, ToolStarted
from holdfast.context.budget import Budget
from holdfast.context.compact.compact import CHANGED, NO_SHORTER, ONLY_NEWEST, Compaction, Compactor
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.compact.triggers import Trigger, overflowed
from holdfast.context.view import View
from holdfast.errors import CompactionStuck, Overflow, Refused, Unavailable
from holdfast.model.prices import Price
from holdfast.model.protocol import Request
from holdfast.providers.scripted.model import Line, Scripted, ScriptedModel
from holdfast.records.entries import Compacted, Pinned, Shortened, ToolFinished, WindowMoved
from holdfast.records.parts import Text, Usage
from tests.context.compact.talk import (
    BUDGET,
    SETTINGS,
    STORY,
    TARGET,
    asked_for,
    compactor,
    cost,
    entries,
    good,
    read,
    replied,
    said,
    scripted,
    shown,
    summary,
    talked,
    used,
)

SHARE = Trigger(why="share")


def telling(event: asyncio.Event, line: Line) -> Callable[[Request], Line]:
    """A line, and a sign that the model is at work on it."""

    def cue(_: Request) -> Line:
        event.set()
        return line

    return cue


async def test_it_is_due_when_the_window_takes_too_much_of_its_budget(session: Session) -> None:
    """
    Up to four fifths nothing happens; then it is due, and afterwards it is not.
    """
    compact = compactor(session, scripted())
    await talked(session, 10)
    before = await compact.due(BUDGET)
    await talked(session, 40)
    due = await compact.due(BUDGET)
    done = await compact.compact(BUDGET, due)

    assert None is before
    assert SHARE == due
    assert ("share", "summary") == (done.why, done.stage)
    assert None is await compact.due(BUDGET)
    assert 0 < done.after < done.before


async def test_old_results_are_shortened_where_that_is_enough(session: Session) -> None:
    """
    The first stage costs no request; the newest results stay whole, and the log has all of them.
    """
    model = scripted()
    await read(session, 5, long=48)
    done = await compactor(session, model).compact(BUDGET, SHARE)
    [fact] = await entries(session, Shortened)

    assert ("results", "", ()) == (done.stage, done.failure, tuple(model.requests))
    assert (fact.pos,) == done.entries
    assert isinstance(fact.entry, Shortened)
    assert "old" == fact.entry.why
    assert done.after <= 0.6 * 0.8 * BUDGET.room()
    assert STORY * 48 in await shown(session)


async def test_whole_turns_are_summed_up_where_it_is_not(session: Session) -> None:
    """
    The summary stands for everything before the newest two turns, which stay as they were said.
    """
    model = scripted(summary(goal="Tell stories."))
    await talked(session, 40)
    done = await compactor(session, model).compact(BUDGET, SHARE)
    [fact] = await entries(session, Compacted)
    text = await shown(session)

    assert isinstance(fact.entry, Compacted)
    assert (0, 114, 115) == (fact.entry.first, fact.entry.last, fact.entry.verbatim_from)
    assert ("summary", (fact.pos,)) == (done.stage, done.entries)
    assert "Tell stories." in text
    assert "Question 38" in text
    assert "Question 37" not in text


async def test_what_is_left_after_a_summary_is_shortened_if_it_must_be(session: Session) -> None:
    """
    Where the newest turns alone are over the aim, their older results are shortened too.
    """
    await talked(session, 10)
    await session.append(said("Read"), *used("a", STORY * 60), *used("b", STORY * 60), replied("Both."))
    done = await compactor(
        session, scripted(), CompactionSettings(turns=1, protected=300, window=8_000, output=600)
    ).compact(BUDGET, SHARE)

    assert "summary" == done.stage
    assert [Compacted, Shortened] == [
        type(record.entry) async for record in session.read() if record.pos in done.entries
    ]


async def test_who_asks_gets_a_summary_with_a_focus(session: Session) -> None:
    """
    A call compacts even where nothing is due, and the model is told what to look for.
    """
    model = scripted()
    await read(session, 5)
    done = await compactor(session, model).compact(BUDGET, Trigger(focus="the parser"))

    assert ("asked", "summary") == (done.why, done.stage)
    assert "Pay special attention to this: the parser" in asked_for(model)[0]


async def test_the_number_of_messages_triggers_it_too(session: Session) -> None:
    """
    Short messages fill no budget, and are too many all the same.
    """
    settings = CompactionSettings(messages=30, window=8_000, output=600)
    compact = compactor(session, scripted(), settings)
    await talked(session, 20)
    due = await compact.due(BUDGET)
    done = await compact.compact(BUDGET, due)
    window = await View(session, cost).window(BUDGET)

    assert Trigger(why="messages") == due
    assert "summary" == done.stage
    assert len(window.messages) <= 18


async def test_the_users_demands_stay_to_the_letter(session: Session) -> None:
    """
    Even if the model says nothing of them, and from one summary to the next.
    """
    await session.append(said("Hi!\nNever push to main, you hear me?\nThanks"))
    compact = compactor(session, scripted(then=lambda _: summary()))
    await talked(session, 10, long=10)
    await compact.compact(BUDGET)
    await session.append(said("No, use tabs."))
    await talked(session, 10, long=10)
    await compact.compact(BUDGET)
    text = await shown(session)

    assert 2 == len(await entries(session, Compacted))
    assert "> Never push to main, you hear me?\n> No, use tabs.\n" in text


async def test_a_summary_that_leaves_out_a_file_or_an_open_call_is_refused_once(session: Session) -> None:
    """
    The model hears what was missing, and its better answer is used; what both answers took is counted.
    """
    model = scripted(summary(goal="Read files."), good)
    call = ToolCall(id=CallId("x"), name="deploy")
    await session.append(said("Deploy"), ModelReplied(parts=(call,), stop="called"))
    await session.append(ToolStarted(call=call.id, name="deploy"))
    await read(session, 6)
    done = await compactor(session, model).compact(BUDGET)

    assert "summary" == done.stage
    assert "It does not name src/f0.py, src/f1.py, src/f2.py, src/f3.py, deploy." in asked_for(model)[1]
    assert done.usage is not None
    assert session.state.usage == done.usage


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (("no summary", "still none"), "It did not have all of the sections"),
        ((summary(), summary()), "It does not name src/f0.py"),
        ((Unavailable("Busy."), Unavailable("Still busy.")), "Still busy."),
        ((Refused("Not allowed."),), "Not allowed."),
        ((Scripted(parts=(Text(text=summary()),), stop="length"),) * 2, "It was cut off after 600 tokens"),
        ((Scripted(parts=(Text(text=summary()),), stop="refused"),) * 2, "It did not have all of the sections"),
        ((Scripted(parts=(Text(text=summary()),), after=3),) * 2, "The stream broke off."),
    ],
)
async def test_a_summary_that_fails_twice_is_not_used_and_the_window_moves(
    session: Session, script: tuple[str | Scripted | Refused, ...], told: str
) -> None:
    """
    No summary is written, what is left out is said, the user can be told why, and the log keeps every word.
    """
    model = scripted(*script, then=None)
    await read(session, 4, long=1)
    await talked(session, 40)
    done = await compactor(session, model).compact(BUDGET, SHARE)

    assert "truncation" == done.stage
    assert told in done.failure
    assert [] == await entries(session, Compacted)
    assert [done.entries[-1]] == [record.pos for record in await entries(session, WindowMoved)]
    assert done.after < done.before
    assert len(script) == len(model.requests)
    assert (done.usage or Usage()) == session.state.usage


async def test_a_failure_of_what_nobody_needed_changes_nothing(session: Session) -> None:
    """
    Who asks for a summary while there is room loses nothing if it fails.
    """
    await talked(session, 10)
    done = await compactor(session, scripted("no", "no")).compact(BUDGET)

    assert (None, (), done.before) == (done.stage, done.entries, done.after)
    assert "sections" in done.failure


async def test_a_summary_that_is_no_smaller_is_not_used(session: Session) -> None:
    """
    A model that talks more than what it summarizes is told so once.
    """
    model = scripted(summary(goal=STORY * 60), summary(goal="Short."))
    await talked(session, 10)
    done = await compactor(session, model).compact(BUDGET)

    assert "summary" == done.stage
    assert "tokens, and must take at most" in asked_for(model)[1]


async def test_nobody_is_asked_for_a_summary_that_cannot_be_smaller(session: Session) -> None:
    """
    The headings and the user's own words alone may be longer than what they would stand for.
    """
    model = scripted()
    await talked(session, 3, long=0)

    done = await compactor(session, model).compact(BUDGET)

    assert Compaction(why="asked", before=done.before, after=done.before, failure=NO_SHORTER) == done
    assert [] == model.requests


async def test_the_newest_turns_are_never_summed_up(session: Session) -> None:
    """
    If there is nothing else, nothing is done, and it is said why.
    """
    await talked(session, 2, long=90)
    done = await compactor(session, scripted()).compact(BUDGET, SHARE)

    assert (None, ONLY_NEWEST) == (done.stage, done.failure)


async def test_after_an_overflow_the_window_shrinks_whatever_it_takes(session: Session) -> None:
    """
    A provider that refuses what we count as fitting is not asked the same again, even within one turn.
    """
    error = Overflow("Too long.", limit=1_000, asked=2_000)
    await session.append(said("Read"), *used("a", STORY * 60), *used("b", STORY * 60))
    done = await compactor(session, scripted(), CompactionSettings(window=8_000, output=600)).compact(
        BUDGET, overflowed(error)
    )

    assert ("overflow", "truncation", ONLY_NEWEST) == (done.why, done.stage, done.failure)
    assert done.after <= done.before * 0.5


async def test_what_cannot_be_made_smaller_is_left_as_it_is(session: Session) -> None:
    """
    Where even the newest words are too long for a provider, the next window says so.
    """
    await session.append(said("Go"))
    error = Overflow("Too long.", limit=1, asked=2_000)
    done = await compactor(session, scripted()).compact(BUDGET, overflowed(error))

    assert (None, done.before) == (done.stage, done.after)


async def test_two_compactions_that_free_too_little_are_an_error(session: Session) -> None:
    """
    Without a user turn between them; the error says what to do, a third is not even tried, a user turn begins anew.
    """
    model = scripted(then=lambda _: "no summary")
    settings = CompactionSettings(gain=1.0, window=8_000, output=600)
    compact = compactor(session, model, settings)
    await talked(session, 40)
    overflow = Trigger(why="overflow")
    first = await compact.compact(BUDGET, overflow)
    with pytest.raises(CompactionStuck) as stuck:
        await compact.compact(BUDGET, overflow)
    asked = len(model.requests)
    with pytest.raises(CompactionStuck):
        await compact.compact(BUDGET, overflow)
    await session.append(said("Go on"))
    again = await compact.compact(BUDGET, overflow)

    assert "truncation" == first.stage
    assert "Start a new session" in stuck.value.hint
    assert asked < len(model.requests)
    assert "truncation" == again.stage


@pytest.mark.parametrize(("then", "most"), [(good, 1), (lambda _: "no summary", 2)])
async def test_a_turn_that_is_restarted_again_and_again_asks_for_no_further_summary(
    session: Session, then: Callable[[Request], str], most: int
) -> None:
    """
    What was summarized or left out is in the log, so a process that knows nothing of those before it asks no more.
    """
    await talked(session, 10)
    await talked(session, 1, long=100)
    await session.append(said("Read everything"))
    asked = 0
    for number in range(8):
        await session.append(*used(f"f{number}", STORY * 40))
        model = scripted(then=then)
        again = compactor(session, model)
        if (trigger := await again.due(BUDGET)) is not None:
            await again.compact(BUDGET, trigger)
        asked += len(model.requests)

    assert most == asked


async def test_cancelling_leaves_nothing(session: Session) -> None:
    """
    Who gives up while the model summarizes finds the log as it was, and the request is cancelled.
    """
    asked = asyncio.Event()
    model = scripted(telling(asked, Scripted(parts=(Text(text=summary()),), after=2, failure="silence")))
    await read(session, 4)
    await talked(session, 40)
    last = session.state.last
    work = asyncio.ensure_future(compactor(session, model).compact(BUDGET, SHARE))
    await asyncio.wait_for(asked.wait(), 20)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

    assert last == session.state.last
    assert 1 == model.given_up


@pytest.mark.parametrize("what", ["rewound", "late result"])
async def test_a_summary_of_what_was_changed_meanwhile_is_not_used(session: Session, what: str) -> None:
    """
    If the conversation can no longer be cut where the summary ends, it stands for nothing.
    """
    await talked(session, 10)
    call = ToolCall(id=CallId("x"), name="deploy")
    await session.append(said("Deploy"), ModelReplied(parts=(call,), stop="called"), said("And?"), said("Hello?"))
    asked = asyncio.Event()
    model = ScriptedModel(TARGET, telling(asked, summary(state="deploy")), piece=1)
    settings = CompactionSettings(turns=1, window=8_000, output=600)
    work = asyncio.ensure_future(compactor(session, model, settings).compact(BUDGET))
    await asyncio.wait_for(asked.wait(), 20)
    if what == "rewound":
        await session.rewind(3)
    else:
        await session.append(ToolFinished(call=call.id, name="deploy"))
    done = await work

    assert (None, CHANGED) == (done.stage, done.failure)
    assert done.usage is not None
    assert [] == await entries(session, Compacted)


async def test_what_a_summary_cost_is_counted_at_the_prices_given(session: Session) -> None:
    """
    Tokens and money of the model that summarizes are the session's; a provider that names the cost is believed.
    """
    prices = {TARGET.model: Price(input=1_000_000, cached=0, output=1_000_000)}
    usage = Usage(input_tokens=10, output_tokens=5)
    await talked(session, 10)
    model = scripted(Scripted(parts=(Text(text=summary()),), usage=usage))
    done = await Compactor(session, View(session, cost), model, settings=SETTINGS, prices=prices).compact(BUDGET)

    assert Usage(input_tokens=10, output_tokens=5, cost_micros=15) == done.usage
    assert done.usage == session.state.usage


async def test_a_pinned_message_stays_behind_a_summary(session: Session) -> None:
    """
    Who pins a message keeps it, however often the session is compacted.
    """
    pos = await session.append(said("The password is on the fridge."))
    await session.append(Pinned(target=pos))
    await talked(session, 20)
    done = await compactor(session, scripted()).compact(BUDGET)

    assert "summary" == done.stage
    assert "The password is on the fridge." in await shown(session)


async def test_a_pinned_message_that_was_cut_to_fit_counts_whole(session: Session) -> None:
    """
    Behind a summary it is shown whole again, so a summary beside it may not be smaller than what was shown.
    """
    await talked(session, 3)
    pos = await session.append(replied(STORY * 60))
    await session.append(Pinned(target=pos), Pinned(target=Position(0)), Shortened(entries=(pos,), keep=100))
    await talked(session, 2)
    model = scripted()
    done = await compactor(session, model).compact(BUDGET)

    assert (NO_SHORTER, []) == (done.failure, model.requests)


async def test_a_session_that_is_opened_again_shows_the_same_summary(session: Session) -> None:
    """
    What a compaction did is in the log, and nowhere else.
    """
    await talked(session, 40)
    view = View(session, cost)
    done = await Compactor(session, view, scripted(), settings=SETTINGS).compact(BUDGET, SHARE)

    assert await view.window(BUDGET) == await View(session, cost).window(BUDGET)
    assert "summary" == done.stage


async def test_by_default_the_settings_are_the_documented_ones(session: Session) -> None:
    """
    A compactor without settings does what the page says.
    """
    model = ScriptedModel(TARGET, then=good)
    await talked(session, 100, long=60)
    compact = Compactor(session, View(session, cost), model)
    budget = Budget(tokens=80_000)

    assert SHARE == await compact.due(budget)
    assert "summary" == (await compact.compact(budget, SHARE)).stage
