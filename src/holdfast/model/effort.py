"""How long a model may think before it answers, and which models can be told."""

import re
from collections.abc import Mapping

from holdfast.model.protocol import Effort, Target

LEVELS: Mapping[str, Effort] = {"low": "low", "medium": "medium", "high": "high", "auto": ""}
"""What a person can say."""
BUDGETS: Mapping[str, int] = {"low": 2_048, "medium": 8_192, "high": 24_576}
"""Tokens to think with, for models that take a number."""
_OPENAI = re.compile(r"^(o\d|gpt-[5-9]|gpt-oss|codex)")
_CLAUDE = re.compile(r"claude-(?!v?2|instant|3-(?!7))")
_GEMINI = re.compile(r"gemini-(2\.5|[3-9])")


def takes_effort(target: Target) -> bool:
    """Whether a model can be told how long to think, as far as its name says; unknown services are taken to."""
    match target.provider, target.family:
        case "scripted" | "local", _:
            return False
        case "openai", _:
            return bool(_OPENAI.search(target.model))
        case _, "anthropic":
            return bool(_CLAUDE.search(target.model))
        case _, "gemini":
            return bool(_GEMINI.search(target.model))
        case _:
            return True


def effort_for(target: Target, wanted: Effort) -> Effort:
    """What a model is told; '' for one that cannot be told, and that may stand in for another."""
    return wanted if wanted and takes_effort(target) else ""
