"""How many tokens a message, the tools and the system text take.

Text is counted with the model's own vocabulary where the `tokens` extra brings it,
and estimated otherwise. What a provider adds around the text (roles, calls, tool
preambles, images) is a table of costs for each family, upper bounds where a
provider says only "depends". The provider's own count, once it has answered, is
better than both: `corrected` applies what was learnt from it.
"""

import asyncio
import re
from collections import deque
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Protocol, assert_never

from holdfast.model.estimate import Estimate
from holdfast.model.protocol import AssistantMessage, Family, Message, Request, ToolMessage, ToolSpec, UserMessage
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall, Value
from holdfast.records.slices import SLICE

COUNTED = 4 * 1024 * 1024
"""How many characters of a text are counted, at least: more than the largest windows hold."""
SAMPLE = "Hello, wörld 的 日本語 émoji 😀 Привет\n\n  x = 1" * 5
"""What a new vocabulary counts first: it makes what it needs for other scripts when it meets them, and that takes as
long as reading it."""
REMEMBERED = 16
"""How many long texts are remembered with their counts."""


class Counter(Protocol):
    """Counts the tokens of a text."""

    def count(self, text: str) -> int:
        """How many tokens the text takes; the same text always takes as many."""
        ...


class _Vocabulary(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


class Exact:
    """Counts with a model's own vocabulary."""

    def __init__(self, vocabulary: _Vocabulary) -> None:
        self._vocabulary = vocabulary

    def count(self, text: str) -> int:
        """How many tokens the text takes; words that look like control tokens are words."""
        try:
            return len(self._vocabulary.encode_ordinary(text))
        except UnicodeEncodeError:  # half a character, which no provider takes either
            return len(self._vocabulary.encode_ordinary(text.encode("utf-8", "replace").decode()))


_VOCABULARIES = (
    (r"(chat)?gpt-4o|gpt-(4\.1|4\.5|5)|o[134](-|$)|codex-mini", "o200k_base"),
    (r"gpt-oss", "gpt-oss"),
    (r"gpt-(4|3\.5)|text-embedding", "cl100k_base"),
    (r"(meta-)?llama-?3", "llama3"),
    (r"qwen-?([23]|2\.5)?([:-]|$)|qwq", "qwen3"),
    (r"deepseek-(v3|r1)(?!-distill)", "deepseek_v3"),
    (r"glm-4", "glm4"),
    (r"kimi-k2", "kimi_k2"),
    (r"gemma-?3", "gemma3"),
    (r"phi-?4", "phi4"),
    (r"(open-)?mistral-nemo|pixtral", "mistral_v3"),
)
"""How a model's name begins, and what its vocabulary is called; the first that fits counts."""

_SCALES = (
    (r"claude-(2|3|instant|\w+-4(?!-[789](\D|$)))", 1200),
    (r"claude", 1550),
    (r"gemini|gemma", 1200),
    (r"(chat)?gpt|o\d|codex", 1000),
)
"""Tokens for each thousand of o200k's, by how a model's name begins.

Measured on English, code, JSON and tool output where the vocabulary is public (Gemini's is Gemma's).
Claude's is not: people measured 15 to 20 % more tokens than o200k's, and since Opus 4.7 about 30 % more than that."""

_OTHER_SCALE = 1100


class Sliced:
    """Counts long texts slice by slice, so that a thread that counts lets others run.

    What no window holds is not counted to its end: the rest is taken to be like the beginning. The last long texts are
    remembered, because a window asks about them again and again.
    """

    def __init__(self, counter: Counter) -> None:
        """Count with another counter."""
        self.counter = counter
        self._known: deque[tuple[str, int]] = deque(maxlen=REMEMBERED)

    def count(self, text: str) -> int:
        """How many tokens the text takes."""
        if len(text) <= SLICE:
            return self.counter.count(text)
        # By identity: comparing two long texts takes as long as a part of the counting.
        for known, tokens in self._known:
            if known is text:
                return tokens
        begins = range(0, min(len(text), COUNTED), SLICE)
        counted = sum(self.counter.count(text[begin : begin + SLICE]) for begin in begins)
        tokens = _share(len(text), (counted, min(len(text), begins[-1] + SLICE)))
        self._known.append((text, tokens))
        return tokens


def exact(model: str) -> Counter | None:
    """A counter with the model's own vocabulary; None if there is none, or if the `tokens` extra is not installed."""
    found = _vocabulary(model)
    if not found:
        return None
    try:
        return _loaded(import_module("splintr"), found)
    except ImportError:
        return None


def _vocabulary(model: str) -> str:
    name = _bare(model)
    return next((vocabulary for pattern, vocabulary in _VOCABULARIES if re.match(pattern, name)), "")


@cache
def _loaded(splintr: ModuleType, vocabulary: str) -> Exact:
    """A vocabulary, read once: that takes a tenth of a second and some megabytes."""
    found = Exact(splintr.Tokenizer.from_pretrained(vocabulary))
    found.count(SAMPLE)
    return found


def counter_for(model: str) -> Sliced:
    """The best counter there is for a model. The first one for a vocabulary reads it: `load_counter` does it aside."""
    name = _bare(model)
    scale = next((permille for pattern, permille in _SCALES if re.match(pattern, name)), _OTHER_SCALE)
    return Sliced(exact(model) or Estimate(permille=scale))


async def load_counter(model: str) -> Sliced:
    """The same, without holding the event loop: a vocabulary is read in a thread."""
    return await asyncio.to_thread(counter_for, model) if _vocabulary(model) else counter_for(model)


def _bare(model: str) -> str:
    """The name without who serves it or tuned it: `openai/gpt-4o` and `ft:gpt-4o:acme` are gpt-4o."""
    return re.sub(r"^(ft:|(\w+\.)?anthropic\.)", "", model.lower().rpartition("/")[2])


class Costs(Value, frozen=True, kw_only=True):
    """What a provider adds to the text it is given, in tokens."""

    request: int
    """Once, to begin the reply."""
    message: int
    """For each message, its role and its frame."""
    call: int
    """For each tool call or result on top of its name and text."""
    tools: int
    """Once, if there are tools."""
    tool: int
    """For each tool on top of its name, description and schema."""
    image: int
    """For each image, at most, however large it is."""


COSTS: Mapping[Family, Costs] = {
    # Chat: 3 tokens and the role for each message, 3 to begin the reply, 12 after the tools, as OpenAI's cookbook
    # counts them. Images: at most 1,536 patches times 2.46 (GPT-4.1 nano); later models take 2,942 in high detail.
    "openai-chat": Costs(request=3, message=4, call=12, tools=16, tool=12, image=3_800),
    "openai-responses": Costs(request=3, message=4, call=12, tools=16, tool=12, image=3_800),
    # Anthropic documents 159 to 530 tokens that introduce tools, and 4,784 for its largest image.
    "anthropic": Costs(request=4, message=5, call=30, tools=530, tool=20, image=4_800),
    # Google documents 1,120 tokens for an image in high resolution.
    "gemini": Costs(request=3, message=4, call=16, tools=16, tool=16, image=1_120),
}
"""What each family adds."""

WIDEST = Costs(**{name: max(getattr(each, name) for each in COSTS.values()) for name in Costs.__struct_fields__})
"""What no family exceeds: for counts that are kept while models come and go."""

_SIGNED = (3, 16)
"""Tokens in a signature's characters: it is thinking, encrypted and in Base64, at four bytes a token."""

_BLIND = (2, 5)
"""Tokens in the bytes of a text of which there is no preview: as many as code takes."""

_ATTACHED = (80, 1024)
"""Tokens in the bytes of a document or a recording: a page is about 40 KB and 3,000 tokens."""

_LABEL = 16
"""Tokens of the line that names an attachment, on top of its name."""


def count_message(message: Message, counter: Counter, costs: Costs = WIDEST) -> int:
    """What a message adds to a request."""
    inside = sum(_count_part(part, counter, costs) for part in message.parts)
    match message:
        case UserMessage() | AssistantMessage():
            return costs.message + inside
        case ToolMessage(name=name):
            return costs.message + costs.call + counter.count(name) + inside
        case _:
            assert_never(message)


def count_system(text: str, counter: Counter, costs: Costs = WIDEST) -> int:
    """What the system text adds to a request."""
    return costs.message + counter.count(text) if text else 0


def count_tools(tools: Iterable[ToolSpec], counter: Counter, costs: Costs = WIDEST) -> int:
    """What the tools add to a request."""
    each = [
        costs.tool + counter.count(tool.name) + counter.count(tool.description) + counter.count(tool.schema)
        for tool in tools
    ]
    return costs.tools + sum(each) if each else 0


def count_request(request: Request, counter: Counter) -> int:
    """What a whole request takes, without the room for the reply."""
    costs = COSTS[request.target.family]
    return (
        costs.request
        + count_system(request.system, counter, costs)
        + count_tools(request.tools, counter, costs)
        + sum(count_message(message, counter, costs) for message in request.messages)
    )


def corrected(total: int, permille: int) -> int:
    """A count as the provider would have counted it, which reported `permille` tokens for each thousand of ours."""
    return -(-total * permille // 1000)


def _count_part(part: Part, counter: Counter, costs: Costs) -> int:
    match part:
        case Text(text=text):
            return counter.count(text)
        case Thinking(text=text, signature=signature):
            return max(counter.count(text), _share(len(signature), _SIGNED))
        case ToolCall(name=name, arguments=arguments):
            return costs.call + counter.count(name) + counter.count(arguments)
        case Blob():
            return _count_blob(part, counter, costs)
        case _:
            assert_never(part)


def _count_blob(blob: Blob, counter: Counter, costs: Costs) -> int:
    if blob.media_type.startswith("image/"):
        inside = costs.image
    elif blob.preview:  # the rest of a text is taken to be like its beginning
        begins = len(blob.preview.encode("utf-8", "surrogatepass"))
        inside = _share(blob.size, (counter.count(blob.preview), begins))
    else:
        inside = _share(blob.size, _BLIND if blob.media_type.startswith("text/") else _ATTACHED)
    return _LABEL + counter.count(blob.name) + inside


def _share(amount: int, ratio: tuple[int, int]) -> int:
    part, whole = ratio
    return -(-amount * part // whole)
