"""Context sizes: how many tokens a model takes, and how many it may answer.

As the providers documented them on the day below. A model that is not listed has the
size of the longest listed name it begins with, because families keep their sizes; one
of no known family gets a size that nearly everything has today.
"""

import re
from collections.abc import Mapping
from functools import cache

from holdfast.records.parts import Value

AS_OF = "2026-11-18"
"""When the sizes were looked up."""


class ModelSize(Value, frozen=True, kw_only=True):
    """Tokens."""

    window: int
    """Request and reply together."""
    output: int
    """The longest reply, thinking included; 0 where nobody documents one, and the service decides."""


def _size(window: int, output: int) -> ModelSize:
    return ModelSize(window=window, output=output)


_LARGE = _size(1_050_000, 128_000)
_MEDIUM = _size(400_000, 128_000)
_CLAUDE_LARGE = _size(1_000_000, 128_000)
_CLAUDE = _size(200_000, 64_000)
_GEMINI = _size(1_048_576, 65_536)

UNKNOWN = _size(128_000, 0)
"""The size of a model that is not known."""

SIZES: Mapping[str, ModelSize] = {
    "gpt-6": _LARGE,
    "gpt-5.6": _LARGE,
    "gpt-5.5": _LARGE,
    "gpt-5.4": _LARGE,
    "gpt-5.4-mini": _MEDIUM,
    "gpt-5.4-nano": _MEDIUM,
    "gpt-5": _MEDIUM,
    "gpt-5-chat": _size(128_000, 16_384),
    "gpt-5.1-chat": _size(128_000, 16_384),
    "gpt-4.1": _size(1_047_576, 32_768),
    "gpt-4o": _size(128_000, 16_384),
    "gpt-4": _size(8_192, 4_096),
    "gpt-4-turbo": _size(128_000, 4_096),
    "gpt-3.5": _size(16_385, 4_096),
    "gpt-oss": _size(131_072, 65_536),
    "o1": _size(200_000, 100_000),
    "o3": _size(200_000, 100_000),
    "o4": _size(200_000, 100_000),
    "claude": _CLAUDE,
    "claude-3": _size(200_000, 4_096),
    "claude-3-5": _size(200_000, 8_192),
    "claude-3-7": _CLAUDE,
    "claude-fable": _CLAUDE_LARGE,
    "claude-opus": _CLAUDE_LARGE,
    "claude-opus-4": _size(200_000, 32_000),
    "claude-opus-4-5": _CLAUDE,
    "claude-opus-4-6": _CLAUDE_LARGE,
    "claude-opus-4-7": _CLAUDE_LARGE,
    "claude-opus-4-8": _CLAUDE_LARGE,
    "claude-sonnet": _CLAUDE_LARGE,
    "claude-sonnet-4": _CLAUDE,
    "claude-sonnet-4-6": _CLAUDE_LARGE,
    "claude-haiku": _CLAUDE_LARGE,
    "claude-haiku-4": _CLAUDE,
    "gemini": _GEMINI,
    "deepseek-v4": _size(1_000_000, 384_000),
    "deepseek": _size(128_000, 0),
    "deepseek-chat": _size(128_000, 8_192),
    "deepseek-reasoner": _size(128_000, 64_000),
    "grok-4": _size(256_000, 64_000),
    "grok-4.3": _size(1_000_000, 64_000),
    "grok-4.5": _size(500_000, 64_000),
    "grok-4.6": _size(500_000, 64_000),
    "grok-4.7": _size(500_000, 64_000),
    "kimi-k2": _size(131_072, 32_768),
    "kimi-k3": _size(1_048_576, 65_536),
    "mistral-large": _size(262_144, 32_768),
    "mistral-medium": _size(262_144, 32_768),
    "mistral-small": _size(262_144, 32_768),
    # What a server on this machine takes is set when it is started; these are room for an agent
    # on one that was started with more than the least.
    "ollama:": _size(32_768, 0),
    "llamacpp:": _size(32_768, 0),
    "lmstudio:": _size(32_768, 0),
    "local:smollm2": _size(4_096, 200),
    "scripted:": _size(200_000, 8_192),
}
"""Known sizes, by how the name of a model begins; with a colon, by who serves it."""

_SERVED_BY = re.compile(r"^(.*/|(\w+\.)?anthropic\.)")
_BY_SERVICE = sorted((name for name in SIZES if ":" in name), key=len, reverse=True)
_BY_NAME = sorted((name for name in SIZES if ":" not in name), key=len, reverse=True)


@cache
def size_of(model: str) -> ModelSize:
    """The size of a model, as `service:name` or by its name alone."""
    full = model.lower()
    bare = _SERVED_BY.sub("", full.partition(":")[2] if _is_service(full) else full)
    if bare.startswith("claude"):
        bare = bare.replace(".", "-")  # some who serve it write its number so
    # Who serves it decides before what it is called: a server here has less room than the model could use.
    known = next((name for name in _BY_SERVICE if full.startswith(name)), None)
    known = known or next((name for name in _BY_NAME if bare.startswith(name)), None)
    return SIZES[known] if known else UNKNOWN


def _is_service(name: str) -> bool:
    """Whether a name has a service in front; `qwen3:8b` has only a tag behind."""
    return name.partition(":")[0].isalpha()
