"""Settings every test shares.

Hypothesis keeps no time limit, because the machine may be busy and a slow example is not a wrong
one. In CI (`HYPOTHESIS_PROFILE=ci`) it draws the same examples every time, so that a change is
never blamed for what another day's luck would have found; everywhere else it keeps looking.
"""

import os
import sys
import threading
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("holdfast", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("holdfast"), derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "holdfast"))


@pytest.fixture
def unmeasured() -> Iterator[None]:
    """Keep a test out of the coverage: what it runs is measured by the tests of each part, and far slower if measured.

    The mark `no_cover` does not do it in a worker of xdist, which is measured twice: one of the two goes on.
    """
    here, elsewhere = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    yield
    threading.settrace(elsewhere)
    sys.settrace(here)
