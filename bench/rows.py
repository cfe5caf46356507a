"""Every row of the bench: what is measured, at which size, and what it must reach."""

from collections.abc import Iterable
from operator import gt, lt

from bench.catalog_rows import CATALOGS
from bench.row import SIZES, Beside, Row, Verdict, below, beside_at, every, less_than, of_floor, of_other, short
from bench.terminal_rows import TERMINALS
from bench.turn_rows import TURNS
from bench.window_rows import WINDOWS
from holdfast.records.checksum import BY

MANY, FEW = 20_000, 20
"""How many entries are appended at once, and beside that."""
LONG = 64 * 1024 * 1024
"""How many characters a very long text has."""


def _append(size: int) -> Row:
    flat = size == 1_000_000
    return Row(
        name=f"append@{short(size)}",
        measures=f"append one message to a session of {size:,}, safe against a killed process",
        task="append",
        size=size,
        template="messages",
        unit="µs",
        scale=1e6,
        count=min(100, max(10, size // 20)),
        rounds=20,
        seconds=0.2,
        goal="≤6x floor, ≤1.5x at 1k" if flat else "≤6x floor",
        verdict=every(of_floor(6), of_other("ours@1k", 1.5)) if flat else of_floor(6),
        beside=(beside_at("ours", 1_000),) if flat else (),
        better=lt,
    )


def _parallel(writers: int, words: str) -> Row:
    task = f"parallel{writers}"
    return Row(
        name=task,
        measures=f"{words} sessions at once, each committing every message before its next",
        task=task,
        size=1_000,
        template="messages",
        unit="acks/s",
        count=50 if writers == 8 else 10,
        goal="≥0.45x floor",
        verdict=lambda figures: None if figures.floor is None else figures.ours >= 0.45 * figures.floor,
        beside=(Beside(name="floor off the loop", contender="floor", size=1_000, task=f"{task} off the loop"),),
        better=gt,
    )


def _open(size: int) -> Row:
    flat = size == 1_000_000
    return Row(
        name=f"open@{short(size)}",
        measures=f"open a session of {size:,} messages for its next turn",
        task="open",
        size=size,
        template="messages",
        unit="ms",
        scale=1e3,
        count=20,
        goal="≤2x at 1k, <5 ms" if flat else "<5 ms",
        verdict=every(below(5), of_other("ours@1k", 2)) if flat else below(5),
        beside=(beside_at("ours", 1_000),) if flat else (),
    )


def _list(size: int) -> Row:
    elsewhere = size > 10_000
    return Row(
        name=f"list@{short(size)}",
        measures=f"the newest fifty of {size:,} sessions",
        task="list",
        size=size,
        template="sessions",
        unit="ms",
        scale=1e3,
        count=20,
        rounds=5,
        goal="≥50x nanobot at 10k" if elsewhere else "≥50x nanobot",
        verdict=of_other("nanobot-ai@10k" if elsewhere else "nanobot-ai", 1 / 50),
        beside=(beside_at("nanobot-ai", 10_000),) if elsewhere else (),
    )


_SINGLE = (
    Row(
        name="ack",
        measures="append one message to a session of 1,000 and commit it, safe against a power cut",
        task="ack",
        size=1_000,
        template="messages",
        unit="µs",
        scale=1e6,
        count=50,
        rounds=20,
        goal="≤1.5x floor",
        verdict=of_floor(1.5),
        beside=(Beside(name="floor off the loop", contender="floor", size=1_000, task="ack off the loop"),),
        better=lt,
    ),
    Row(
        name="amplification",
        measures="bytes written per byte said, until a session has 2,000 messages",
        task="amplification",
        size=2_000,
        unit="bytes",
        rounds=1,
        goal="≤1.5",
        verdict=lambda figures: figures.ours <= 1.5,
        beside=(Beside(name="with catalog", contender="ours", size=2_000, task="amplification with catalog"),),
    ),
    Row(
        name="load@10k",
        measures=f"read and check all of a session of 10,000 messages; checksums by {BY}",
        task="load",
        size=10_000,
        template="messages",
        unit="ms",
        scale=1e3,
        count=3,
        goal="≥2x nanobot",
        verdict=of_other("nanobot-ai", 1 / 2),
        better=lt,
        beside=(Beside(name="floor decoded", contender="floor", size=10_000, task="load decoded"),),
    ),
    Row(
        name="append_many",
        measures=f"processor time of each entry where {MANY:,} are appended at once; beside, {FEW} at once",
        task="append_many",
        unit="µs",
        scale=1e6,
        rounds=5,
        goal="≤1.5x few",
        verdict=of_other("few", 1.5),
        beside=(Beside(name="few", contender="ours", size=0, task="append_many few"),),
        floor=False,
    ),
    Row(
        name="longtext_loop",
        measures="the longest that the event loop is held while a text of 64 MB is said and a request is made with it",
        task="longtext_loop",
        unit="ms",
        scale=1e3,
        rounds=3,
        goal="<20 ms",
        verdict=below(20),
        floor=False,
    ),
    Row(
        name="search@1M",
        measures="the ten best among 1,000,000 messages in 1,000 sessions for queries of twelve kinds, 95th percentile",
        task="search",
        size=1_000_000,
        template="words",
        unit="ms",
        scale=1e3,
        quantile=0.95,
        rounds=5,
        count=100,
        seconds=5.0,
        goal="p95 <10 ms",
        verdict=below(10),
    ),
    Row(
        name="help",
        measures="processor time of `holdfast --help`",
        task="help",
        unit="ms",
        scale=1e3,
        count=2,
        goal="<80 ms",
        verdict=below(80),
        better=lt,
    ),
)


def _memory(task: str, size: int, template: str, goal: str, verdict: Verdict) -> Row:
    return Row(
        name=f"memory@{task}",
        measures=f"peak of memory while doing what `{task}@{short(size)}` measures",
        task=task,
        size=size,
        template=template,
        unit="MB",
        scale=1e-6,
        memory=True,
        rounds=3,
        count=20,
        goal=goal,
        verdict=verdict,
        judged=goal != "none",
    )


_MEMORY = (
    _memory("append", 10_000, "messages", "<nanobot", less_than("nanobot-ai")),
    _memory("open", 10_000, "messages", "<nanobot", less_than("nanobot-ai")),
    # All of the session is asked for, so all of it is held: shown for comparison, promised by nobody.
    _memory("load", 10_000, "messages", "none", lambda _: None),
    _memory("list", 10_000, "sessions", "<nanobot", less_than("nanobot-ai")),
    _memory("search", 1_000_000, "words", "<64 MB", below(64)),
)


def _registry() -> dict[str, Row]:
    single = {row.name: row for row in _SINGLE}
    rows = [
        *(_append(size) for size in SIZES),
        single["ack"],
        _parallel(8, "eight"),
        _parallel(64, "64"),
        single["amplification"],
        *(_open(size) for size in SIZES if size >= 1_000),
        single["load@10k"],
        single["append_many"],
        single["longtext_loop"],
        *(_list(size) for size in (10_000, 100_000)),
        single["search@1M"],
        *CATALOGS,
        *_MEMORY,
        single["help"],
        *WINDOWS,
        *TURNS,
        *TERMINALS,
    ]
    return {row.name: row for row in rows}


ROWS = _registry()
"""All rows by name, in the order of the table."""


class UnknownRow(LookupError):
    """No row has this name, nor begins with it."""

    def __init__(self, asked: str, names: Iterable[str]) -> None:
        super().__init__(f"no row is called {asked!r} or begins with it; the rows are: {', '.join(names)}")


def chosen(only: str) -> tuple[Row, ...]:
    """The rows that `only` asks for by name or beginning, in the order of the table; empty asks for all."""
    asked = [name for name in only.replace(" ", ",").split(",") if name]
    wanted: set[str] = set()
    for name in asked:
        found = {name} if name in ROWS else {each for each in ROWS if each.startswith(name)}
        if not found:
            raise UnknownRow(name, ROWS)
        wanted |= found
    return tuple(row for row in ROWS.values() if not asked or row.name in wanted)
