"""How a model of Anthropic is asked to think.

Thinking is on wherever a model can. The older models take a budget for it that must leave room for the reply, and
refuse it in a tool step that was begun without thinking. From 4.6 on they think as much as they like. From 5.1 on
they bind a thought to the words before it; as a window moves on and is compacted, they are told to drop such a
thought, or else they would refuse the whole request.
"""

import re
from collections.abc import Mapping

from holdfast.context.legal.rendered import Json
from holdfast.model.effort import BUDGETS
from holdfast.model.protocol import Effort

BINDING_BETA = "thinking-binding-controls-2026-08-01"
"""What a request must name whose thinking says how it is bound."""

_LEAST, _MOST = 1024, 16_384
"""Tokens to think with: the least that Claude takes, and what is enough for a step."""
_VERSIONED = re.compile(r"claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")
_ADAPTS, _BINDS = (4, 6), (5, 1)
_THINKS = re.compile(r"claude-(?!v?2|instant|3-(?!7))")
"""Which models can: Claude from 3.7 on, and of what else is found at Claude's address nobody knows."""


def thinking(model: str, body: Mapping[str, object], effort: Effort = "") -> Json | None:
    """The `thinking` of a request, or None if the model is not to think; `effort` counts where it takes a budget."""
    if "claude-mythos-preview" in model:
        return {"type": "adaptive", "display": "summarized"}
    if found := _VERSIONED.search(model):
        version = int(found[2]), int(found[3] or 0)
        binds = version >= _BINDS and found[1] != "mythos"
        if version >= _ADAPTS:
            binding = {"block_binding": {"prefix_mismatch_behavior": "drop_block"}} if binds else {}
            return {"type": "adaptive", "display": "summarized", **binding}
    limit = body["max_tokens"]
    budget = min(limit // 2, BUDGETS.get(effort, _MOST)) if isinstance(limit, int) else 0
    if budget < _LEAST or not _THINKS.search(model) or _begun_without(body["messages"]):
        return None
    return {"type": "enabled", "budget_tokens": budget}


def _begun_without(messages: object) -> bool:
    """Whether the model waits for results of calls that it made without thinking, or with thinking that is gone."""
    match messages:
        case [*_, {"content": [{"type": kind}, *_]}, {"content": [{"type": "tool_result"}, *_]}]:
            return kind not in {"thinking", "redacted_thinking"}
        case _:
            return False
