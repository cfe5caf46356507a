"""The loop: ask, act, ask again."""

import asyncio
import math

from holdfast.agent.reply_recorder import BOUND
from holdfast.agent.turn import Cause, Turn, Why
from holdfast.errors import HoldfastError, OverBudget, Unavailable
from holdfast.model.stream import Reply
from holdfast.records.entries import TurnEnded
from holdfast.records.parts import Text, ToolCall


async def run_turn(turn: Turn) -> TurnEnded:
    """Have one turn, to a clean end whatever happens on the way.

    Nothing acts before its entry is durable: what was said before the model is asked, a reply before its
    calls run, a call's start before it runs, its result before the model sees it. Cancelling ends the turn
    as cancelled, with everything that was shown and every finished step in the log.
    """
    try:
        async with turn.time():
            if denied := await turn.begin():
                return await turn.end("failed", denied, "hook")
            while not (limit := turn.limit()):
                reply = await turn.ask()
                if not await turn.act(reply):
                    return await turn.end(*_outcome(reply))
            return await turn.end("limit", limit, turn.limit_cause)
    except TimeoutError:
        return await turn.end("limit", turn.limit(), turn.limit_cause)
    except asyncio.CancelledError:
        return await turn.end("cancelled", turn.stopped)
    except OverBudget as error:
        return await turn.end("limit", str(error), "budget")
    except Unavailable as error:
        return await turn.end("failed", str(error), retry_after=math.ceil(error.retry_after or 0))
    except HoldfastError as error:
        return await turn.end("failed", str(error))


def _outcome(reply: Reply) -> tuple[Why, str, Cause]:
    """How a turn ends with its last reply."""
    if reply.stop == "refused":
        return "failed", "The model refused to answer.", "refused"
    if any(isinstance(part, Text | ToolCall) for part in reply.parts):
        cut = reply.stop == "length"
        return "answered", f"The reply was cut at its bound ({BOUND})." if cut else "", "cut" if cut else ""
    if reply.stop == "length":
        return "limit", f"The model thought to the bound of its reply, and said nothing ({BOUND}).", "cut"
    return "answered", "The model thought, and said nothing.", ""
