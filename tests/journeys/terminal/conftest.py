"""What journeys in a terminal start from."""

from pathlib import Path

import pytest

from tests.journeys.terminal.house import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A machine on which Holdfast was used before, with no conversation yet."""
    return House(tmp_path)
