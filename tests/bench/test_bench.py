"""The bench keeps its word about rows, selection and output; its figures are its own affair."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from bench.measure import Outcome, quantile
from bench.peers.chosen import NANOBOT, OPENAI_AGENTS, PEERS, SQLITE, Peer
from bench.peers.install import CannotInstall, interpreter
from bench.row import BEAT_FLOOR, MISSING, Figures, judge
from bench.rows import ROWS, UnknownRow, chosen
from bench.shelf import keep, place
from bench.table import as_json, as_table

ROOT = Path(__file__).resolve().parents[2]
PROMISED = {
    "append@10",
    "append@1k",
    "append@10k",
    "append@100k",
    "append@1M",
    "ack",
    "parallel8",
    "parallel64",
    "amplification",
    "open@1k",
    "open@10k",
    "open@100k",
    "open@1M",
    "load@10k",
    "list@10k",
    "list@100k",
    "search@1M",
    "list_open@1k",
    "search_open@1k",
    "list_blobs@10k",
    "catchup@1M",
    "catchup_list@1M",
    "first_list@100k",
    "memory@append",
    "memory@open",
    "memory@load",
    "memory@list",
    "memory@search",
    "help",
    "prompt",
    "picker@10k",
    "redraw",
    "idle_memory",
    "window@1k/32k",
    "window@10k/32k",
    "window@100k/32k",
    "window@1M/32k",
    "window@1k/200k",
    "window@10k/200k",
    "window@100k/200k",
    "window@1M/200k",
    "window_jump",
    "cache_reuse",
    "cache_cost",
    "token_error",
    "turn@10/0",
    "turn@1k/0",
    "turn@10k/0",
    "turn@100k/0",
    "turn@10/10",
    "turn@1k/10",
    "turn@10k/10",
    "turn@100k/10",
    "turn_cpu@10k",
    "delta",
    "delta_instr",
    "cancel",
    "draft_lag",
    "tool_lines",
    "headless_start",
    "first_token",
    "agent_memory",
}
KEYS = {"name", "ours", "unit", "floor", "peers", "goal", "met"}


def outcome(name: str, *, ours: float | None = 2.0, met: bool | None = True) -> Outcome:
    """A row as if it had been measured."""
    return Outcome(
        name=name,
        ours=ours,
        unit="ms",
        floor=1.0,
        peers={"nanobot-ai": 1_234.5, "openai-agents": None, "sqlite": 123.4},
        goal="≤6x floor, ≤1.5x at 1k",
        met=met,
        ratio=None if ours is None else ours,
        p95=ours,
        beside={},
        memory={"ours": 1 << 20},
        notes={"openai-agents": "offers nothing like it"},
    )


def run_bench(**settings: str) -> "subprocess.CompletedProcess[str]":
    """The real command, without peers."""
    env: Mapping[str, str] = {**os.environ, "PEERS": "0", **settings}
    return subprocess.run(
        [sys.executable, "-m", "bench"], check=False, capture_output=True, text=True, cwd=ROOT, env=env, timeout=120
    )


def names(only: str) -> list[str]:
    """The rows that ONLY picks."""
    return [row.name for row in chosen(only)]


def test_every_promised_row_is_there() -> None:
    """
    A row that others rely on by name does not vanish.
    """
    assert set() == PROMISED - set(ROWS)


def test_every_row_is_documented() -> None:
    """
    docs/reference/bench.md names each row and its goal.
    """
    page = (ROOT / "docs" / "reference" / "bench.md").read_text(encoding="utf-8")

    assert [] == [row.name for row in ROWS.values() if f"`{row.name}`" not in page or row.goal not in page]


def test_all_rows_when_nothing_is_asked_for() -> None:
    """
    Without ONLY, every row runs.
    """
    assert list(ROWS) == names("")


def test_a_name_is_that_row_alone() -> None:
    """
    A name that others begin with still means only itself.
    """
    assert ["append@10"] == names("append@10")


def test_a_prefix_is_all_rows_that_begin_with_it() -> None:
    """
    ONLY takes beginnings, and keeps the order of the table.
    """
    assert ["append@10", "open@1k", "open@10k", "open@100k", "open@1M"] == names("open,append@10")


def test_an_unknown_row_is_refused_with_the_names_there_are() -> None:
    """
    A typing mistake is told, not measured as nothing.
    """
    with pytest.raises(UnknownRow, match=r"'apend'.*append@10, append@1k"):
        chosen("apend")


def test_an_unknown_row_ends_the_command_with_2() -> None:
    """
    The command says the same on standard error, and standard output stays empty.
    """
    done = run_bench(ONLY="apend", JSON="1")

    assert (2, "") == (done.returncode, done.stdout)
    assert "append@1M" in done.stderr


def test_a_real_run_prints_one_json_object() -> None:
    """
    With JSON=1 standard output is one object with the promised keys, and nothing else.
    """
    done = run_bench(ONLY="amplification", JSON="1")
    rows = json.loads(done.stdout)["rows"]

    assert ["amplification"] == [row["name"] for row in rows]
    assert set() == KEYS - set(rows[0])
    assert {"nanobot-ai": None, "openai-agents": None, "sqlite": None} == rows[0]["peers"]
    assert 1.0 == pytest.approx(rows[0]["floor"], abs=0.01)
    assert rows[0]["ours"] > 1.0


def test_a_row_without_a_floor_says_so() -> None:
    """
    Where there is nothing bare to compare with, the figure is missing by intent, and the row is judged all the same.
    """
    done = run_bench(ONLY="cache_reuse", JSON="1")
    row = json.loads(done.stdout)["rows"][0]

    assert None is row["floor"]
    assert "there is none: it is no work of the system's" == row["notes"]["floor"]
    assert {"last 120 messages", "tail by tokens"} == set(row["beside"])
    assert row["met"]


def test_the_object_has_a_row_for_each_outcome() -> None:
    """
    What a program reads is what was measured.
    """
    rows = json.loads(as_json([outcome("ack"), outcome("help", ours=None, met=None)]))["rows"]

    assert [("ack", 2.0, True), ("help", None, None)] == [(row["name"], row["ours"], row["met"]) for row in rows]


def test_the_table_fits_a_terminal() -> None:
    """
    No line of the table itself is wider than 100 columns, whatever the row.
    """
    lines = as_table([outcome(name, ours=12_345.6, met=False) for name in ROWS]).split("\n\nMissing")[0].split("\n")

    assert max(map(len, lines)) <= 100


def test_the_table_says_why_a_figure_is_missing() -> None:
    """
    An empty cell is explained in plain words.
    """
    assert "openai-agents: offers nothing like it (ack)" in as_table([outcome("ack")])


@pytest.mark.parametrize(
    ("name", "figures", "expected"),
    [
        ("append@1k", Figures(ours=6.0, floor=1.0, others={}), True),
        ("append@1k", Figures(ours=6.1, floor=1.0, others={}), False),
        ("append@1k", Figures(ours=6.0, floor=None, others={}), None),
        ("append@1M", Figures(ours=6.0, floor=1.0, others={"ours@1k": 3.9}), False),
        ("append@1M", Figures(ours=6.0, floor=1.0, others={"ours@1k": 4.0}), True),
        ("ack", Figures(ours=1.6, floor=1.0, others={}), False),
        ("parallel8", Figures(ours=45.0, floor=100.0, others={}), True),
        ("parallel8", Figures(ours=44.0, floor=100.0, others={}), False),
        ("parallel64", Figures(ours=45.0, floor=100.0, others={}), True),
        ("parallel64", Figures(ours=44.0, floor=100.0, others={}), False),
        ("open@1M", Figures(ours=4.9, floor=1.0, others={"ours@1k": 2.4}), False),
        ("open@1M", Figures(ours=4.9, floor=1.0, others={}), None),
        ("load@10k", Figures(ours=10.0, floor=1.0, others={"nanobot-ai": 20.0}), True),
        ("list@10k", Figures(ours=10.0, floor=1.0, others={"nanobot-ai": 499.0}), False),
        ("list@100k", Figures(ours=10.0, floor=1.0, others={"nanobot-ai@10k": 500.0}), True),
        ("search@1M", Figures(ours=10.0, floor=1.0, others={}), False),
        ("memory@list", Figures(ours=10.0, floor=1.0, others={"nanobot-ai": 10.0}), False),
        ("memory@list", Figures(ours=9.0, floor=1.0, others={}), None),
        ("memory@load", Figures(ours=9.0, floor=1.0, others={"nanobot-ai": 10.0}), None),
        ("memory@search", Figures(ours=63.0, floor=1.0, others={}), True),
        ("help", Figures(ours=79.0, floor=10.0, others={}), True),
        ("window@10k/32k", Figures(ours=1.0, floor=None, others={}), False),
        ("window@1M/200k", Figures(ours=0.9, floor=None, others={"ours@1k": 0.45}), True),
        ("window@1M/200k", Figures(ours=0.9, floor=None, others={"ours@1k": 0.44}), False),
        ("window_jump", Figures(ours=9.9, floor=None, others={}), True),
        ("cache_reuse", Figures(ours=90.0, floor=None, others={}), True),
        ("cache_reuse", Figures(ours=89.9, floor=None, others={}), False),
        ("cache_cost", Figures(ours=1.0, floor=None, others={"last 120 messages": 2.0, "tail by tokens": 2.0}), None),
        ("cache_cost", Figures(ours=2.0, floor=None, others={"last 120 messages": 2.0}), False),
        ("token_error", Figures(ours=10.0, floor=None, others={}), True),
        ("turn@10/0", Figures(ours=8.0, floor=None, others={}), False),
        ("turn@10k/10", Figures(ours=59.9, floor=None, others={}), True),
        ("turn@100k/10", Figures(ours=59.9, floor=None, others={"ours@1k": 29.0}), False),
        ("turn@100k/10", Figures(ours=59.9, floor=None, others={"ours@1k": 30.0}), True),
        ("list_open@1k", Figures(ours=1.5, floor=None, others={"none": 1.0}), True),
        ("list_open@1k", Figures(ours=1.6, floor=None, others={"none": 1.0}), False),
        ("catchup@1M", Figures(ours=10.1, floor=None, others={}), False),
        ("first_list@100k", Figures(ours=500.0, floor=None, others={}), False),
        ("turn_cpu@10k", Figures(ours=7.0, floor=None, others={}), True),
        ("delta", Figures(ours=40.0, floor=None, others={}), True),
        ("delta", Figures(ours=40.1, floor=None, others={}), False),
        ("delta_instr", Figures(ours=65_001.0, floor=None, others={}), False),
        ("tool_lines", Figures(ours=52.5, floor=None, others={"with its output off": 50.0}), True),
        ("tool_lines", Figures(ours=52.6, floor=None, others={"with its output off": 50.0}), False),
        ("headless_start", Figures(ours=250.0, floor=10.0, others={}), False),
        ("first_token", Figures(ours=150.0, floor=None, others={"through pydantic-ai": 1150.0}), True),
        ("first_token", Figures(ours=150.0, floor=None, others={"through pydantic-ai": 1149.0}), False),
        ("first_token", Figures(ours=150.0, floor=None, others={}), None),
        ("agent_memory", Figures(ours=50.0, floor=10.0, others={"nanobot-ai": 100.0}), True),
        ("agent_memory", Figures(ours=50.0, floor=10.0, others={}), None),
    ],
)
def test_a_goal_is_judged_by_its_own_words(name: str, figures: Figures, expected: bool | None) -> None:
    """
    Met, not met, or not to be judged because the other side is missing.
    """
    assert expected is ROWS[name].verdict(figures)


@pytest.mark.parametrize(
    ("name", "ours", "expected"),
    [
        ("ack", 0.9, (None, BEAT_FLOOR)),
        ("ack", 1.0, (True, "")),
        ("append@1M", 0.9, (None, BEAT_FLOOR)),
        ("parallel8", 1.1, (None, BEAT_FLOOR)),
        ("parallel64", 1.0, (True, "")),
        ("load@10k", 0.9, (None, BEAT_FLOOR)),
        ("load@10k", 1.1, (None, MISSING)),
        ("list@10k", 0.1, (None, MISSING)),  # an index may be faster than looking at every file
        ("memory@load", 0.1, (None, "")),  # which has no goal
    ],
)
def test_who_beats_bare_system_calls_was_not_measured(
    name: str, ours: float, expected: tuple[bool | None, str]
) -> None:
    """
    Where the floor is part of our own work, a figure better than the floor shows the machine, and judges nothing.
    """
    assert expected == judge(ROWS[name], Figures(ours=ours, floor=1.0, others={}))


def test_what_is_not_judged_is_printed_with_the_reason() -> None:
    """
    Neither "yes" nor "NO" where a figure says nothing about a goal.
    """
    told = msgspec.structs.replace(outcome("ack", met=None), notes={"goal": BEAT_FLOOR})
    lines = as_table([told]).splitlines()

    assert lines[1].endswith("not judged")
    assert f"goal: {BEAT_FLOOR} (ack)" in lines


def test_a_peer_says_what_it_is_not_asked_for() -> None:
    """
    Beyond what a peer can do in reasonable time, and for what it does not offer, it is left out by name.
    """
    assert "not measured beyond 10,000" == NANOBOT.refusal("append", 100_000)
    assert "offers nothing like it" == OPENAI_AGENTS.refusal("list", 10_000)
    assert [""] * len(PEERS) == [peer.refusal("load", 10_000) for peer in PEERS]


def test_a_peer_that_needs_only_python_runs_in_ours(tmp_path: Path) -> None:
    """
    Nothing is installed for what the standard library can do.
    """
    assert Path(sys.executable) == interpreter(SQLITE, tmp_path)


def test_a_peer_that_cannot_be_installed_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Without a network a peer is missing, in plain words, and nothing half-made is taken for whole.
    """
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "none.txt").write_text(f"no-such-peer==1 --hash=sha256:{'0' * 64}\n")
    peer = Peer(name="no-such-peer", module="bench.none", requirements="none.txt", most={})

    for _ in range(2):
        with pytest.raises(CannotInstall, match="could not be installed here"):
            interpreter(peer, tmp_path)


