"""Settings every test shares.

Hypothesis keeps no time limit, because the machine may be busy and a slow example is not a wrong
one. In CI (`HYPOTHESIS_PROFILE=ci`) it draws the same examples every time, so that a change is
never blamed for what another day's luck would have found; everywhere else it keeps looking.
"""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("holdfast", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("holdfast"), derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "holdfast"))
