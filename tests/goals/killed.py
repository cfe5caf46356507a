"""A goal in a process of its own that may die at one append, or behind one effect, by SIGKILL.

What it does is written to a ledger outside the store, one line an effect, and each request to a file beside it. The
scripted agent is stateless: it decides by what it is shown, and looks at the ledger where a call may have run.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from holdfast import Request, Scripted, open_store
from holdfast.agent.tool import ToolContext
from holdfast.goals.verify import SYSTEM
from holdfast.model.protocol import ToolMessage
from holdfast.providers.scripted.model import Line
from holdfast.records.codec import Record
from holdfast.records.parts import plain_text
from holdfast.session.recovery import MAY_HAVE_RUN
from tests.agent.troupe import PlainTool, calling
from tests.goals.work import Worker, claim, quiet, report, verdict

WORKS = 3
NEVER = 1_000_000


def answer(request: Request) -> Line:
    """What the agent does next, by what it is shown."""
    if request.system == SYSTEM:
        return verdict("met")(request)
    results = [each for each in request.messages if isinstance(each, ToolMessage)]
    if results and plain_text(results[-1].parts).startswith(MAY_HAVE_RUN) and results[-1].name == "work":
        return calling(("look", "{}"))
    text = "\n".join(plain_text(each.parts) for each in results)
    for number in range(WORKS):
        if f"did {number}" not in text:
            return calling(("work", json.dumps({"text": str(number)})))
    return claim(request) if "Reported" in text and "@" in text else report()


def child(folder: Path, kill_append: int, kill_effect: int) -> None:
    """Work on the goal until it is reached, or until death."""
    seen = {"appends": 0, "effects": 0}
    ledger = os.open(folder / "ledger", os.O_APPEND | os.O_CREAT | os.O_WRONLY)
    asked = os.open(folder / "asked", os.O_APPEND | os.O_CREAT | os.O_WRONLY)

    def counted(request: Request) -> Line:
        line = answer(request)
        kind = "look" if isinstance(line, Scripted) and "look" in str(line.parts) else "model"
        os.write(asked, f"{kind}\n".encode())
        return line

    def work(text: str, _: ToolContext) -> str:
        os.write(ledger, f"did {text}\n".encode())
        seen["effects"] += 1
        if seen["effects"] == kill_effect:
            os.kill(os.getpid(), signal.SIGKILL)
        return f"did {text}"

    def appended(_: Record) -> None:
        seen["appends"] += 1
        if seen["appends"] == kill_append:
            os.kill(os.getpid(), signal.SIGKILL)

    look = PlainTool("look", lambda *_: (folder / "ledger").read_text())
    asyncio.run(_reached(folder, work, look, counted, appended))


async def _reached(
    folder: Path,
    work: Callable[[str, ToolContext], str],
    look: PlainTool,
    counted: Callable[[Request], Line],
    appended: Callable[[Record], None],
) -> None:
    store = open_store(folder / "store", durability="os")
    async with Worker(*[counted] * 60, store=store, tools=[look], does=work) as worker:
        conversation = await worker.engine.open("talk")
        conversation.session.listen(appended)
        if not conversation.state.goals:
            await worker.begin()
        else:
            await conversation.go_on()
        await quiet(conversation)
        (folder / "state").write_text(json.dumps(_state(conversation.state.goals)))


def _state(goals: object) -> list[list[object]]:
    return [[each.objective, each.verdict, bool(each.ended)] for each in goals]  # type: ignore[attr-defined]


if __name__ == "__main__":
    child(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