def code_tree(root: Path, text: str) -> Path:
    """A project whose only module is this text."""
    module = root / "src" / "holdfast" / "ids.py"
    module.parent.mkdir(parents=True)
    module.write_text(text)
    return root


def test_a_kept_store_belongs_to_the_code_that_made_it(tmp_path: Path) -> None:
    """
    A change of our code means another store, never one that older code built.
    """
    before = place(code_tree(tmp_path / "a", "one"), "ours", "words", 1_000)
    same = place(code_tree(tmp_path / "b", "one"), "ours", "words", 1_000)
    after = place(code_tree(tmp_path / "c", "two"), "ours", "words", 1_000)

    assert before is not None
    assert same is not None
    assert after is not None
    assert (True, False) == (before.name == same.name, before.name == after.name)
    kept = [place(tmp_path / tree, "sqlite", "words", 1_000) for tree in "ac"]
    assert [path.name for path in kept if path][:1] * 2 == [path.name for path in kept if path]


def test_what_measuring_changes_is_not_kept() -> None:
    """
    A session that is appended to is made anew in every run.
    """
    assert [None] * 2 == [place(ROOT, contender, "messages", 10_000) for contender in ("ours", "sqlite")]


def test_a_kept_store_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    """
    The shelf holds one store of a kind and size, so that it does not grow without end.
    """
    for name in ("words-10-aaa", "words-100-aaa", "built"):
        (tmp_path / name).mkdir()

    keep(tmp_path / "built", tmp_path / "words-10-bbb")

    assert ["words-10-bbb", "words-100-aaa"] == sorted(each.name for each in tmp_path.iterdir())


def test_a_quantile_is_a_sample() -> None:
    """
    Figures are times that really happened.
    """
    samples = [float(number) for number in range(100, 0, -1)]

    assert (50.0, 95.0, 100.0) == (quantile(samples, 0.5), quantile(samples, 0.95), quantile(samples, 1.0))
