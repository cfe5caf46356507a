"""What memory costs: the tokens of drawing facts, and the time of reading those that a system text shows."""

import tempfile
import time
from pathlib import Path
from random import Random

from holdfast import ManualClock, open_store, open_volatile
from holdfast.ids import Position
from holdfast.memory.core_text import MOST, chosen, core_text
from holdfast.model.estimate import Estimate
from holdfast.model.protocol import UserMessage
from holdfast.records.facts import AddFact, Consolidated
from holdfast.records.parts import plain_text
from tests.memory.campaigns import UNBOUND, Result
from tests.memory.remembering import ME, answer, drawer, remembering, turn
from tests.session.remembering import adds

TURNS, FACTS, SESSIONS = 200, 200, 1_000
MOST_INPUT, MOST_CALLS, MOST_MILLISECONDS = 180, 30, 5
"""Percent of the session's own words, requests, and milliseconds of CPU."""
WORDS = "harbour boat engine sails weather tide chart anchor winter repair order price delivery budget".split()


async def costs(step: int = 1) -> Result:
    """A session of 200 turns and 100,000 tokens, and 10,000 facts in 1,000 sessions."""
    share, calls = await _drawing(TURNS // step)
    milliseconds = await _reading(SESSIONS // step)
    wrong = [f"{share} % of the session's words were sent"] * (share > MOST_INPUT)
    wrong += [f"{calls} requests"] * (calls > MOST_CALLS)
    wrong += [f"the core took {milliseconds} ms"] * (milliseconds > MOST_MILLISECONDS)
    figures = {"% of the session's words as input": share, "requests": calls, "ms CPU for the core": milliseconds}
    return Result(name="costs", done=TURNS // step, figures=figures, wrong=tuple(wrong))


async def _drawing(turns: int) -> tuple[int, int]:
    """Input of all requests in percent of the words of a session, and how many requests there were."""
    random, count, own = Random(15), Estimate().count, 0
    async with open_volatile(clock=ManualClock()) as store, store.session("s") as session:
        await store.note(
            ME, adds(*(f"Has the thing number {number} of wood in the cellar." for number in range(FACTS)))
        )
        for _ in range(turns):
            said, reply = (" ".join(random.choices(WORDS, k=190)) for _ in range(2))
            own += count(said) + count(reply)
            await turn(session, said, reply)
        model = drawer(*[answer()] * turns)
        consolidation = remembering(store, model, ManualClock(), UNBOUND).consolidation
        while (await consolidation.draw("s", session)).more:
            pass
    messages = [each for request in model.requests for each in request.messages if isinstance(each, UserMessage)]
    sent = sum(count(request.system) for request in model.requests) + sum(
        count(plain_text(each.parts)) for each in messages
    )
    return sent * 100 // own, len(model.requests)


async def _reading(sessions: int) -> int:
    """Milliseconds of CPU for the core of a prompt, with ten facts in each session; the median of eleven."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Path(folder), durability="os") as store:
            for number in range(sessions):
                texts = [f"Has the thing {number}-{each} of wood in the cellar." for each in range(10)]
                facts = tuple(AddFact(section="person", text=text, quote=text) for text in texts)
                async with store.session(f"s{number}") as session:
                    await session.append(Consolidated(upto=Position(0), facts=facts))
            async for _ in store.catch_up():
                pass
            await store.core(ME, MOST)
            taken = []
            for _ in range(11):
                began = time.process_time()
                core = await store.core(ME, MOST)
                ids, more = chosen(core, 2_000, Estimate().count)
                core_text(ids, more, {fact.id: fact for fact in core.facts})
                taken.append(time.process_time() - began)
    return round(sorted(taken)[5] * 1000)
