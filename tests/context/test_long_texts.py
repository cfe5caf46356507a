"""Windows of very long texts: counted and cut in a thread."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from holdfast.assembly import open_volatile
from holdfast.clock import ManualClock
from holdfast.context.budget import Budget
from holdfast.context.prepare import open_view, prepare
from holdfast.model.protocol import Target
from holdfast.records.entries import Shortened
from holdfast.session.writer import Session
from tests.holding import HELD, beside
from tests.session.talk import all_of, replied, said

BUDGET = Budget(tokens=32_000)
PASTE = 'a "word" of a paste and\n' * 45_000
LONG = PASTE * 12


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    """A session in memory."""
    async with open_volatile(clock=ManualClock()) as store, store.session("s") as opened:
        yield opened


@pytest.mark.parametrize("model", ["claude-opus-5", "gpt-4o", "phi-4"])
@pytest.mark.parametrize("text", [PASTE, LONG], ids=["1 MB", "13 MB"])
async def test_a_long_text_does_not_hold_the_event_loop(session: Session, model: str, text: str) -> None:
    """
    Reading a vocabulary, counting a text and choosing how short it is shown leave others their turns.
    """
    target = Target(family="openai-chat", provider="openai", model=model)
    view = open_view(session, target)
    await session.append(said("hello"), replied("hi"))
    first = await beside(prepare(session, target, BUDGET, view=view))
    await session.append(said(text))
    then = await beside(prepare(session, target, BUDGET, view=view))

    assert first.longest < HELD
    assert then.longest < HELD
    assert any(isinstance(record.entry, Shortened) for record in await all_of(session.read()))


async def test_requests_that_are_made_at_once_show_the_same(session: Session) -> None:
    """
    Two who ask while a long text is counted in a thread disturb each other in nothing.
    """
    target = Target(family="openai-chat", provider="openai", model="claude-opus-5")
    view = open_view(session, target)
    await session.append(said(PASTE))
    alone = await prepare(session, target, BUDGET)
    made = []

    async def again() -> None:
        made.append(await prepare(session, target, BUDGET, view=view))

    async def another() -> None:
        await session.append(replied("hi"), said("more"))
        await again()

    await asyncio.gather(again(), again(), another(), again())

    assert {alone.window.messages} <= {each.window.messages[:1] for each in made}
