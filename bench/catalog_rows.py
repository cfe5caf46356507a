"""The rows about the catalog where much is open, attached, behind, or just copied."""

from bench.row import Beside, Row, below, of_other

NONE = "none"
BLOBS = 10_000


def _same(name: str, size: int, task: str, measures: str, template: str = "") -> Row:
    """What must cost the same as without."""
    return Row(
        name=name,
        measures=measures,
        task=task,
        size=size,
        template=template,
        unit="ms",
        scale=1e3,
        rounds=5,
        count=20,
        goal="≤1.5x with none",
        verdict=of_other(NONE, 1.5),
        beside=(Beside(name=NONE, contender="ours", size=size, task=f"{task} {NONE}"),),
        floor=False,
    )


CATALOGS = (
    _same(
        "list_open@1k",
        1_000,
        "list_open",
        "processor time of the newest fifty of 1,000 sessions, while all of them are open in this process",
        "sessions",
    ),
    _same(
        "search_open@1k",
        1_000,
        "search_open",
        "processor time of a search in 1,000 sessions, while all of them are open in this process",
        "sessions",
    ),
    _same(
        "list_blobs@10k",
        0,
        "list_blobs",
        "processor time of an append to a session of 10,000 attachments, and of the list after it",
    ),
    Row(
        name="catchup@1M",
        measures="processor time for each entry, where a catalog catches up on 1,000,000 messages in 1,000 sessions",
        task="catchup",
        size=1_000_000,
        template="words",
        unit="µs",
        scale=1e6,
        rounds=1,
        goal="≤10 µs",
        verdict=lambda figures: figures.ours <= 10,
        beside=(Beside(name="words alone", contender="ours", size=1_000_000, task="catchup words alone"),),
        floor=False,
    ),
    Row(
        name="catchup_list@1M",
        measures="the first list of the same store, while its catalog is behind by all of it",
        task="catchup_list",
        size=1_000_000,
        template="words",
        unit="ms",
        scale=1e3,
        rounds=1,
        goal="<500 ms",
        verdict=below(500),
        floor=False,
    ),
    Row(
        name="first_list@100k",
        measures="the first list of a store of 100,000 sessions that was copied with its catalog",
        task="first_list",
        size=100_000,
        template="sessions",
        unit="ms",
        scale=1e3,
        rounds=1,
        goal="<500 ms",
        verdict=below(500),
        floor=False,
    ),
)
"""In the order of the table."""
