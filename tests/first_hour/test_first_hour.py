"""The reduced form of `make first-hour`: no Debian is made, and what was downloaded before is used again."""

from pathlib import Path

import pytest

from holdfast.hosts.terminal.draw.activity import PROMPT
from tests.first_hour.__main__ import bundle, table
from tests.first_hour.journey import QUESTION, Journey, Step, answer_to
from tests.first_hour.machines import empty_environment
from tests.first_hour.services import KEYS, stand_ins
from tests.setup.checkout import CACHE


def test_somebody_new_gets_from_the_clone_to_three_keys(tmp_path: Path, weights: Path) -> None:
    """
    In an empty environment, typing only what the pages and the messages say, without a question on the way.
    """
    shared = {"PIP_CACHE_DIR": CACHE, "XDG_CACHE_HOME": str(weights.parent.parent)}
    machine = empty_environment(tmp_path / "machine", bundle(tmp_path), **shared)

    with stand_ins() as addresses:
        steps = list(Journey(machine, addresses).steps())

    keys = [f"key of {service}" for service in KEYS]
    assert [] == [each.failure for each in steps if each.failure]
    assert ["clone", "pip install .", "first answer", "second start", *keys] == [each.name for each in steps]
    assert 0 == sum(each.prompts for each in steps)


def test_the_table_counts_what_failed() -> None:
    """
    One line for each step, and the sums below.
    """
    steps = [Step("a venv", "clone", 1.25, 1, 0), Step("a venv", "first answer", 2.0, 3, 1, "no answer\nscreen")]

    last = table(steps).splitlines()[-1].split()

    assert ["all", "3.2", "4", "1", "1", "failures"] == last


@pytest.mark.parametrize(
    ("screen", "answer"),
    [
        pytest.param("{0}\n\nI am a program.\n\nThe conversation is kept as a.", "I am a program.", id="an answer"),
        pytest.param("{0}\n\nThe built-in demo model is fetched now, once.\n\nYes.", "Yes.", id="after a download"),
        pytest.param("{0}\n\n✗ the turn failed: no.\n\n{0}\n\nI am.", "I am.", id="after a failure"),
        pytest.param("{0}\n\n■ stopped\n\nThe conversation is kept as a.", "", id="stopped"),
        pytest.param("{0}\n\nI am.\n\n{0}\n\n■ stopped\n", "", id="stopped after an answer"),
        pytest.param("{0}\n\n✗ the turn failed: no package.\n", "", id="failed"),
        pytest.param("{0} And?\n\nYes.\n", "", id="another question"),
        pytest.param("{0}\n\nThe conversation is kept as a; `holdfast` goes on with it.", "", id="left too early"),
    ],
)
def test_only_an_answer_is_taken_for_one(screen: str, answer: str) -> None:
    """
    Whoever leaves before the answer, or is told why there is none, was not answered.
    """
    assert answer == answer_to(QUESTION, screen.format(f"{PROMPT}{QUESTION}"))
