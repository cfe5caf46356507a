"""The rows of the terminal measure what they say, with the real command on a real terminal."""

import sys
import time
from pathlib import Path

import pytest

from bench.on_terminal import OnTerminal, bare, library
from bench.peers.chosen import NANOBOT
from bench.row import Figures
from bench.rows import ROWS, chosen
from bench.terminal_rows import DELTAS, TERMINALS
from bench.terminals import TASKS, reply

ECHO = """
import sys
sys.stdout.write("\\x1b[?2004hready ")
sys.stdout.flush()
while line := sys.stdin.readline():
    sys.stdout.write("\\x1b[1mheard\\x1b[0m " + line * 3)
    sys.stdout.flush()
"""
BUSY = """
import sys, time
sys.stdout.write("\\x1b[?2004h")
sys.stdout.flush()
while time.process_time() < 0.3:
    pass
sys.stdin.read()
"""


def started(text: str, folder: Path) -> OnTerminal:
    """A small program on a terminal."""
    return OnTerminal([sys.executable, "-c", text], {}, str(folder))


def test_the_rows_of_the_terminal_are_asked_for_by_name() -> None:
    """
    The names that are promised are rows, in the order of the table.
    """
    asked = chosen("prompt,picker@10k,redraw,idle_memory")

    assert ["prompt", "picker@10k", "redraw", "idle_memory"] == [row.name for row in asked]


def test_every_row_has_its_task() -> None:
    """
    What a row and what stands beside it ask for is there.
    """
    asked = {row.task for row in TERMINALS} | {each.task for row in TERMINALS for each in row.beside}

    assert set() == asked - set(TASKS)


@pytest.mark.parametrize("task", ["prompt", "idle_memory"])
def test_nanobot_is_measured_beside_it(task: str) -> None:
    """
    Its chat has a prompt and needs memory; its list and its redrawing cannot be had alone.
    """
    assert "" == NANOBOT.refusal(task, 1_000)


@pytest.mark.parametrize(
    ("name", "figures", "expected"),
    [
        ("prompt", Figures(ours=299.0, floor=20.0, others={}), True),
        ("prompt", Figures(ours=300.0, floor=20.0, others={}), False),
        ("picker@10k", Figures(ours=99.0, floor=None, others={}), True),
        ("redraw", Figures(ours=1_000.0, floor=None, others={}), False),
        ("idle_memory", Figures(ours=50.0, floor=9.0, others={"nanobot-ai": 100.0}), True),
        ("idle_memory", Figures(ours=50.0, floor=9.0, others={}), None),
    ],
)
def test_a_goal_is_judged_by_its_own_words(name: str, figures: Figures, expected: bool | None) -> None:
    """
    Met, not met, or not to be judged because the other side is missing.
    """
    assert expected is ROWS[name].verdict(figures)


def test_what_is_typed_is_answered_without_what_colours_it(tmp_path: Path) -> None:
    """
    A text is found whatever the program does to draw it, as often as asked for, and only after what was typed.
    """
    with started(ECHO, tmp_path) as program:
        there = program.wait_for_input()
        typed = program.type("harbour\n")
        answered = program.wait_for("heard harbour")
        often = program.wait_for("harbour", 3)

    assert there <= typed <= answered <= often


def test_anything_that_is_drawn_counts_as_followed(tmp_path: Path) -> None:
    """
    After a key, the next thing that is drawn is the answer to it.
    """
    with started(ECHO, tmp_path) as program:
        program.wait_for_input()
        program.wait_for("ready")

        assert program.type("x\n") < program.wait_for_anything()


def test_a_program_that_ends_says_what_it_said(tmp_path: Path) -> None:
    """
    What never comes is an error with the last words, not a wait for ever.
    """
    with (
        started("print('no such session')", tmp_path) as program,
        pytest.raises(LookupError, match="no such session"),
    ):
        program.wait_for_input()


def test_a_busy_program_is_waited_for(tmp_path: Path) -> None:
    """
    Memory is looked at when everything behind the prompt is done.
    """
    with started(BUSY, tmp_path) as program:
        program.wait_for_input()
        program.wait_until_idle()

        assert program.processor_time() >= 0.3
        assert program.memory() > 1_000_000


def test_the_floor_is_below_the_library(tmp_path: Path) -> None:
    """
    An interpreter that does nothing is smaller than one with an input of prompt_toolkit.
    """
    floor = bare("memory", str(tmp_path)).round(1, 0)
    input_alone = library("memory", str(tmp_path)).round(1, 0)

    assert floor < input_alone


def test_an_input_is_there_after_some_time(tmp_path: Path) -> None:
    """
    Time runs from the start of the process; processor time is some of it.
    """
    before = time.perf_counter()
    [wall] = bare("wall", str(tmp_path)).round(1, 0)
    passed = time.perf_counter() - before

    assert 0 < wall < passed


def test_the_reply_is_markdown_of_that_many_deltas() -> None:
    """
    Everything that replies have is in it, and a scripted model says it in so many pieces, give or take a line.
    """
    text = reply()

    assert DELTAS * 24 == pytest.approx(len(text), rel=0.01)
    assert [] == [mark for mark in ("\n## ", "\n- ", "\n```python\n", "|---|", "**", "`") if mark not in text]
    assert text.endswith("That was all of it.")
