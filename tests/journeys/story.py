"""A conversation of many turns that plays itself: what is asked, what the models say, what tools give.

The models remember nothing. What they say next follows from the request alone, so a
conversation that was broken off anywhere goes on by itself.
"""

import json
import re
from collections.abc import Iterable

from holdfast import CallId, Text, Thinking, ToolCall
from holdfast.context.compact.summary import Sections
from holdfast.model.protocol import Message, Request, Target, ToolMessage, ToolSpec, UserMessage
from holdfast.providers.scripted.model import Scripted
from holdfast.records.parts import plain_text

TARGETS = (
    Target(family="anthropic", model="claude-opus-5-5", provider="anthropic"),
    Target(family="openai-chat", model="gpt-4o", provider="openai"),
    Target(family="openai-responses", model="gpt-5", provider="openai"),
    Target(family="gemini", model="gemini-2.5-pro", provider="google"),
)
SYSTEM = "You look after a garden that is kept in files."
TOOLS = (
    ToolSpec(
        name="read_file",
        description="Read a file.",
        schema='{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}',
    ),
)

_HARVEST = "Row {row}: three kinds of beans, some lettuce, and a slug that was asked to leave.\n"
_LONG, _OVERLONG = 95, 260
"""Lines of a result of a long turn; and of one that is kept beside the log."""
_QUESTION = re.compile(r"^Turn (\d+)\.")
_RESULT = re.compile(r"^turn (\d+) step (\d+) ")


def target_of(turn: int) -> Target:
    """Which model answers a turn: another one every twenty turns."""
    return TARGETS[turn // 20 % len(TARGETS)]


def question(turn: int) -> str:
    """What the user asks; now and then they demand something."""
    demand = " Never touch the roses." if turn % 30 == 5 else ""
    return f"Turn {turn}. What became of bed {turn % 17}?{demand}"


def steps(turn: int) -> int:
    """How many times tools are called in a turn; some turns are larger than a window."""
    return 6 if turn % 50 == 27 else 2 + turn % 4


def result(arguments: str) -> str:
    """What a tool gives."""
    asked = json.loads(arguments)
    turn, step = asked["turn"], asked["step"]
    lines = _OVERLONG if turn % 40 == 11 else _LONG if turn % 50 == 27 else 4 + 5 * (step % 3)
    return f"turn {turn} step {step} of {asked['path']}\n" + "".join(_HARVEST.format(row=row) for row in range(lines))


def play(request: Request) -> Scripted:
    """What a model says next: calls as long as steps are left, then an answer."""
    turn = next(turn for message in reversed(request.messages) if (turn := _asked(message)) is not None)
    step = max((step for of, step in _results(request.messages) if of == turn), default=0) + 1
    thinking = Thinking(text=f"Bed {turn % 17}, step {step}.", signature=f"c2lnbmVk{turn:04}{step:04}")
    if step > steps(turn):
        return Scripted(parts=(thinking, Text(text=f"Turn {turn} is answered: the bed is doing well.")))
    # The ids come back in every turn, and a step with two calls is not rare.
    calls = [_call(turn, step, number) for number in range(1 + step % 2)]
    return Scripted(parts=(thinking, Text(text=f"Looking, step {step}."), *calls))


def _call(turn: int, step: int, number: int) -> ToolCall:
    asked = {"path": f"beds/{turn % 17}/{number}.txt", "turn": turn, "step": step}
    return ToolCall(id=CallId(f"call_{step}_{number}"), name="read_file", arguments=json.dumps(asked))


def _asked(message: Message) -> int | None:
    if not isinstance(message, UserMessage) or message.pos < 0:
        return None
    found = _QUESTION.match(plain_text(message.parts))
    return int(found[1]) if found else None


def _results(messages: Iterable[Message]) -> Iterable[tuple[int, int]]:
    for message in messages:
        if isinstance(message, ToolMessage) and (found := _RESULT.match(plain_text(message.parts))):
            yield int(found[1]), int(found[2])


def summed_up(request: Request) -> str:
    """A summary that names all that the request says it must."""
    listed = plain_text(request.messages[0].parts).rpartition("</conversation>")[2].splitlines()
    return Sections(files="\n".join(line[2:] for line in listed if line.startswith("- ")) or "none").text()
