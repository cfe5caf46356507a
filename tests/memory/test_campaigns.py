"""A part of each campaign of `make memory`; the whole of it is the same with a step of one."""

import pytest

from tests.memory.campaigns import CAMPAIGNS
from tests.memory.costs import costs
from tests.memory.kills import kills

STEPS = {"poisonings": 40, "quotes": 20, "operations": 20, "duplicates": 10, "forget": 10, "scopes": 100}


@pytest.mark.parametrize("name", CAMPAIGNS)
async def test_every_promise_holds(name: str) -> None:
    """
    Nothing is put into a person's mouth, doubled, brought back or shown to others.
    """
    result = await CAMPAIGNS[name](STEPS[name])

    assert () == result.wrong
    assert result.done > 0


async def test_a_kill_doubles_nothing_and_skips_nothing() -> None:
    """
    Facts, days and cursors are those of a run without a kill, and at most one request is made twice.
    """
    result = await kills(4)

    assert () == result.wrong
    assert result.done > 1


async def test_memory_costs_what_it_may() -> None:
    """
    Drawing facts sends little more than the words themselves, and a system text does not wait for its facts.
    """
    result = await costs(10)

    assert () == result.wrong
