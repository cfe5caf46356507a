"""Being told to leave: the first signal asks, and the old ways come back afterwards."""

import asyncio
import os
import signal

import pytest

from holdfast.hosts.exits import Exit
from holdfast.hosts.signals import CODES, leaving


@pytest.mark.parametrize(("number", "code"), CODES.items())
async def test_a_signal_is_noted_with_its_exit_code(number: signal.Signals, code: Exit) -> None:
    """
    Ending a service in good order is no failure; breaking off is.
    """
    with leaving() as told:
        assert told.code is None
        os.kill(os.getpid(), number)
        await asyncio.wait_for(told.wait(), 60)

        assert code == told.code


async def test_a_second_signal_does_what_it_always_did() -> None:
    """
    Who cannot wait is not kept.
    """
    with leaving() as told:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.wait_for(told.wait(), 60)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


async def test_afterwards_everything_is_as_before() -> None:
    """
    Also when the block ends with an error.
    """
    before = {number: signal.getsignal(number) for number in CODES}
    with leaving(signal.SIGTERM):
        assert before[signal.SIGHUP] == signal.getsignal(signal.SIGHUP)
    with pytest.raises(ZeroDivisionError), leaving(signal.SIGTERM):
        raise ZeroDivisionError

    assert before[signal.SIGTERM] == signal.getsignal(signal.SIGTERM)
