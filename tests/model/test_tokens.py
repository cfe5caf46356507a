"""Tokens of messages: exact where there is a vocabulary, and everything that costs tokens counts."""

import sys
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.ids import BlobId, CallId
from holdfast.model.estimate import Estimate
from holdfast.model.protocol import (
    AssistantMessage,
    Family,
    Message,
    Request,
    Target,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from holdfast.model.tokens import (
    COSTS,
    COUNTED,
    WIDEST,
    Costs,
    Exact,
    Sliced,
    corrected,
    count_message,
    count_request,
    count_system,
    count_tools,
    counter_for,
    exact,
    load_counter,
)
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall
from holdfast.records.slices import SLICE

COST = Costs(request=1_000_000, message=100_000, call=10_000, tools=2_000_000, tool=200_000, image=5_000)
BIRTHDAY = "お誕生日おめでとう 1234567"
"""OpenAI's cookbook counts 8 tokens before the number with o200k, and 9 with cl100k."""


class Letters:
    """One token for each character."""

    def count(self, text: str) -> int:
        return len(text)


def blob(media_type: str, size: int, preview: str = "") -> Blob:
    """An attachment; its name, and what says that this is one, take 20 tokens."""
    return Blob(blob=BlobId("0" * 64), media_type=media_type, size=size, preview=preview, name="name")


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-4o", 12),
        ("gpt-5-mini", 12),
        ("o3", 12),
        ("gpt-oss-120b", 12),
        ("gpt-4-turbo", 13),
        ("meta-llama/Llama-3.1-8B-Instruct", 13),
        ("llama3.2:3b", 13),
        ("Qwen/Qwen3-32B", 15),
        ("qwen2.5-coder:7b", 15),
        ("deepseek-v3.2", 11),
        ("gemma-3-27b-it", 12),
        ("mistral-nemo", 15),
        ("ft:gpt-4o-mini-2024-07-18:acme::x1", 12),
    ],
)
def test_a_known_model_is_counted_with_its_own_vocabulary(model: str, expected: int) -> None:
    """
    Counts are those of the tokenizer that the model was trained with.
    """
    counter = exact(model)

    assert counter is not None
    assert expected == counter.count(BIRTHDAY)


@pytest.mark.parametrize("model", ["claude-opus-5-5", "gemini-2.5-pro", "qwen3.5-plus", "llama-4-scout", "acme-1", ""])
def test_a_model_without_a_public_vocabulary_is_estimated(model: str) -> None:
    """
    A vocabulary that merely resembles the model's is not called exact.
    """
    assert None is exact(model)
    assert isinstance(counter_for(model).counter, Estimate)


@pytest.mark.parametrize(
    ("model", "permille"),
    [
        ("claude-3-5-sonnet-20241022", 1200),
        ("claude-sonnet-4-20250514", 1200),
        ("anthropic/claude-opus-4-6", 1200),
        ("eu.anthropic.claude-haiku-4-5-20251001-v1:0", 1200),
        ("claude-opus-4-7", 1550),
        ("claude-opus-4-8-20260501", 1550),
        ("claude-sonnet-5-5", 1550),
        ("gemini-2.5-flash", 1200),
        ("gpt-6-sol", 1000),
        ("acme-1", 1100),
    ],
)
def test_an_estimate_is_scaled_to_the_family(model: str, permille: int) -> None:
    """
    Vocabularies differ by up to a half in how many tokens they take.
    """
    assert Estimate(permille=permille) == counter_for(model).counter


