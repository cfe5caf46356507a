"""The built-in demo model through the real loop: streaming, stopped, killed, and gone on with."""

import asyncio
import signal
import sys
from pathlib import Path

from holdfast import ModelReplied, TurnEnded, UserSaid
from holdfast.agent.events import TextStreamed
from holdfast.providers.local.model import LocalModel
from holdfast.records.parts import plain_text
from tests.agent.troupe import turn
from tests.journeys.afterwards import entries, is_in_order
from tests.journeys.spoken import LONG, talking

ROOT = Path(__file__).resolve().parent.parent.parent
SOON = 120
"""Seconds for a short reply on a busy machine."""


async def test_it_answers_and_remembers(local: LocalModel, tmp_path: Path) -> None:
    """
    Words stream as they are made, stand in the log as one reply, and are there when the session is opened again.
    """
    async with asyncio.timeout(SOON):
        async with await talking(local, tmp_path) as conversation:
            seen = await turn(conversation, LONG)
            (reply,) = [entry for entry in await entries(conversation) if isinstance(entry, ModelReplied)]
            streamed = [event.text for event in seen if isinstance(event, TextStreamed)]

            assert len(streamed) > 1
            assert "".join(streamed) == plain_text(reply.parts)
            assert reply.usage is not None
        async with await talking(local, tmp_path) as conversation:
            assert conversation.unfinished is None
            await turn(conversation, "Go on.")

            assert 2 == conversation.state.turns
            await is_in_order(conversation)


async def test_it_can_be_stopped_and_goes_on(local: LocalModel, tmp_path: Path) -> None:
    """
    At once in the middle of a reply, what was shown is kept, and the next turn is not kept waiting for it.
    """
    async with asyncio.timeout(SOON), await talking(local, tmp_path, output=3_000) as conversation:
        with conversation.watch() as watch:
            await conversation.send(LONG)
            shown = ""
            async for event in watch:
                shown += event.text if isinstance(event, TextStreamed) else ""
                if len(shown) > 20:
                    break
            async with asyncio.timeout(SOON):
                assert await conversation.cancel()
        (reply,) = [entry for entry in await entries(conversation) if isinstance(entry, ModelReplied)]

        assert "cancelled" == reply.stop
        assert plain_text(reply.parts).startswith(shown)
    async with asyncio.timeout(SOON), await talking(local, tmp_path) as conversation:
        await turn(conversation, "Go on.")
        assert ["cancelled", "answered"] == [e.why for e in await entries(conversation) if isinstance(e, TurnEnded)]
        await is_in_order(conversation)


async def test_a_kill_within_a_reply_keeps_what_was_shown(local: LocalModel, weights: Path, tmp_path: Path) -> None:
    """
    Up to the last tenth of a second; the next process says what happened, and goes on.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.journeys.spoken", str(tmp_path), str(weights),
        cwd=ROOT, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    async with asyncio.timeout(SOON):
        shown = b""
        while len(shown) < 60:
            shown += await child.stdout.read(1)
        await asyncio.sleep(0.2)  # what was shown until now has been drafted, and more is being said
        child.send_signal(signal.SIGKILL)
        assert -signal.SIGKILL == await child.wait()
        await child.stdout.read()
        async with await talking(local, tmp_path) as conversation:
            unfinished = conversation.unfinished
            assert unfinished is not None
            assert LONG == unfinished.said
            assert unfinished.partial.startswith(shown.decode())
            assert "what was shown of it is kept" in unfinished.text
            assert await conversation.resume()
            await conversation.idle()

            log = await entries(conversation)
            assert ["interrupted", "length"] == [e.stop for e in log if isinstance(e, ModelReplied)]
            assert [LONG] == [plain_text(e.parts) for e in log if isinstance(e, UserSaid)]
            assert 1 == conversation.state.turns
            await is_in_order(conversation)
