"""The tortures try what the tests of each part have measured; measuring it again would take longer than trying."""

import pytest


@pytest.fixture(autouse=True)
def tortured(unmeasured: None) -> None:
    """Take what is run here out of the coverage."""
