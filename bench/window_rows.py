"""The rows about what a model is shown: how fast a window is, how much of it is cached, how well it is counted."""

from bench.row import Beside, Row, Verdict, below, beside_at, every, less_than, of_other, short

LENGTHS = (1_000, 10_000, 100_000, 1_000_000)
BUDGETS = ("32k", "200k")
GENRES = ("english", "code", "json", "tools", "chinese")
SLIDING, TAIL = "last 120 messages", "tail by tokens"


def _window(size: int, budget: str) -> Row:
    flat = size == LENGTHS[-1]
    return Row(
        name=f"window@{short(size)}/{budget}",
        measures=f"the next window of a session of {size:,} messages, for {budget} tokens, when it does not jump",
        task=f"window/{budget}",
        size=size,
        template="messages",
        unit="ms",
        scale=1e3,
        goal="≤2x at 1k, <1 ms" if flat else "<1 ms",
        verdict=every(below(1), of_other("ours@1k", 2)) if flat else below(1),
        beside=(beside_at("ours", LENGTHS[0]),) if flat else (),
        floor=False,
    )


def _reuse(name: str, measures: str, unit: str, goal: str, verdict: Verdict) -> Row:
    return Row(
        name=name,
        measures=f"{measures}; 500 turns with tools, 32k tokens",
        task=name,
        unit=unit,
        rounds=1,
        goal=goal,
        verdict=verdict,
        beside=tuple(
            Beside(name=other, contender="simple", size=0, task=f"{name} {other}") for other in (SLIDING, TAIL)
        ),
        floor=False,
    )


WINDOWS = (
    *(_window(size, budget) for budget in BUDGETS for size in LENGTHS),
    Row(
        name="window_jump",
        measures="the next window of a session of 10,000 messages, for 32k tokens, when its start moves",
        task="window_jump/32k",
        size=10_000,
        template="messages",
        unit="ms",
        scale=1e3,
        rounds=5,
        count=4,
        seconds=2.0,
        goal="<10 ms",
        verdict=below(10),
        beside=(Beside(name="200k", contender="ours", size=10_000, task="window_jump/200k"),),
        floor=False,
    ),
    _reuse(
        "cache_reuse",
        "tokens of requests that are an unchanged beginning of the request before",
        "%",
        "≥90 %",
        lambda figures: figures.ours >= 90,
    ),
    _reuse(
        "cache_cost",
        "what those requests cost, where a cached token costs a tenth",
        "ktok",
        "<others",
        every(less_than(SLIDING), less_than(TAIL), less_than("nanobot-ai")),
    ),
    Row(
        name="token_error",
        measures="by how much estimated tokens are off in the worst of five genres; beside, each genre and its sign",
        task="token_error",
        unit="%",
        rounds=1,
        goal="≤10 %",
        verdict=lambda figures: figures.ours <= 10,
        beside=(
            *(Beside(name=genre, contender="ours", size=0, task=f"token_error {genre}") for genre in GENRES),
            Beside(name="characters / 4", contender="ours", size=0, task="token_error characters / 4"),
        ),
        floor=False,
    ),
)
"""In the order of the table."""