def test_without_the_extra_everything_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The tokenizer is an extra: nothing breaks without it.
    """
    monkeypatch.setitem(sys.modules, "splintr", None)

    assert None is exact("gpt-4o")
    assert Estimate() == counter_for("gpt-4o").counter


def test_the_best_counter_is_the_exact_one() -> None:
    """
    Where there is a vocabulary, it is used.
    """
    assert isinstance(counter_for("gpt-4o").counter, Exact)


def test_words_that_look_like_control_tokens_are_words() -> None:
    """
    A person who writes <|endoftext|> has written thirteen characters, and providers count them so.
    """
    assert 1 < counter_for("gpt-4o").count("<|endoftext|>")


def test_half_a_character_is_counted() -> None:
    """
    Tools return what is not text; that must not stop a turn.
    """
    assert 0 < counter_for("gpt-4o").count("a\ud800b")


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (Text(text="hello"), 5),
        (Thinking(text="hmm"), 3),
        (Thinking(text="", signature="s" * 32), 6),
        (Thinking(text="longer than it", signature="s" * 32), 14),
        (ToolCall(id=CallId("a"), name="read", arguments='{"a":1}'), 10_000 + 4 + 7),
        (blob("image/png", 9), 5_020),
        (blob("text/plain", 1_000, "ab"), 1_020),
        (blob("text/plain", 1_000, "好"), 354),
        (blob("text/plain", 1_000), 420),
        (blob("application/pdf", 10_240), 820),
        (blob("application/json", 10_000, "{}"), 10_020),
    ],
)
def test_each_part_costs_what_is_sent_of_it(part: Part, expected: int) -> None:
    """
    Text and thinking by their words, calls with name and arguments, images by the family's bound, files by their size.
    """
    assert 100_000 + expected == count_message(UserMessage(parts=(part,)), Letters(), COST)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (UserMessage(parts=(Text(text="ab"), Text(text="c"))), 100_003),
        (AssistantMessage(parts=(Text(text="ab"),)), 100_002),
        (ToolMessage(call=CallId("a"), name="read", parts=(Text(text="ab"),)), 110_006),
    ],
)
def test_each_message_costs_its_frame(message: Message, expected: int) -> None:
    """
    Roles, and what links a result to its call, are tokens too.
    """
    assert expected == count_message(message, Letters(), COST)


def test_tools_and_system_text_cost_nothing_where_there_are_none() -> None:
    """
    A provider's introduction of tools is paid for only with tools.
    """
    assert 0 == count_tools((), Letters(), COST)
    assert 0 == count_system("", Letters(), COST)


def test_a_request_is_the_sum_of_all_it_holds() -> None:
    """
    System text, tools, messages and the family's own additions.
    """
    tool = ToolSpec(name="read", description="Reads.", schema="{}")
    message = UserMessage(parts=(Text(text="hi"),))
    target = Target(family="anthropic", model="claude-opus-5-5")
    request = Request(target=target, messages=(message,), system="Be brief.", tools=(tool,))
    costs = COSTS["anthropic"]

    expected = costs.request + (costs.message + 9) + (costs.tools + costs.tool + 12) + (costs.message + 2)

    assert expected == count_request(request, Letters())


@pytest.mark.parametrize("family", COSTS)
def test_no_family_costs_more_than_the_widest(family: Family) -> None:
    """
    A count that is kept across models holds for all of them.
    """
    message = AssistantMessage(parts=(ToolCall(id=CallId("a"), name="read"), blob("image/png", 10)))

    assert count_message(message, Letters(), COSTS[family]) <= count_message(message, Letters())
    assert max(each.image for each in COSTS.values()) == WIDEST.image


@given(st.integers(0, 10**7), st.integers(1, 5000))
def test_a_correction_rounds_up(total: int, permille: int) -> None:
    """
    What the provider taught us is applied without losing a token.
    """
    assert 0 <= corrected(total, permille) * 1000 - total * permille < 1000


class Watched:
    """A counter of characters that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def count(self, text: str) -> int:
        self.asked.append(len(text))
        return len(text.replace(" ", ""))


@pytest.mark.parametrize("length", [0, 1, SLICE, SLICE + 1, 3 * SLICE, COUNTED])
def test_a_long_text_is_counted_in_slices(length: int) -> None:
    """
    No slice is longer than a thread may hold, and together they are the text.
    """
    counter = Watched()

    assert length == Sliced(counter).count("x" * length)
    assert length == sum(counter.asked)
    assert max(counter.asked) <= SLICE


def test_what_no_window_holds_is_not_counted_to_its_end() -> None:
    """
    The rest is taken to be like the beginning.
    """
    counter = Watched()
    text = "x " * COUNTED

    assert COUNTED == Sliced(counter).count(text)
    assert COUNTED == sum(counter.asked)


def test_a_long_text_is_counted_once() -> None:
    """
    A window asks about the same text again and again; another text of the same length is another one.
    """
    watched = Watched()
    counter, text = Sliced(watched), "x" * (SLICE + 1)
    assert counter.count(text) == counter.count(text)
    assert 2 == len(watched.asked)

    counter.count(" " * (SLICE + 1))
    assert 4 == len(watched.asked)


async def test_a_vocabulary_is_read_in_a_thread() -> None:
    """
    The event loop is held neither while it is read nor by the first text in another script.
    """
    began = thread_time()
    counter = await load_counter("glm-4")
    counter.count("Hello, wörld … 的 😀 " * 20)

    assert thread_time() - began < 0.02
    assert counter.counter is counter_for("glm-4").counter


async def test_a_model_without_a_vocabulary_is_counted_at_once() -> None:
    """
    An estimate needs nothing to be read.
    """
    assert isinstance((await load_counter("claude-opus-5")).counter, Estimate)
