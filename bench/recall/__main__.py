"""`make recall DATA=folder`: how well questions are answered, beside FTS5; with `JSON=1` one JSON object."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path

import msgspec

from bench.recall.dialogues import NoDialoguesError, load
from bench.recall.judge import fts5, ours, result
from bench.recall.table import table


def main() -> int:
    """Judge every dialogue of the folder; 2 if there is none."""
    try:
        dialogues = load(Path(os.environ.get("DATA") or "."))
    except NoDialoguesError as error:
        print(error, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        found = [one for each in dialogues for one in asyncio.run(ours(each, Path(folder)))]
    beside = [one for each in dialogues for one in fts5(each)]
    results = [result("holdfast", found), result("fts5 porter", beside)]
    as_json = os.environ.get("JSON", "0") not in {"", "0"}
    print(msgspec.json.encode({"recall": results}).decode() if as_json else table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
