"""One call from a session to the body of a request."""

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import get_args

import pytest

from holdfast.assembly import open_store, open_volatile
from holdfast.clock import ManualClock
from holdfast.context.budget import Budget
from holdfast.context.legal.families import check
from holdfast.context.legal.openai_chat import BOUNDS
from holdfast.context.legal.rendered import Dropped
from holdfast.context.prepare import assemble, fixed_tokens, open_view, prepare
from holdfast.errors import ContextError
from holdfast.ids import BlobId, Position
from holdfast.model.protocol import Family, Target, ToolSpec
from holdfast.model.tokens import count_request, counter_for
from holdfast.records.entries import ModelReplied, Rewound, UserSaid
from holdfast.records.parts import Blob, Text, Thinking, Usage
from holdfast.session.writer import Session
from tests.context.words import asked, gave
from tests.records.pictures import png
from tests.session.talk import at, replied, said

PNG = png()
CHAT = Target(family="openai-chat", model="gpt-4o")
TOOLS = (ToolSpec(name="shell", description="Runs a command."),)


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    """A session in memory."""
    async with open_volatile(clock=ManualClock()) as store, store.session("s") as opened:
        yield opened


@pytest.mark.parametrize("family", get_args(Family))
async def test_each_family_gets_a_body_that_its_provider_takes(session: Session, family: Family) -> None:
    """
    System text, tools, words, a picture, a call and its result are in it, and it is JSON.
    """
    picture = await session.attach(PNG, media_type="image/png", name="boat.png")
    await session.append(UserSaid(parts=(Text(text="look"), picture)), asked("a"), gave("a", "found it"))
    target = Target(family=family, model="m", provider="p")
    prepared = await prepare(session, target, Budget(tokens=32_000), system="be brief", tools=TOOLS)
    sent = json.dumps(prepared.body)

    assert () == check(family, prepared.body)
    assert ((), ()) == (prepared.dropped, prepared.notes)
    assert [] == [
        each for each in ("be brief", "Runs a command.", "look", "iVBORw0KGgo", "found it") if each not in sent
    ]


async def test_the_request_is_within_the_budget_as_we_count_it(session: Session) -> None:
    """
    The count is of everything that is sent, and is what a reply should be written down with.
    """
    for number in range(50):
        await session.append(said(f"question {number} " * 20), replied("answer " * 20))
    await session.append(said("and?"))
    budget = Budget(tokens=2_000, output=500)
    prepared = await prepare(session, CHAT, budget, system="be brief " * 20, tools=TOOLS)

    assert prepared.tokens == count_request(prepared.request, counter_for(CHAT.model))
    assert prepared.tokens <= 1_500
    assert fixed_tokens(CHAT) < fixed_tokens(CHAT, system="x") < fixed_tokens(CHAT, system="x", tools=TOOLS)


