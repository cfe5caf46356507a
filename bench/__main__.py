"""`python -m bench`: the table.

With `JSON=1` one JSON object instead, with `ONLY=name,…` those rows alone, with `PEERS=0` without the other projects.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from bench.measure import Ground, measure
from bench.rows import UnknownRow, chosen
from bench.table import as_json, as_table

_HERE = Path(__file__).resolve().parent.parent / ".bench"


def main() -> int:
    """Run the rows asked for; 2 if there is no such row, 1 if one of ours could not be measured."""
    try:
        rows = chosen(os.environ.get("ONLY", ""))
    except UnknownRow as error:
        print(error, file=sys.stderr)
        return 2
    _HERE.mkdir(exist_ok=True)
    # On the disk of the project, not in the system's folder for temporary files, which may be memory.
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=_HERE))
    try:
        ground = Ground(folder, peers=_asked("PEERS", default=True))
        outcomes = [measure(row, ground) for row in rows]
        print(as_json(outcomes) if _asked("JSON", default=False) else as_table(outcomes), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if any(outcome.ours is None and outcome.met is False for outcome in outcomes) else 0


def _asked(name: str, *, default: bool) -> bool:
    value = os.environ.get(name, "")
    return default if value == "" else value != "0"


if __name__ == "__main__":
    sys.exit(main())
