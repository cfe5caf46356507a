"""Run nurseries beside each other and add up what they report."""

import subprocess
import sys

import msgspec

from tests.crash.nursery import Toll
from tests.crash.record import HOME, environment, scratch


def torture(kills: int, *, seed: int, workers: int = 2) -> Toll:
    """Kill so many children, in several nurseries at once."""
    total = Toll()
    with scratch() as folder:
        nurseries = []
        for worker in range(workers):
            root = folder / str(worker)
            root.mkdir()
            share = kills // workers + (worker < kills % workers)
            command = [sys.executable, "-m", "tests.crash.nursery", str(root), str(share), str(seed + worker)]
            nurseries.append(subprocess.Popen(command, cwd=HOME, env=environment(), stdout=subprocess.PIPE))
        for nursery in nurseries:
            heard, _ = nursery.communicate()
            toll = msgspec.json.decode(heard, type=Toll)
            total.kills += toll.kills
            total.acknowledged += toll.acknowledged
            total.lost += toll.lost
    return total
