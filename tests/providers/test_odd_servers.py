"""Odd servers: each case of `odd_servers/` played over HTTP, and what becomes of it.

The cases say what a server sends and what happens; docs/reference/odd-servers.md shows them as tables.
"""

import codecs
import json
import re
from typing import Any

import pytest

from docs.generate_odd_servers import PAGE, families, page
from holdfast.context.legal import families as legal
from holdfast.errors import ModelError, Overflow, Refused, Unavailable
from holdfast.model.protocol import (
    AssistantMessage,
    Delta,
    Finished,
    Request,
    Target,
    TextDelta,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from holdfast.model.stream import Accumulator, Reply
from holdfast.providers.openai.model import OpenAICompatible
from holdfast.records.parts import Text, Thinking, ToolCall
from tests.providers.servers import SSE, Played, serving

Case = dict[str, Any]
KINDS = (Overflow, Refused, Unavailable)
LEAST = 116
"""How many cases there are at least."""
WORDS = '{"choices":[{"index":0,"delta":{"content":"By the sea."}}]}'
STOP = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
KEY = "sk-secret-0001"
ASKED = UserMessage(parts=(Text(text="Where is the harbour?"),))
LINES = '{"type":"object","properties":{"text":{"type":"string"},"lines":{"type":"array"}}}'
TOOLS = (
    ToolSpec(name="read", description="Reads.", schema='{"type":"object","properties":{"path":{"type":"string"}}}'),
    ToolSpec(name="write", description="Writes.", schema=LINES),
    ToolSpec(name="list_dir", description="Lists."),
)
CASES = [(f"{family['family']}: {case['name']}", case) for family in families() for case in family["case"]]


def played(case: Case) -> Played:
    """What the server sends."""
    if "body" in case:
        text = case["body"].replace("{words}", WORDS).replace("{stop}", STOP)
        body = codecs.decode(text, "unicode_escape").encode("latin-1") if case.get("escaped") else text.encode()
    else:
        body = "".join(f"data: {chunk}\n\n" for chunk in _chunks(case)).encode()
    cut = case.get("cut", len(body) or 1)
    return Played(
        chunks=tuple(body[at : at + cut] for at in range(0, len(body), cut)),
        status=case.get("status", 200),
        kind=case.get("kind", SSE),
        ends=case.get("ends", "whole"),
        plain=case.get("plain", False),
    )


def _chunks(case: Case) -> list[str]:
    if "chunks" in case:
        chunks = [*case["chunks"]]
    else:
        said = case.get("deltas", ['{"content":"By the sea."}'])
        chunks = [f'{{"choices":[{{"index":0,"delta":{delta}}}]}}' for delta in said]
        if stop := case.get("stop", "stop"):
            chunks.append(STOP.replace('"stop"', json.dumps(stop)))
    if "usage" in case:
        chunks.append(f'{{"choices":[],"usage":{case["usage"]}}}')
    return [*chunks, *(["[DONE]"] if case.get("done", True) else [])]


def before(case: Case) -> list[Played]:
    """What the server answered before: one reply, and maybe a refusal of what came back of it."""
    answers = [played({"deltas": case["earlier"]})] if "earlier" in case else []
    if "refuses" in case:
        error = json.dumps({"message": case["refuses"], "code": "wrong_api_format"})
        answers.append(Played(chunks=(error.encode(),), status=400, kind="application/json"))
    return answers


class Heard:
    """One reply of a model."""

    def __init__(self, target: Target) -> None:
        self.deltas: list[Delta] = []
        self.error: ModelError | None = None
        self._accumulator = Accumulator(target)

    async def hear(self, model: OpenAICompatible, request: Request) -> None:
        """Take the reply in."""
        try:
            async for delta in model.stream(request):
                self.deltas.append(delta)
                self._accumulator.add(delta)
        except ModelError as error:
            self.error = error

    @property
    def reply(self) -> Reply:
        """What it came to."""
        return self._accumulator.reply()

    @property
    def shown(self) -> str:
        """The words, as they were streamed."""
        return "".join(delta.text for delta in self.deltas if isinstance(delta, TextDelta))


def following(request: Request, reply: Reply) -> Request:
    """The request after a reply; its calls have results."""
    results = tuple(
        ToolMessage(call=part.id, name=part.name, parts=(Text(text="done"),))
        for part in reply.parts
        if isinstance(part, ToolCall)
    )
    said = AssistantMessage(parts=reply.parts)
    return Request(target=request.target, messages=(*request.messages, said, *results), tools=request.tools)


async def heard(case: Case) -> tuple[Heard, Request]:
    """What a model makes of a case, and the request that it answered."""
    target = Target(family="openai-chat", model=case.get("model", "acme-1"), provider=case.get("service", "acme"))
    request = Request(target=target, messages=(ASKED,), tools=TOOLS)
    earlier = before(case)
    async with serving(*earlier, played(case)) as server:
        model = OpenAICompatible(target, base_url=server.url, key=KEY, title="Acme")
        if "earlier" in case:
            first = Heard(target)
            await first.hear(model, request)
            request = following(request, first.reply)
            request = Request(target=target, messages=(*request.messages, ASKED), tools=TOOLS)
        now = Heard(target)
        await now.hear(model, request)
        await model.close()
    assert len(earlier) + 1 == len(server.asked)
    return now, request


@pytest.mark.parametrize("case", [case for _, case in CASES], ids=[name for name, _ in CASES])
async def test_what_a_server_does_comes_to_what_the_docs_say(case: Case) -> None:
    """
    Each line of the page: words, thinking, calls, usage, the reason to stop, or an error by its kind.
    """
    now, request = await heard(case)
    reply = now.reply
    sent = {"body", "chunks", "deltas"}.isdisjoint(case) or {"thinking", "calls", "cut_calls", "error"}.isdisjoint(case)
    words: str = case.get("text", "By the sea." if sent else "")
    shown: str = case.get("shown", words)

    assert words.strip() == "".join(part.text for part in reply.parts if isinstance(part, Text)).strip()
    assert shown.split() == now.shown.split()
    assert case.get("thinking", []) == [[part.text, part.form] for part in reply.parts if isinstance(part, Thinking)]
    assert case.get("calls", []) == [
        [part.id, part.name, part.arguments] for part in reply.parts if isinstance(part, ToolCall)
    ]
    assert case.get("cut_calls", []) == [each.arguments for each in reply.cut]
    assert case.get("nothing", False) == (not reply.parts and not reply.cut and now.error is None)
    _check_end(case, now)
    if "back" in case:
        body = legal.render(following(request, reply), {}).body
        assert json.loads(case["back"]) == body["messages"][len(request.messages)]  # type: ignore[index]
        assert () == legal.check("openai-chat", body)


def _check_end(case: Case, now: Heard) -> None:
    """How a reply ended."""
    if "error" in case:
        assert case["error"] == next(kind.__name__ for kind in type(now.error).__mro__ if kind in KINDS)
        assert re.search(case["says"], str(now.error))
        assert case.get("waits") == getattr(now.error, "retry_after", None)
        return
    assert now.error is None
    last = now.deltas[-1]
    assert isinstance(last, Finished)
    counted = last.usage and [last.usage.input_tokens, last.usage.cached_tokens, last.usage.output_tokens]
    assert case.get("used") == counted
    calls = any(isinstance(part, ToolCall) for part in now.reply.parts)
    assert case.get("stop_is", "called" if calls else "ended") == now.reply.stop


def test_there_are_as_many_cases_as_were_promised() -> None:
    """
    In eight families, and none twice.
    """
    assert 8 == len(list(families()))
    assert len(CASES) >= LEAST
    assert len(CASES) == len({name for name, _ in CASES})


def test_the_page_is_up_to_date() -> None:
    """
    The page says what the tests play; `make docs` writes it anew.
    """
    assert page() == PAGE.read_text()
