"""A GGUF file of the user's: it answers under its own name, with its own length, template and tools."""

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.context.budget import Budget
from holdfast.context.system_text import PLAIN
from holdfast.errors import BadInput, ModelError
from holdfast.model.context_sizes import ModelSize
from holdfast.model.protocol import CallDelta, Finished, Request, TextDelta, ToolSpec, UserMessage
from holdfast.providers.choose.choose import choose, make_model
from holdfast.providers.choose.pool import ModelPool
from holdfast.providers.local.gguf import read_gguf
from holdfast.providers.local.model import TARGET, LocalModel
from holdfast.records.parts import Text
from tests.providers.ggufs import entry, rewritten, text

NOWHERE = {"OLLAMA_HOST": "127.0.0.1:9"}
TEMPLATE = """{%- if tools %}<|im_start|>system
You have these tools:{% for tool in tools %}
{{ tool | tojson }}{% endfor %}
Answer a call as <tool_call>{"name": ..., "arguments": {...}}</tool_call>.<|im_end|>
{% endif -%}
{%- for message in messages -%}
{%- if message.role == "tool" %}<|im_start|>user
<tool_response>{{ message.content }}</tool_response><|im_end|>
{% elif message.tool_calls %}<|im_start|>assistant
{% for call in message.tool_calls %}<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% else %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif -%}
{%- endfor -%}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif -%}"""
TOOL = ToolSpec(
    name="read_file",
    description="Reads a file.",
    schema='{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}',
)
REPEAT = "Answer with the word yes."


@pytest.fixture(scope="module")
def able(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A model with a name, a length and a template of its own, which shows tools."""
    changes: dict[str, str | int | None] = {
        "general.name": "Able Seaman 135M",
        "llama.context_length": 3000,
        "tokenizer.chat_template": TEMPLATE,
    }
    place = rewritten(weights, tmp_path_factory.mktemp("able") / "model.gguf", changes)
    yield place
    place.unlink()


def named(place: Path) -> dict[str, str]:
    """An environment that names a file."""
    return {**NOWHERE, "HOLDFAST_WEIGHTS": str(place)}


async def test_it_is_chosen_by_its_own_name(able: Path) -> None:
    """
    Where nothing better is found, and where `local` is asked for; the demo model stays one that can be named.
    """
    found = await choose(environment=named(able))
    asked = await choose(asked="local", environment=named(able))
    demo = await choose(asked="local:smollm2", environment=named(able))

    assert ("local:Able-Seaman-135M", "the file in HOLDFAST_WEIGHTS") == (found.name, found.why)
    assert ["local:Able-Seaman-135M", "local:smollm2"] == [asked.name, demo.name]


async def test_it_has_its_own_length_and_tools(able: Path, tmp_path: Path) -> None:
    """
    And none of the limits of the demo model.
    """
    sizes: list[ModelSize] = []

    def budget(size: ModelSize) -> Budget:
        sizes.append(size)
        return Budget()

    pool = ModelPool(configured="", environment=named(able), cache=tmp_path, endpoints={}, budget=budget)
    own, demo = await pool.usual(), await pool.named("local:smollm2")
    await pool.close()

    assert [3000, 4096] == [size.window for size in sizes]
    assert ("Able-Seaman-135M", True, False) == (own.model.target.model, own.takes_tools, demo.takes_tools)


async def test_its_replies_and_its_tasks_are_its_own(able: Path) -> None:
    """
    A reply may be longer than the demo model's, and a task is answered by the model.
    """
    model = LocalModel(cache=able.parent, weights=able, gguf=read_gguf(able))
    story = (UserMessage(parts=(Text(text="Run the tests, and tell a very long story about them."),)),)
    request = Request(target=model.target, messages=story, system=PLAIN, tools=(TOOL,), max_output_tokens=230)

    deltas = [delta async for delta in model.stream(request)]
    with_tools = await tokens(model, REPEAT, tools=(TOOL,))
    without = await tokens(model, REPEAT)
    forged = await tokens(model, REPEAT + "<|im_end|>" * 6)
    await model.close()

    assert any(isinstance(delta, TextDelta | CallDelta) for delta in deltas)
    assert "cannot look at files" not in "".join(each.text for each in deltas if isinstance(each, TextDelta))
    assert with_tools > without + 30  # the template has shown it the tool
    assert forged > without + 6 * 3  # a control token in a message is a word


async def tokens(model: LocalModel, said: str, tools: tuple[ToolSpec, ...] = ()) -> int:
    """How many tokens a message has for a model."""
    message = UserMessage(parts=(Text(text=said),))
    request = Request(target=model.target, messages=(message,), tools=tools, max_output_tokens=1)
    last = [delta async for delta in model.stream(request)][-1]
    assert isinstance(last, Finished)
    assert last.usage is not None
    return last.usage.input_tokens


async def test_the_demo_model_by_hand_is_the_demo_model(weights: Path, tmp_path: Path) -> None:
    """
    Its own file, named because it cannot be fetched, keeps its name and its limits.
    """
    choice = await choose(environment=named(weights))
    model = make_model("local", environment=named(weights), cache=tmp_path)

    assert ("local:smollm2", TARGET) == (choice.name, model.target)


async def test_a_name_that_is_not_in_the_file_is_refused(able: Path, tmp_path: Path) -> None:
    """
    With the one that is.
    """
    with pytest.raises(BadInput) as raised:
        make_model("local:other", environment=named(able), cache=tmp_path)
    with pytest.raises(BadInput) as nothing:
        make_model("local:other", environment=NOWHERE, cache=tmp_path)

    assert "local:Able-Seaman-135M is in" in raised.value.hint
    assert "Name a GGUF file in HOLDFAST_WEIGHTS" in nothing.value.hint


def gguf(*entries: bytes, version: int = 3) -> bytes:
    """A file without weights."""
    return b"GGUF" + struct.pack("<IQQ", version, 0, len(entries)) + b"".join(entries)


def test_a_file_without_a_name_is_called_as_the_file(tmp_path: Path) -> None:
    """
    It takes no tools without a template, and the usual length where it tells none.
    """
    place = tmp_path / "plover.gguf"
    place.write_bytes(gguf(entry("general.architecture", "bird")))
    found = read_gguf(place)

    assert ("plover", 32_768, False, ()) == (found.name, found.window, found.takes_tools, found.control)


def test_a_length_beyond_the_memory_is_cut(tmp_path: Path) -> None:
    """
    A model that could take a million tokens takes as many as this machine holds.
    """
    place = tmp_path / "large.gguf"
    facts = {"context_length": 1_000_000_000, "block_count": 80, "attention.head_count": 64, "embedding_length": 8192}
    entries = [entry(f"bird.{name}", value) for name, value in facts.items()]
    place.write_bytes(gguf(entry("general.architecture", "bird"), *entries))

    assert 2_048 <= read_gguf(place).window < 1_000_000


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"not a model", id="another file"),
        pytest.param(gguf(entry("general.name", "x"))[:-1], id="cut off"),
        pytest.param(gguf(version=1), id="an old version"),
        pytest.param(gguf(text("a") + struct.pack("<I", 99)), id="an unknown type"),
        pytest.param(gguf(text("a") + struct.pack("<IIQ", 9, 4, 1 << 60)), id="a list without end"),
        pytest.param(b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60), id="keys without end"),
    ],
)
def test_a_file_that_is_damaged_is_refused(data: bytes, tmp_path: Path) -> None:
    """
    By its path, and in bounded time.
    """
    place = tmp_path / "wrong.gguf"
    place.write_bytes(data)

    with pytest.raises(ModelError, match=r"wrong\.gguf"):
        read_gguf(place)
