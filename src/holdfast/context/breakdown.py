"""Breakdown of a model's context window: how many tokens each part takes."""

from collections.abc import Iterable, Sequence
from typing import Literal

from holdfast.context.budget import Budget
from holdfast.context.prefix import Prefix, prefix_messages
from holdfast.context.timeline import Timeline
from holdfast.context.units import size_of
from holdfast.model.protocol import Target, ToolMessage, ToolSpec
from holdfast.model.tokens import COSTS, count_system, count_tools, counter_for
from holdfast.records.parts import Value

Filling = Literal["system", "tools", "summary", "kept", "turns", "results", "reply", "free"]
"""The system text; the tools that are offered; the summary of what came before; what is kept from before; what was
said; the results of tools; what is set aside for the reply; what is left."""


class Share(Value, frozen=True, kw_only=True):
    """One part of a window."""

    filling: Filling
    tokens: int
    """As the provider counts, as far as its last reply told."""


def fixed_shares(target: Target, system: str, tools: Sequence[ToolSpec]) -> dict[Filling, int]:
    """What is taken before anything is said, as we count."""
    counter, costs = counter_for(target.model), COSTS[target.family]
    return {
        "system": costs.request + count_system(system, counter, costs),
        "tools": count_tools(tools, counter, costs),
    }


def said_shares(timeline: Timeline, prefix: Prefix) -> dict[Filling, int]:
    """What a conversation takes, as we count."""
    before = prefix_messages(timeline, prefix, timeline.start)
    summary = [unit for unit in before if prefix.summary is not None and unit.first == prefix.summary]
    results = sum(
        timeline.cost(message)
        for unit in timeline.units()
        for message in unit.messages
        if isinstance(message, ToolMessage)
    )
    summed = size_of(summary).tokens
    return {
        "summary": summed,
        "kept": size_of(before).tokens - summed,
        "turns": timeline.size().tokens - results,
        "results": results,
    }


def shares(parts: Iterable[dict[Filling, int]], budget: Budget, ratio: int) -> tuple[Share, ...]:
    """All parts, as the provider counts; they add up to the window unless more than that was said."""
    used = {name: tokens * ratio // 1000 for part in parts for name, tokens in part.items()}
    free = budget.tokens - budget.output - sum(used.values())
    whole: dict[Filling, int] = {**used, "reply": budget.output, "free": max(0, free)}
    return tuple(Share(filling=name, tokens=tokens) for name, tokens in whole.items())
