"""A session as the model sees it, from request to request."""

from collections.abc import AsyncIterator

import pytest

from holdfast.assembly import open_volatile
from holdfast.clock import ManualClock
from holdfast.context.budget import Budget
from holdfast.context.prefix import BEGINNING, GO_ON
from holdfast.context.view import LONG, View
from holdfast.context.window import LeftOut
from holdfast.errors import TooSmall
from holdfast.records.entries import CommandRan, Compacted, Entry, Pinned, Shortened, WindowMoved
from holdfast.session.store import Store
from holdfast.session.writer import Session
from tests.context.words import asked, cost, delivered, gave, queued, seen
from tests.session.talk import at, replied, said

ROOMY = Budget(tokens=10_000, output=0)


def tight(tokens: int, **bounds: object) -> Budget:
    """A budget of so many tokens, none of them for the reply."""
    return Budget(**{"tokens": tokens, "output": 0, **bounds})  # type: ignore[arg-type]


def turn(number: int) -> tuple[Entry, Entry]:
    """A turn of twenty tokens."""
    return said(f"q{number} " + "u " * 8), replied(f"a{number} " + "m " * 8)


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    """A store in memory."""
    async with open_volatile(clock=ManualClock()) as opened:
        yield opened


@pytest.fixture
async def session(store: Store) -> AsyncIterator[Session]:
    """A session in it."""
    async with store.session("s") as opened:
        yield opened


async def test_a_session_that_fits_is_shown_as_it_is(session: Session) -> None:
    """
    Nothing is written down, and nothing is left out.
    """
    await session.append(said("hello"), replied("hi"), CommandRan(command="/help"), said("bye"))
    window = await View(session, cost).window(ROOMY)

    assert ["user: hello", "assistant: hi", "user: bye"] == seen(window)
    assert (6, 0, ()) == (window.tokens, window.start, window.left_out)
    assert 4 == session.state.last


async def test_a_person_speaks_first_and_the_model_is_asked_last(session: Session) -> None:
    """
    What the agent said unasked is shown between two lines of ours.
    """
    await session.append(delivered("Good morning."))

    assert [f"user: {BEGINNING}", "assistant: Good morning.", f"user: {GO_ON}"] == seen(
        await View(session, cost).window(ROOMY)
    )


async def test_time_stamps_are_shown_on_request(session: Session) -> None:
    """
    On what a person said, and on nothing else.
    """
    await session.append(said("hello"), replied("hi"), said("bye"))
    stamp = "[2026-11-16 00:00 UTC]"

    assert [f"user: {stamp} hello", "assistant: hi", f"user: {stamp} bye"] == seen(
        await View(session, cost, timestamps=True).window(ROOMY)
    )


async def test_the_start_moves_in_jumps_and_stays_between(session: Session) -> None:
    """
    Over the threshold it goes well below it, so most requests begin with the bytes of the one before.
    """
    view, starts, kept = View(session, cost), [], 0
    before: list[str] = []
    for number in range(30):
        await session.append(turn(number)[0])
        now = seen(await view.window(tight(200)))
        kept += before == now[: len(before)]
        before = now
        starts.append((await view.window(tight(200))).start)
        await session.append(turn(number)[1])

    assert 4 <= len(set(starts)) <= 8
    assert starts == sorted(starts)
    assert 30 - len(set(starts)) <= kept


async def test_what_was_left_out_is_told_to_the_model_and_to_the_user(session: Session) -> None:
    """
    One line in the window, and the same positions beside it.
    """
    for number in range(12):
        await session.append(*turn(number))
    await session.append(said("now"))
    window = await View(session, cost).window(tight(150))
    last = window.start - 1

    assert seen(window)[0].startswith("user: q0")
    assert f"user: [What was said from 0 to {last} in the log is not shown here, to fit.]" == seen(window)[1]
    assert (LeftOut(first=at(0), last=at(last), why="to fit"),) == window.left_out