async def calls_of_a_request(length: int) -> int:
    """How many functions a request calls after so many turns, when the request before it was made already."""
    calls = 0

    def count(_frame: object, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    async with open_volatile(clock=ManualClock()) as store, store.session("s") as session:
        for number in range(length):
            await session.append(said(f"question {number}"), replied("answer"))
        view = open_view(session, CHAT)
        await assemble(view, CHAT, Budget(tokens=100_000))
        await session.append(said("and?"))
        sys.setprofile(count)
        try:
            made = await assemble(view, CHAT, Budget(tokens=100_000))
        finally:
            sys.setprofile(None)
    assert 2 * length + 1 == len(made.request.messages)
    return calls


async def test_a_request_costs_what_is_new_in_it() -> None:
    """
    Nothing is called for each message that was in the request before.
    """
    short, long = await calls_of_a_request(10), await calls_of_a_request(500)

    assert long <= 2 * short


async def test_a_provider_that_counts_more_is_sent_less(session: Session) -> None:
    """
    What it reports about one request corrects the next.
    """
    for _ in range(50):
        await session.append(said("question " * 20), replied("answer " * 20))
    await session.append(said("and?"))
    budget = Budget(tokens=2_000, output=500)
    first = await prepare(session, CHAT, budget)
    usage = Usage(input_tokens=first.tokens * 2)
    await session.append(ModelReplied(parts=(Text(text="so"),), usage=usage, asked_tokens=first.tokens), said("and?"))
    second = await prepare(session, CHAT, budget)

    assert second.tokens * 1.5 <= 1_500


async def test_what_is_left_out_is_named_with_the_reason(session: Session) -> None:
    """
    What the window leaves out, and what this kind of provider does not take, in one list for a person.
    """
    zipped = Blob(blob=BlobId("1" * 64), media_type="application/zip", size=3, name="a.zip")
    large = Blob(blob=BlobId("2" * 64), media_type="image/png", size=BOUNDS.each, name="big.png")
    gone = Blob(blob=BlobId("3" * 64), media_type="image/png", size=9, name="gone.png")
    for _ in range(50):
        await session.append(said("question " * 20), replied("answer " * 20))
    thought = ModelReplied(parts=(Thinking(text="hm", signature="s", model="other"), Text(text="yes")))
    await session.append(UserSaid(parts=(zipped, large, gone)), thought, said("and?"))
    prepared = await prepare(session, CHAT, Budget(tokens=20_000, output=500, messages=40))
    said_at = prepared.dropped[0].pos

    assert [
        Dropped(kind="file", why="application/zip is not taken", name="a.zip", pos=said_at),
        Dropped(kind="image", why="it is too large", name="big.png", pos=said_at),
        Dropped(kind="image", why="its bytes are not at hand", name="gone.png", pos=said_at),
        Dropped(kind="thinking", why="thinking is not taken back", pos=Position(said_at + 1)),
    ] == list(prepared.dropped)
    assert f"0 to {prepared.window.start - 1} in the log: to fit" == prepared.notes[0]
    assert f"image big.png at {said_at}: it is too large" == prepared.notes[2]
    assert f"thinking at {said_at + 1}: thinking is not taken back" == prepared.notes[4]
    assert "[image: big.png, 20.0 MB, not shown]" in json.dumps(prepared.body)


async def test_what_is_shortened_is_named_by_its_position(session: Session) -> None:
    """
    One entry is one position.
    """
    await session.append(said("go"), asked("a"), gave("a", "word " * 3_000))
    prepared = await prepare(session, CHAT, Budget(tokens=2_000, output=500))

    assert ("3 in the log: shortened",) == prepared.notes
    assert prepared.left_out == prepared.window.left_out


async def test_entries_that_say_nothing_to_the_model_are_named(session: Session) -> None:
    """
    Words without a letter, and the result of a call that stands on another branch.
    """
    await session.append(said("go"), asked("a"), Rewound(to=Position(1)), gave("a", "late"), said(" "))
    prepared = await prepare(session, CHAT, Budget())

    assert ("4 in the log: answers no call", "5 in the log: empty") == prepared.notes


async def test_what_the_request_itself_drops_stands_nowhere_in_the_log(session: Session) -> None:
    """
    A tool that is offered twice is sent once, and named without a position.
    """
    await session.append(said("go"))
    prepared = await prepare(session, CHAT, Budget(), tools=(*TOOLS, *TOOLS))

    assert [True] == [note.startswith("tool shell: ") for note in prepared.notes]


async def test_the_newest_pictures_are_sent_and_no_more_are_read(session: Session) -> None:
    """
    Whether there are too many is known by their sizes, so the bytes of the oldest are never read.
    """
    most = BOUNDS.total // (BOUNDS.each // 2)
    # The oldest are not even there: asking for their bytes would be told as another reason.
    older = [
        Blob(blob=BlobId(f"{number:064x}"), media_type="image/png", size=BOUNDS.each // 2, name=f"{number}.png")
        for number in range(most)
    ]
    newest = await session.attach(PNG, media_type="image/png", name="newest.png")
    await session.append(UserSaid(parts=(*older, newest)))
    prepared = await prepare(session, CHAT, Budget(tokens=200_000))
    whys = [each.why for each in prepared.dropped]

    assert "there are too many newer ones" == whys[0]
    assert "iVBORw0KGgo" in json.dumps(prepared.body)


async def test_nothing_to_send_is_an_error(session: Session) -> None:
    """
    No provider takes a request without a message.
    """
    with pytest.raises(ContextError, match="nothing was said"):
        await prepare(session, CHAT, Budget())


async def test_a_view_can_be_kept_from_request_to_request(session: Session) -> None:
    """
    It gives the same as one made anew, with time stamps if they were asked for.
    """
    view = open_view(session, CHAT, timestamps=True)
    await session.append(said("hello"))
    first = await prepare(session, CHAT, Budget(), view=view)
    await session.append(replied("hi"), said("bye"))
    second = await prepare(session, CHAT, Budget(), view=view)
    anew = await prepare(session, CHAT, Budget(), view=open_view(session, CHAT, timestamps=True))

    assert "[2026-11-16 00:00 UTC] hello" in json.dumps(first.body)
    assert anew == second
    assert json.dumps(first.body)[:-3] == json.dumps(second.body)[: len(json.dumps(first.body)) - 3]


async def test_everything_in_a_request_is_durable_before_it_is_given_away(tmp_path: Path) -> None:
    """
    Nothing is sent that a power cut could take back.
    """
    async with open_store(tmp_path) as store, store.session("s") as opened:
        position = await opened.append(said("hello"))
        await prepare(opened, CHAT, Budget())
        ack = await opened.commit()

    assert (at(position), "always") == (ack.position, ack.durability)
