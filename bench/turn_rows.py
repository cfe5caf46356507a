"""The rows about the agent: what a turn costs beside the model, how soon it stops, and how soon a request leaves."""

from operator import lt

from bench.row import Beside, Row, below, beside_at, every, less_than, of_other, other_below, short

LENGTHS = (10, 1_000, 10_000, 100_000)
STEPS = (0, 10)
CONVERSATIONS, RATE = 200, 20.0
"""How many models stream at once, and how many deltas each gives in a second."""
SLOWER = 50
"""Below callgrind everything takes about so many times as long, and so do the seconds of the event loop."""
CLIENT = "with the client alone"
PYDANTIC = "through pydantic-ai"
LINES = 100_000
SILENT = "with its output off"
THREAD, STREAM = "in a thread", "in a stream"
_MOST = {0: 8, 10: 60}


def _turn(size: int, steps: int) -> Row:
    flat = size == LENGTHS[-1]
    task, most = f"turn/{steps}", _MOST[steps]
    return Row(
        name=f"turn@{short(size)}/{steps}",
        measures=f"a whole turn of {steps} tool steps at {size:,} messages, with a model that answers at once",
        task=task,
        size=size,
        template="messages",
        unit="ms",
        scale=1e3,
        count=10,
        seconds=0.5,
        goal=f"≤2x at 1k, <{most} ms" if flat else f"<{most} ms",
        verdict=every(below(most), of_other("ours@1k", 2)) if flat else below(most),
        beside=(
            Beside(name="without commits", contender="ours", size=size, task=f"{task} without commits"),
            *((beside_at("ours", 1_000),) if flat else ()),
        ),
        floor=False,
    )


TURNS = (
    *(_turn(size, steps) for steps in STEPS for size in LENGTHS),
    Row(
        name="turn_cpu@10k",
        measures="processor time of such a turn of ten steps at 10,000 messages",
        task="turn_cpu/10",
        size=10_000,
        template="messages",
        unit="ms",
        scale=1e3,
        count=10,
        seconds=0.5,
        goal="≤7 ms",
        verdict=lambda figures: figures.ours <= 7,
        beside=(Beside(name="without commits", contender="ours", size=10_000, task="turn_cpu/10 without commits"),),
        floor=False,
    ),
    Row(
        name="delta",
        measures=f"what a delta costs beside its stream, {RATE:.0f} a second in each of {CONVERSATIONS}",
        task="delta",
        size=10,
        template="messages",
        unit="µs",
        scale=1e6,
        rounds=4,
        count=40,
        goal="≤40 µs",
        verdict=lambda figures: figures.ours <= 40,
        floor=False,
    ),
    Row(
        name="delta_instr",
        measures="instructions of such a delta, as callgrind counts them",
        task="delta_instr",
        size=10,
        template="messages",
        unit="instr",
        rounds=1,
        count=8,
        goal="≤65,000",
        verdict=lambda figures: figures.ours <= 65_000,
        floor=False,
        program="valgrind",
    ),
    Row(
        name="cancel",
        measures="a stop within a command that does not want to end, until the turn is over; beside it, other places",
        task="cancel",
        unit="ms",
        scale=1e3,
        quantile=0.95,
        rounds=5,
        count=5,
        seconds=10.0,
        goal="p95 <200 ms",
        verdict=every(below(200), other_below(THREAD, 200), other_below(STREAM, 200)),
        beside=tuple(Beside(name=name, contender="ours", size=0, task=f"cancel {name}") for name in (THREAD, STREAM)),
        floor=False,
    ),
    Row(
        name="draft_lag",
        measures="the longest that a shown piece of a reply was not yet kept, with a piece every 10 ms",
        task="draft_lag",
        unit="ms",
        scale=1e3,
        quantile=1.0,
        rounds=3,
        count=1,
        goal="all <100 ms",
        verdict=below(100),
        floor=False,
    ),
    Row(
        name="tool_lines",
        measures=f"processor time of a turn whose command prints {LINES:,} lines, drawn as a chat shows them",
        task="tool_lines",
        size=10,
        template="messages",
        unit="ms",
        scale=1e3,
        count=10,
        seconds=2.0,
        goal="≤5 % more than with the output off",
        verdict=of_other(SILENT, 1.05),
        beside=(Beside(name=SILENT, contender="ours", size=10, task=f"tool_lines {SILENT}"),),
        floor=False,
    ),
    Row(
        name="headless_start",
        measures="from starting `holdfast -p` in a session of 1,000 messages to the arrival of its request on loopback",
        task="headless_start",
        size=1_000,
        template="messages",
        unit="ms",
        scale=1e3,
        count=1,
        goal="<250 ms",
        verdict=below(250),
        better=lt,
        beside=(Beside(name=CLIENT, contender="ours", size=1_000, task=f"headless_start {CLIENT}"),),
    ),
    Row(
        name="first_token",
        measures="processor time of a program that asks Claude on loopback and leaves when it hears the first token",
        task="first_token",
        unit="ms",
        scale=1e3,
        count=1,
        rounds=5,
        goal="≥1 s less than through pydantic-ai",
        verdict=less_than(PYDANTIC, by=1_000),
        beside=(Beside(name=PYDANTIC, contender="ours", size=0, task=f"first_token {PYDANTIC}"),),
        floor=False,
    ),
    Row(
        name="agent_memory",
        measures="peak of memory of that process",
        task="agent_memory",
        size=1_000,
        template="messages",
        unit="MB",
        scale=1e-6,
        rounds=3,
        count=1,
        goal="<nanobot",
        verdict=less_than("nanobot-ai"),
    ),
)
"""In the order of the table."""