async def test_first_message_and_the_most_recent_ones_is_a_policy(session: Session) -> None:
    """
    A number of messages, the first of them kept, and no target below it.
    """
    for number in range(9):
        await session.append(said(f"q{number}"), replied(f"a{number}"))
    await session.append(said("now"))
    policy = Budget(messages=7, keep_first=True, target=1.0)
    window = await View(session, cost).window(policy)
    note = "user: [What was said from 0 to 14 in the log is not shown here, to fit.]"

    assert ["user: q0", note, "user: q7", "assistant: a7", "user: q8", "assistant: a8", "user: now"] == seen(window)


async def test_tokens_and_messages_are_bounds_together(session: Session) -> None:
    """
    Whichever is reached first counts, and neither is ever passed.
    """
    view = View(session, cost)
    for number in range(20):
        await session.append(*turn(number), said("x"))
        by_messages = await view.window(tight(5_000, messages=9))
        by_tokens = await view.window(tight(170, messages=9))
        assert len(by_messages.messages) <= 9
        assert by_tokens.tokens <= 170


async def test_what_system_text_tools_and_the_provider_count_takes_room(session: Session) -> None:
    """
    The bound holds for the whole request, as the provider counts it.
    """
    for number in range(9):
        await session.append(*turn(number))
    await session.append(said("x"))
    window = await View(session, cost).window(tight(250), fixed=100)

    assert 100 + window.tokens <= 250


async def test_a_delivery_that_the_user_answers_is_kept(session: Session) -> None:
    """
    It is shown in front of the answer, although the window begins at the answer.
    """
    await session.append(*turn(1), *turn(2), delivered("The slip is booked."), said("Thanks. " + "u " * 60))
    shown = seen(await View(session, cost).window(tight(130, keep_first=False)))

    assert ["assistant: The slip is booked.", "user: Thanks. " + "u " * 60] == shown[-2:]


async def test_pinned_messages_stay(session: Session) -> None:
    """
    Until they are taken out, wherever the window begins.
    """
    view = View(session, cost)
    await session.append(*turn(0), said("never on Sundays"), replied("ok"), Pinned(target=at(3)))
    for number in range(1, 12):
        await session.append(*turn(number), said("x"))
        shown = seen(await view.window(tight(150)))
        assert 1 == shown.count("user: never on Sundays")


async def test_an_oversized_turn_is_shortened_where_it_hurts_least(session: Session) -> None:
    """
    The longest result first, visibly; the log says so, and has every word.
    """
    await session.append(said("go"), asked("a", "b"), gave("a", "a " * 3_000), gave("b", "b b b"))
    view = View(session, cost)
    window = await view.window(tight(2_500))

    assert window.tokens <= 2_500
    assert "tool: b b b" == seen(window)[3]
    assert "characters are not shown" in seen(window)[2]
    assert (LeftOut(first=at(3), last=at(3), why="shortened"),) == window.left_out
    assert window == await View(session, cost).window(tight(2_500))


async def test_a_tight_budget_that_leaves_no_user_turn_brings_the_nearest_one_back(session: Session) -> None:
    """
    A model that sees only its own steps no longer knows what for.
    """
    steps = [each for _ in range(9) for each in (asked("a"), gave("a", "r " * 8))]
    await session.append(*turn(0), said("find the leak"), *steps)
    shown = seen(await View(session, cost).window(tight(90)))

    assert "user: find the leak" in shown
    assert "assistant: shell!" == shown[shown.index("user: find the leak") + 1]


async def test_queued_messages_enter_where_they_are_heard(session: Session) -> None:
    """
    At the next step, behind the results, and not in the middle of a call and its result.
    """
    await session.append(said("go"), asked("a"), queued("wait", "step"), gave("a"))

    assert ["user: go", "assistant: shell!", "tool: done", "user: wait"] == seen(
        await View(session, cost).window(ROOMY)
    )


async def test_a_budget_that_holds_nothing_is_an_error(session: Session) -> None:
    """
    It is told, never sent.
    """
    await session.append(said("hello there"))

    with pytest.raises(TooSmall):
        await View(session, cost).window(tight(10))


