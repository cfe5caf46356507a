"""The rows about the terminal: how soon one can type, how fast it follows, and what it costs to have it open."""

from operator import lt

from bench.row import Beside, Row, below, less_than

DELTAS = 2_000
PACE = 0.005
"""Seconds between two deltas: faster than any model, so that several are drawn at once only where that is due."""
PROCESSOR = "processor time"
LIBRARY = "an input alone"
KEY_TYPED = "key typed"

TERMINALS = (
    Row(
        name="prompt",
        measures="from starting `holdfast` in a session of 1,000 messages until one can type",
        task="prompt",
        size=1_000,
        template="messages",
        unit="ms",
        scale=1e3,
        count=2,
        goal="<300 ms",
        verdict=below(300),
        better=lt,
        beside=(
            Beside(name=PROCESSOR, contender="ours", size=1_000, task=f"prompt {PROCESSOR}"),
            Beside(name=LIBRARY, contender="ours", size=1_000, task=f"prompt {LIBRARY}"),
        ),
    ),
    Row(
        name="picker@10k",
        measures="from asking for the list of 10,000 sessions in a chat until its first screen is there",
        task="picker",
        size=10_000,
        template="sessions",
        unit="ms",
        scale=1e3,
        count=4,
        rounds=5,
        goal="<100 ms",
        verdict=below(100),
        beside=(Beside(name=KEY_TYPED, contender="ours", size=10_000, task=f"picker {KEY_TYPED}"),),
        floor=False,
    ),
    Row(
        name="redraw",
        measures=f"processor time of the whole chat for each delta of a Markdown reply of {DELTAS:,}, while it streams",
        task="redraw",
        unit="µs",
        scale=1e6,
        rounds=3,
        count=1,
        goal="<1,000 µs",
        verdict=below(1_000),
        floor=False,
    ),
    Row(
        name="idle_memory",
        measures="resident memory of an idle chat in a session of 1,000 messages",
        task="idle_memory",
        size=1_000,
        template="messages",
        unit="MB",
        scale=1e-6,
        rounds=3,
        count=1,
        goal="<nanobot",
        verdict=less_than("nanobot-ai"),
        beside=(Beside(name=LIBRARY, contender="ours", size=1_000, task=f"idle_memory {LIBRARY}"),),
    ),
)
"""In the order of the table."""
