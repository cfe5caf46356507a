"""Scripts in files: every line is an answer, at its pace, and a wrong one is named."""

import asyncio
import json
from pathlib import Path

import pytest

from holdfast.errors import BadInput, ModelError, Refused, Unavailable
from holdfast.model.protocol import AssistantMessage, Delta, Message, Request, TextDelta, ToolMessage, UserMessage
from holdfast.model.stream import Accumulator
from holdfast.providers.choose.choose import make_model
from holdfast.providers.scripted.files import OVER, TARGET, ScriptModel, read_script
from holdfast.records.parts import Part, Text, Thinking, ToolCall
from tests.agent.idle_time import in_idle_time


def script(path: Path, *lines: object) -> ScriptModel:
    """A model of these lines; those that are text are written as they are."""
    file = path / "script.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return ScriptModel(file)


def request(text: str = "Hello", *more: Message, system: str = "") -> Request:
    """A request that says something."""
    return Request(target=TARGET, messages=(UserMessage(parts=(Text(text=text),)), *more), system=system)


async def said(model: ScriptModel, asked: Request | None = None) -> tuple[Part, ...]:
    """The parts of the next reply."""
    accumulator = Accumulator(TARGET)
    async for delta in model.stream(asked or request()):
        accumulator.add(delta)
    return accumulator.reply().parts


async def test_lines_are_said_in_order_and_then_little(tmp_path: Path) -> None:
    """
    A chat goes on when the script is over; nothing that was called is called again.
    """
    model = script(tmp_path, "# a comment", {"say": "One."}, "", {"say": "Two."})

    assert [(Text(text="One."),), (Text(text="Two."),), (Text(text=OVER),), (Text(text=OVER),)] == [
        await said(model) for _ in range(4)
    ]


async def test_an_answer_may_have_several_parts(tmp_path: Path) -> None:
    """
    Thinking, words and calls, in the order they are written; arguments may be text that is not JSON.
    """
    model = script(
        tmp_path,
        [
            {"think": "Hm."},
            {"say": "I look."},
            {"call": {"name": "read", "arguments": {"path": "a"}}},
            {"call": {"name": "list"}},
            {"call": {"name": "read", "arguments": "{oops"}},
        ],
    )

    thought, words, first, second, third = await said(model)
    assert (Thinking(text="Hm."), Text(text="I look.")) == (thought, words)
    assert isinstance(first, ToolCall)
    assert isinstance(second, ToolCall)
    assert isinstance(third, ToolCall)
    assert ['{"path":"a"}', "{}", "{oops"] == [call.arguments for call in (first, second, third)]
    assert 3 == len({first.id, second.id, third.id})


async def test_a_call_is_followed_by_the_next_line(tmp_path: Path) -> None:
    """
    The result of a tool brings the model to speak again.
    """
    model = script(tmp_path, {"call": {"name": "read", "arguments": {}}}, {"say": "Done."})
    (call,) = await said(model)
    assert isinstance(call, ToolCall)
    result = ToolMessage(call=call.id, name="read", parts=(Text(text="contents"),))

    assert (Text(text="Done."),) == await said(model, request("Read it", AssistantMessage(parts=(call,)), result))


@pytest.mark.parametrize(
    ("line", "kind", "before"),
    [
        ({"fail": "unavailable"}, Unavailable, ""),
        ({"fail": "refused"}, Refused, ""),
        ([{"say": "a" * 60}, {"fail": "unavailable"}], Unavailable, "a" * 60),
        ([{"say": "a" * 60}, {"fail": "unavailable", "after": 1}], Unavailable, "a" * 24),
        ([{"say": "a" * 60}, {"fail": "unavailable", "after": 0}], Unavailable, ""),
        ([{"call": {"name": "x", "arguments": {}}}, {"say": "b"}, {"fail": "refused"}], Refused, "b"),
    ],
)
async def test_a_line_may_fail(line: object, kind: type[ModelError], before: str, tmp_path: Path) -> None:
    """
    At once, after some deltas, or when what stands before it was said; the next line follows.
    """
    model = script(tmp_path, line, {"say": "Back."})
    came: list[Delta] = []

    async def listen() -> None:
        async for delta in model.stream(request()):
            came.append(delta)  # noqa: PERF401 - what came before the error counts

    with pytest.raises(kind):
        await listen()

    assert before == "".join(delta.text for delta in came if isinstance(delta, TextDelta))
    assert (Text(text="Back."),) == await said(model)


async def test_a_line_may_fall_silent(tmp_path: Path) -> None:
    """
    Until whoever waits gives up.
    """
    model = script(tmp_path, [{"say": "Wait"}, {"fail": "silence"}])
    stream = model.stream(request())
    assert TextDelta(text="Wait") == await anext(stream)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(stream), 0.05)


@in_idle_time(outside=0)
async def test_a_line_has_a_pace(tmp_path: Path) -> None:
    """
    One of its own, or that of the last line that set one.
    """
    model = script(tmp_path, [{"say": "a" * 48}, {"delay": 0.02}], {"delay": 0.03}, {"say": "b" * 48}, {"delay": 0}, {})
    took, loop = [], asyncio.get_running_loop()
    for _ in range(3):
        began = loop.time()
        await said(model)
        took.append(round(loop.time() - began, 3))

    assert [0.04, 0.06, 0] == took


async def test_a_line_may_wait_for_its_cue(tmp_path: Path) -> None:
    """
    A title or a summary that is asked for in between takes no line away, and its line is said every time.
    """
    model = script(tmp_path, {"say": "A title", "when": "short title"}, {"say": "One."}, {"say": "Two."})
    title = request("All of it", system="Find a short title.")

    assert ["One.", "A title", "Two.", "A title", "A title", OVER] == [
        part.text
        for asked in (request(), title, request(), title, request("a short title, please"), request())
        for part in await said(model, asked)
        if isinstance(part, Text)
    ]


@pytest.mark.parametrize(
    "line",
    ["nonsense", "42", '{"sya": "Hello"}', '{"say": 1}', '{"fail": "loudly"}', '{"call": {}}', '{"delay": -1}', "[1]"],
)
def test_a_wrong_line_is_named(line: str, tmp_path: Path) -> None:
    """
    With its number, when the script is read.
    """
    with pytest.raises(BadInput, match=r"script\.jsonl, line 2: "):
        script(tmp_path, {"say": "Hello"}, line)


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_script_that_cannot_be_read_is_an_error(content: bytes | None, tmp_path: Path) -> None:
    """
    Not there, or not text.
    """
    if content is not None:
        (tmp_path / "script.jsonl").write_bytes(content)

    with pytest.raises(BadInput, match="cannot be read"):
        ScriptModel(tmp_path / "script.jsonl")


async def test_a_script_is_a_model_by_name(tmp_path: Path) -> None:
    """
    `scripted:PATH` is chosen as any other.
    """
    script(tmp_path, {"say": "Hello."})
    model = make_model(f"scripted:{tmp_path}/script.jsonl", environment={}, cache=tmp_path)

    assert TARGET == model.target
    assert TextDelta(text="Hello.") == await anext(aiter(model.stream(request())))


def test_a_line_ends_only_where_a_line_ends(tmp_path: Path) -> None:
    """
    A separator of lines that somebody says is part of what is said.
    """
    path = tmp_path / "script.jsonl"
    path.write_text('{"say": "one\u2028two\u0085three"}\r\n{"say": "four"}\n', encoding="utf-8")

    assert 2 == len(read_script(path))
