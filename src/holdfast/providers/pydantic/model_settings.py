"""What is asked of a model beside its messages: length, thinking, what to keep in the cache.

Thinking is on wherever a model can. Claude's older models take a budget for it that must
leave room for the reply, and refuse it in a tool step that was begun without thinking.
The newer bind a thought to the words before it; as a window moves on and is compacted,
they are told to drop such a thought, or else they would refuse the whole request.
"""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ThinkingPart, ToolReturnPart
from pydantic_ai.models import Model as Client
from pydantic_ai.settings import ModelSettings

from holdfast.context.legal.anthropic import LONGEST_REPLY
from holdfast.model.effort import BUDGETS
from holdfast.model.protocol import Request
from holdfast.providers.pydantic.request import ClientRequest

_LEAST, _MOST = 1024, 16_384
"""Tokens to think with: the least that Claude takes, and what is enough for a step."""
_THINKS = re.compile(r"claude-(?!v?2|instant|3-(?!7))")
"""Which models can: Claude from 3.7 on, and of what else is found at Claude's address nobody knows."""


def settings(request: Request, asked: ClientRequest, client: Client) -> ModelSettings:
    """The settings of one request."""
    limit = request.max_output_tokens
    if not limit and request.target.family == "anthropic":
        limit = LONGEST_REPLY
    chosen: dict[str, object] = {"max_tokens": limit} if limit else {}
    if "max_retries" not in client.unsupported_settings:
        chosen["max_retries"] = 0
    if asked.tools.function_tools and not asked.callable:
        chosen["tool_choice"] = "none"
    match request.target.provider:
        case "anthropic":
            thinking = _claude(request, asked.messages, client, "anthropic_supports_adaptive_thinking")
            if thinking:
                chosen["anthropic_thinking"] = thinking
                if request.effort and thinking["type"] == "adaptive":
                    chosen["anthropic_effort"] = request.effort
            chosen |= _cached("anthropic")
        case "bedrock" if request.target.family == "anthropic":
            thinking = _claude(request, asked.messages, client, "bedrock_supports_adaptive_thinking")
            if thinking:
                chosen["bedrock_additional_model_requests_fields"] = {"thinking": thinking}
            chosen |= _cached("bedrock")
        case "bedrock" | "google" | "mistral":
            chosen["thinking"] = request.effort or True
        case _:
            pass
    return cast("ModelSettings", chosen)


def _cached(service: str) -> Mapping[str, object]:
    """Where the service may cut what it keeps: after the tools, the instructions, and all that was said."""
    return {f"{service}_cache_{what}": True for what in ("tool_definitions", "instructions", "messages")}


def _claude(
    request: Request, messages: Sequence[ModelMessage], client: Client, adapts: str
) -> Mapping[str, object] | None:
    profile: Mapping[str, object] = cast("Mapping[str, object]", client.profile)
    if profile.get(adapts):
        if request.target.provider == "bedrock":
            return {"type": "adaptive"}
        binding = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}}
        bound = profile.get("anthropic_binds_thinking_blocks")
        return {"type": "adaptive", "display": "summarized", **(binding if bound else {})}
    budget = min((request.max_output_tokens or LONGEST_REPLY) // 2, BUDGETS.get(request.effort, _MOST))
    if budget < _LEAST or not _THINKS.search(request.target.model) or _begun_without(messages):
        return None
    return {"type": "enabled", "budget_tokens": budget}


def _begun_without(messages: Sequence[ModelMessage]) -> bool:
    """Whether the model waits for results of calls that it made without thinking, or with thinking that is gone."""
    match messages:
        case [*_, ModelResponse() as reply, ModelRequest() as turn]:
            waits = any(isinstance(part, ToolReturnPart) for part in turn.parts)
            return waits and not isinstance(reply.parts[0], ThinkingPart)
        case _:
            return False
