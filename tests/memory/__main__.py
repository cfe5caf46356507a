"""The long campaigns about memory: `make memory` (ONLY=forget,scopes for some, JSON=1 for machines)."""

import asyncio
import json
import os
import sys
import time

import msgspec

from tests.memory.campaigns import CAMPAIGNS, Result
from tests.memory.costs import costs
from tests.memory.kills import kills

EVERY = {**CAMPAIGNS, "kills": kills, "costs": costs}


async def run(names: list[str]) -> list[tuple[Result, float]]:
    """Each campaign with the seconds of CPU that it took."""
    found = []
    for name in names:
        began = time.process_time()
        found.append((await EVERY[name](1), time.process_time() - began))
    return found


def main() -> int:
    """Run them; 1 if a promise did not hold."""
    wanted = [name for name in os.environ.get("ONLY", "").split(",") if name] or list(EVERY)
    unknown = [name for name in wanted if name not in EVERY]
    if unknown:
        sys.stderr.write(f"There is no campaign {unknown[0]!r}; there are {', '.join(EVERY)}.\n")
        return 2
    results = asyncio.run(run(wanted))
    if os.environ.get("JSON"):
        sys.stdout.write(json.dumps({each.name: msgspec.to_builtins(each) for each, _ in results}, indent=2) + "\n")
    else:
        for each, seconds in results:
            figures = ", ".join(f"{value:,} {name}" for name, value in each.figures.items())
            sys.stdout.write(f"{'ok   ' if not each.wrong else 'WRONG'} {each.name}: {figures} ({seconds:.1f} s CPU)\n")
            for line in each.wrong[:10]:
                sys.stdout.write(f"      {line}\n")
    return 1 if any(each.wrong for each, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main())
