"""The built-in demo model, with its real weights: it streams, stops when it is told to, and leaves no trace."""

import asyncio
import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

from holdfast.context.system_text import PLAIN
from holdfast.errors import Closed, ModelError, Overflow, Refused
from holdfast.ids import BlobId, CallId
from holdfast.model.protocol import (
    AssistantMessage,
    Delta,
    Finished,
    Message,
    Model,
    Request,
    Target,
    TextDelta,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from holdfast.model.stream import Accumulator, Reply
from holdfast.providers.local.demo_limits import CANNOT, REPLY
from holdfast.providers.local.llama import LlamaServer
from holdfast.providers.local.model import TARGET, WINDOW, LocalModel
from holdfast.providers.openai.model import OpenAICompatible
from holdfast.records.parts import Blob, Part, Text, ToolCall, plain_text
from tests.hosts.processes import processor_seconds

LITTLE = 0.8
"""Seconds of a processor that giving up may take; a whole reply takes many."""
SOON = 60
"""Seconds for a short reply on a busy machine; what is too long for the model takes minutes."""


def asked(*said: str | Message, output: int = 12, system: str = "You are a helpful assistant.") -> Request:
    """A request with some messages."""
    messages = tuple(UserMessage(parts=(Text(text=each),)) if isinstance(each, str) else each for each in said)
    return Request(target=TARGET, messages=messages, system=system, max_output_tokens=output)


async def replied(model: Model, request: Request) -> Reply:
    """What a model replies."""
    reply = Accumulator(model.target)
    async with asyncio.timeout(SOON):
        async for delta in model.stream(request):
            reply.add(delta)
    return reply.reply()


async def tokens(model: Model, request: Request) -> int:
    """How many tokens a request has for the model."""
    usage = (await replied(model, request)).usage
    return usage.input_tokens if usage else 0


LONG = "Tell me a very long story about a sailor, and do not end it."
WHOLE_PROMPT = "The sea was calm and the wind was low. " * 380
"""A prompt that takes many seconds to read."""


async def test_a_reply_comes_in_pieces_and_ends_with_what_it_used(local: LocalModel) -> None:
    """
    The reply is streamed as it is made; the last delta says why it ended and counts the tokens.
    """
    deltas = [delta async for delta in local.stream(asked(LONG, output=8))]

    *pieces, last = deltas
    assert len(pieces) > 3
    assert all(isinstance(piece, TextDelta) and piece.text for piece in pieces)
    assert isinstance(last, Finished)
    assert last.usage is not None
    assert ("length", 8, True) == (last.stop, last.usage.output_tokens, last.usage.input_tokens > 20)


async def test_a_long_reply_ends_after_200_tokens(local: LocalModel) -> None:
    """
    However many are asked for; what it shows is counted also where it ends because it repeats itself.
    """
    reply = await replied(local, asked(LONG, output=4_000))

    assert reply.usage is not None
    assert 0 < reply.usage.output_tokens <= REPLY
    assert reply.usage.input_tokens > 10
    assert reply.stop == ("length" if reply.usage.output_tokens == REPLY else "ended")


async def test_a_task_is_answered_without_the_model(tmp_path: Path) -> None:
    """
    By one fixed line, at once: nothing is fetched or loaded for it.
    """
    unfetched = LocalModel(cache=tmp_path)
    reply = await replied(unfetched, asked("What is in this folder?", system=PLAIN))

    assert plain_text(reply.parts).startswith(CANNOT)
    assert [] == list(tmp_path.iterdir())


async def test_it_ends_by_itself(local: LocalModel) -> None:
    """
    A reply that is over before its limit has ended, and says so.
    """
    reply = await replied(local, asked("Say yes.", output=300))

    assert "ended" == reply.stop


async def test_one_reply_follows_another(local: LocalModel) -> None:
    """
    The model stays loaded, and what two conversations have in common is read once.
    """
    await replied(local, asked(LONG, output=2))

    again = await replied(local, asked(LONG, output=2))

    assert again.usage is not None
    assert again.usage.cached_tokens > 10


async def test_two_at_once_come_one_after_the_other(local: LocalModel) -> None:
    """
    Two requests at the same time both get a whole reply of their own.
    """
    first, second = await asyncio.gather(
        local.complete_json(asked("one", output=60), '{"const":"the first"}'),
        local.complete_json(asked("two", output=60), '{"const":"the second"}'),
    )

    assert ('"the first"', '"the second"') == (first, second)


async def test_closing_the_stream_stops_the_generation(local: LocalModel) -> None:
    """
    Whoever gives up a reply goes on at once, and the model is free for the next one.
    """
    stream = local.stream(asked(LONG, output=4000))
    await anext(stream)

    began = time.process_time()
    await stream.aclose()

    assert time.process_time() - began < LITTLE
    assert (await replied(local, asked("Say yes.", output=2))).parts


async def test_a_task_is_cancelled_while_the_prompt_is_read(local: LocalModel) -> None:
    """
    Before the first word comes, a cancelled request ends as quickly, and its prompt is read no further.
    """
    task = asyncio.create_task(replied(local, asked(WHOLE_PROMPT, output=4000)))
    done, _ = await asyncio.wait({task}, timeout=0.5)
    assert not done

    began = time.process_time()
    task.cancel()
    await asyncio.wait({task})

    assert task.cancelled()
    assert time.process_time() - began < LITTLE
    await replied(local, asked("Say yes.", output=2))
    assert time.process_time() - began < 8


async def test_what_waits_for_its_turn_can_be_given_up(local: LocalModel) -> None:
    """
    A request behind another one is cancelled without waiting for it, and is never read.
    """
    running = local.stream(asked(LONG, output=4000))
    await anext(running)
    waiting = asyncio.create_task(replied(local, asked(WHOLE_PROMPT)))
    await asyncio.wait({waiting}, timeout=0.05)

    began = time.process_time()
    waiting.cancel()
    await asyncio.wait({waiting})

    assert time.process_time() - began < LITTLE
    assert isinstance(await anext(running), TextDelta)
    await running.aclose()


async def test_a_slow_reader_loses_nothing(local: LocalModel) -> None:
    """
    Pieces that come while nobody reads wait, in their order.
    """
    words = " ".join(str(number) for number in range(20))
    stream = local.stream(asked(f"Repeat: {words}", output=30))
    came: list[Delta] = [await anext(stream)]
    time.sleep(0.5)  # the loop stands still, and the model does not
    came += [delta async for delta in stream]

    last = came[-1]
    assert isinstance(last, Finished)
    assert last.usage is not None
    # Every token but the one that ends it is a piece, or part of one.
    assert 0 <= last.usage.output_tokens - (len(came) - 1) <= 2


async def test_a_request_that_is_too_long_overflows(local: LocalModel) -> None:
    """
    A prompt longer than the window is refused with both counts, so that the session can be compacted.
    """
    with pytest.raises(Overflow) as caught:
        await replied(local, asked(WHOLE_PROMPT * 2))

    assert (WINDOW, True) == (caught.value.limit, (caught.value.asked or 0) > WINDOW)


async def test_characters_of_several_tokens_stay_whole(local: LocalModel) -> None:
    """
    A character that takes several tokens is never cut.
    """
    text = await local.complete_json(asked("Cheer.", output=100), '{"const":"🎉 日本語 naïve 👩‍👩‍👧"}')

    assert "🎉 日本語 naïve 👩‍👩‍👧" == json.loads(text)


async def test_json_keeps_to_its_schema(local: LocalModel) -> None:
    """
    With a schema the reply is JSON of that form; if it is cut off, that is said.
    """
    schema = '{"type":"object","properties":{"n":{"type":"integer","maximum":9}},"required":["n"]}'

    assert ["n"] == list(json.loads(await local.complete_json(asked("Give a number.", output=40), schema)))
    with pytest.raises(Refused, match="ended before"):
        await local.complete_json(asked("Give a number.", output=2), schema)


CALL = ToolCall(id=CallId("call_1_0"), name="read_file", arguments='{"path":"a.txt"}')
RESULT = ToolMessage(call=CallId("call_1_0"), name="read_file", parts=(Text(text="The secret word is plover."),))


async def test_a_conversation_with_tools_is_told_in_words(local: LocalModel) -> None:
    """
    A session begun with another model goes on: calls and results are words of the conversation.
    """
    called = AssistantMessage(parts=(Text(text="Let me look."), CALL))
    with_call = asked("Read a.txt.", called, RESULT, "What is the secret word?")
    without = asked("Read a.txt.", AssistantMessage(parts=(Text(text="Let me look."),)), "What is the secret word?")

    assert (await replied(local, with_call)).parts
    assert await tokens(local, with_call) > await tokens(local, without) + 20


async def test_it_is_told_of_no_tools(local: LocalModel) -> None:
    """
    Tools that are offered cost the model nothing, because it never hears of them.
    """
    tool = ToolSpec(name="read_file", description="Reads a file. " * 50)
    plain = asked("Hello")
    offered = Request(target=TARGET, messages=plain.messages, system=plain.system, tools=(tool,), max_output_tokens=2)

    assert await tokens(local, plain) == await tokens(local, offered)


async def test_texts_are_read_and_pictures_named(local: LocalModel) -> None:
    """
    Of an attachment that it cannot see the model is told that there was one; a text it reads.
    """
    picture = Blob(blob=BlobId("p"), media_type="image/png", size=9, name="cat.png")
    text = Blob(blob=BlobId("t"), media_type="text/plain", size=300, name="a.txt")
    parts: tuple[Part, ...] = (Text(text="Look."), picture, text)
    media = {BlobId("p"): b"\x89PNG\r\n\x1a\n", BlobId("t"): b"word " * 60}
    request = Request(target=TARGET, messages=(UserMessage(parts=parts),), max_output_tokens=2, media=media)

    assert 60 < await tokens(local, request) < 200


async def test_nobody_can_forge_a_message(local: LocalModel) -> None:
    """
    The signs by which the model tells who speaks are only words when somebody says them.
    """
    marks = await tokens(local, asked("<|im_end|><|im_start|>" * 6))
    nothing = await tokens(local, asked("Hello"))

    assert marks > nothing + 12 * 3


async def test_a_request_for_another_model_is_refused(local: LocalModel) -> None:
    """
    It answers under its own name only.
    """
    other = Target(family="openai-chat", model="gpt-5", provider="openai")

    with pytest.raises(Refused, match="gpt-5"):
        await replied(local, Request(target=other, messages=asked("Hello").messages))


async def test_it_serves_other_programs_on_loopback(local: LocalModel) -> None:
    """
    The same model answers over HTTP in OpenAI's form, to who has the key and to nobody else.
    """
    url, key = await local.endpoint()
    remote = OpenAICompatible(TARGET, base_url=url, key=key)

    reply = await replied(remote, asked(LONG, output=6))
    await remote.close()
    async with httpx2.AsyncClient(trust_env=False) as client:
        refused = await client.post(f"{url}/chat/completions", json={"messages": []})

    assert url.startswith("http://127.0.0.1:")
    assert ("length", 401) == (reply.stop, refused.status_code)
    assert reply.parts


async def test_a_closed_model_answers_no_more(weights: Path) -> None:
    """
    Closing breaks off the reply on the way; afterwards the model says that it is closed.
    """
    model = LocalModel(cache=weights.parent, weights=weights, window=512)
    stream = model.stream(asked(LONG, output=400))
    await anext(stream)

    await model.close()

    with pytest.raises(ModelError):
        [delta async for delta in stream]
    with pytest.raises(Closed):
        await replied(model, asked("Hello"))


async def test_a_model_is_closed_as_soon_as_it_is_loaded(weights: Path) -> None:
    """
    A model that was never asked anything can be unloaded, or not even loaded.
    """
    loaded, never = (LocalModel(cache=weights.parent, weights=weights, window=512) for _ in range(2))
    await loaded.endpoint()

    async with asyncio.timeout(SOON):
        await loaded.close()
        await never.close()


async def test_what_a_callback_raises_ends_the_reply_and_is_raised(weights: Path) -> None:
    """
    A failure in what takes the pieces is not lost, and is seen at the first of them.
    """
    serving = LlamaServer(weights, window=512)
    pieces: list[bytes] = []

    def fails(piece: bytes) -> bool:
        pieces.append(piece)
        raise LookupError("nobody takes this")

    with pytest.raises(LookupError, match="nobody takes this"):
        serving.answer(b'{"messages":[{"role":"user","content":"Hello"}],"stream":true}', fails)
    assert 1 == len(pieces)
    with pytest.raises(Refused, match="messages"):
        serving.answer(b'{"messages":"Hello"}', fails)


async def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    """
    Weights that cannot be loaded are said to be so, with their path.
    """
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(b"not a model")

    with pytest.raises(ModelError, match=r"wrong\.gguf"):
        await replied(LocalModel(cache=tmp_path, weights=wrong), asked("Hello"))


async def test_nothing_is_downloaded_for_a_library_that_cannot_be_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    The error is that of the library, with the package of the system that is missing.
    """
    (tmp_path / "xllamacpp.py").write_text("raise ImportError('libgomp.so.1: cannot open shared object file')\n")
    monkeypatch.delitem(sys.modules, "xllamacpp", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    cache = tmp_path / "cache"

    with pytest.raises(ModelError, match=r"libgomp\.so\.1: cannot open.*apt-get install -y libgomp1"):
        await replied(LocalModel(cache=cache), asked("Hello"))
    assert not cache.exists()


PROGRAM = """
import asyncio, signal, sys
from pathlib import Path
from holdfast.model.protocol import Request, UserMessage
from holdfast.providers.local.demo_limits import CANNOT, REPLY
from holdfast.providers.local.model import TARGET, LocalModel
from holdfast.records.parts import Text

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in a shell's background
weights, way = Path(sys.argv[1]), sys.argv[2]
story = UserMessage(parts=(Text(text="Tell me a very long story."),))
request = Request(target=TARGET, messages=(story,), max_output_tokens=4000)
model = LocalModel(cache=weights.parent, weights=weights)

async def main():
    stream = model.stream(request)
    await anext(stream)
    print("began", flush=True)
    if way == "reads on":
        async for _ in stream:
            pass
    return stream

try:
    if way == "drops the loop":
        loop = asyncio.new_event_loop()
        kept = loop.run_until_complete(main())
    else:
        asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize(
    ("way", "said"),
    [("ends", "began\n"), ("drops the loop", "began\n"), ("reads on", "began\ninterrupted\n")],
)
def test_a_program_ends_at_once_and_says_nothing_of_its_own(weights: Path, way: str, said: str) -> None:
    """
    A reply on the way keeps no program from ending, whether it leaves it, forgets it or is interrupted.
    """
    command = [sys.executable, "-c", PROGRAM, str(weights), way]
    before = of_children()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        first = program.stdout.readline()
        used = processor_seconds(program.pid)
        if way == "reads on":
            program.send_signal(signal.SIGINT)
        rest, errors = program.communicate(timeout=SOON)

    assert (said, "", 0) == (first + rest, errors, program.returncode)
    assert of_children() - before - used < 3


def of_children() -> float:
    """Seconds of a processor that ended children have had."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
