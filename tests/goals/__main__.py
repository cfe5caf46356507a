"""`make goals`: what is promised of goals, tried whole; a table, or with JSON=1 one object."""

import asyncio
import json
import os
import sys
import time

from tests.goals.trials import TRIALS


def main() -> int:
    """Run the trials that are asked for; 1 if one of them misses its goal."""
    only = [name for name in os.environ.get("ONLY", "").split(",") if name]
    known = {each.name for each in TRIALS}
    if unknown := set(only) - known:
        sys.stderr.write(f"There is no trial {min(unknown)}. There are: {', '.join(sorted(known))}.\n")
        return 2
    outcomes, missed = dict[str, object](), 0
    for trial in TRIALS:
        if only and trial.name not in only:
            continue
        began = time.monotonic()
        found = dict(asyncio.run(trial.run(trial.whole)))
        met = trial.goal(found)
        missed += not met
        outcomes[trial.name] = {"what": trial.what, "tried": trial.whole, "figures": found, "met": met}
        if os.environ.get("JSON") != "1":
            shown = ", ".join(f"{name} {float(value):g}" for name, value in found.items())
            took = time.monotonic() - began
            sys.stdout.write(f"{trial.name:9} {'yes' if met else 'NO ':3} {shown} ({took:.0f} s)\n")
            sys.stdout.flush()
    if os.environ.get("JSON") == "1":
        sys.stdout.write(f"{json.dumps(outcomes)}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