async def test_a_view_follows_rewinds_summaries_and_moves_of_others(session: Session) -> None:
    """
    It always shows what a view made anew shows.
    """
    view = View(session, cost)
    await session.append(*turn(0), *turn(1), said("x"))
    changes: list[Entry] = [
        Compacted(summary="so far", first=at(0), last=at(2), verbatim_from=at(3)),
        Pinned(target=at(1)),
        Shortened(entries=(at(3),), keep=3),
        WindowMoved(start=at(5), keep=(at(1),)),
    ]
    for change in changes:
        await view.window(ROOMY)
        await session.append(change)
        assert await View(session, cost).window(ROOMY) == await view.window(ROOMY)
    await session.rewind(2)

    assert ["user: q0 " + "u " * 8, "assistant: a0 " + "m " * 8, f"user: {GO_ON}"] == seen(await view.window(ROOMY))


async def test_what_was_summed_up_is_left_out_by_that_name(session: Session) -> None:
    """
    The user can tell a summary from an omission.
    """
    await session.append(*turn(0), *turn(1), Compacted(summary="s", first=at(0), last=at(2), verbatim_from=at(3)))
    window = await View(session, cost).window(ROOMY)

    assert (LeftOut(first=at(0), last=at(2), why="summarised"),) == window.left_out
    assert seen(window)[0].endswith("\n\ns")


async def test_many_records_at_once_are_read_and_not_followed(session: Session) -> None:
    """
    A view that was not asked for long reads the log again.
    """
    view = View(session, cost)
    await session.append(said("a"))
    await view.window(ROOMY)
    await session.append(*[said("b")] * 300)

    assert 301 == len((await view.window(ROOMY)).messages)


@pytest.mark.parametrize("keep_first", [True, False])
async def test_the_window_of_a_long_session_is_settled_near_its_end(session: Session, keep_first: bool) -> None:
    """
    A session of millions of entries, imported perhaps, is not read from its beginning for one request.
    """
    await session.append(*[entry for number in range(LONG // 2 + 50) for entry in turn(number)], said("now"))
    window = await View(session, cost).window(tight(400, keep_first=keep_first))

    assert window.start > LONG - 100
    assert window.tokens <= 400
    assert keep_first == seen(window)[0].startswith("user: q0 ")
    assert window == await View(session, cost).window(tight(400, keep_first=keep_first))


async def test_a_long_session_of_short_words_is_settled_at_its_beginning(session: Session) -> None:
    """
    Where everything fits, the window begins at the beginning, and the log says so.
    """
    short: list[Entry] = [said("a"), replied("b")]
    await session.append(*short * (LONG // 2 + 50), said("now"))
    window = await View(session, cost).window(tight(50_000))

    assert (0, ()) == (window.start, window.left_out)


async def test_a_long_session_is_settled_on_its_branch(session: Session) -> None:
    """
    What was rewound is not counted and not shown.
    """
    await session.append(*[entry for number in range(LONG // 2 + 200) for entry in turn(number)])
    await session.rewind(LONG + 100)
    await session.append(said("elsewhere"))
    window = await View(session, cost).window(tight(400))

    assert "user: elsewhere" == seen(window)[-1]
    assert at(LONG) - 100 < window.start < at(LONG + 101)


async def test_a_stretch_of_the_branch_that_is_before_the_start_is_not_read(session: Session) -> None:
    """
    After a rewind the branch has several stretches; a window that begins in the last shows that alone.
    """
    await session.append(*turn(0), *turn(1))
    await session.rewind(2)
    for number in range(2, 9):
        await session.append(*turn(number))
    window = await View(session, cost).window(tight(110, keep_first=False))

    assert window.start > 5
    assert window == await View(session, cost).window(tight(110, keep_first=False))


async def test_an_entry_can_be_seen_whole_that_the_window_shows_cut(session: Session) -> None:
    """
    Who weighs what a later window will show counts it as it will be shown there.
    """
    await session.append(said("x" * 50), replied("ok"), Shortened(entries=(at(1),), keep=3))
    view = View(session, cost)
    whole = await view.whole(at(1))

    assert whole is not None
    assert "x" * 50 in str(whole.messages)
    assert "characters are not shown" in seen(await view.window(ROOMY))[0]
    assert None is await view.whole(at(0))
