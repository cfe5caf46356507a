"""What the tests of pages share: one installation for all of them, and the weights of the built-in demo model."""

import os
from pathlib import Path

import pytest

from tests.providers.conftest import weights

__all__ = ["shared", "weights"]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all test processes of this run share."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "followed"
