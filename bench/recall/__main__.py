"""`make recall`: how well questions are answered, beside FTS5; with `JSON=1` one JSON object.

Sets that were written for this project, and with `DATA=folder` dialogues in LoCoMo's form. These and the talks with an
assistant are judged twice: by weights learned on the other dialogues of the set, and by those that ship.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from bench.recall import written
from bench.recall.dialogues import Dialogue, NoDialoguesError, load
from bench.recall.judge import Result, fts5, ours, result
from bench.recall.learn import examples, left_out
from bench.recall.table import table

DATA = "data"
TWICE = {DATA, "assistant"}
"""Sets that are also judged by weights learned on the rest of the set."""
OWN: dict[str, Callable[[], list[Dialogue]]] = {
    "assistant": written.assistant,
    "chinese": lambda: written.dialogues("chinese", each=1),
    "japanese": lambda: written.dialogues("japanese", each=1),
    "dates": lambda: [written.dated()],
    "short": written.short,
    "people": lambda: written.dialogues("people"),
}
"""What was written for this project; weights are learned on the last one."""


def judged(name: str, dialogues: Sequence[Dialogue]) -> list[Result]:
    """A set, by us and by FTS5."""
    with tempfile.TemporaryDirectory() as folder:
        found = [one for each in dialogues for one in asyncio.run(ours(each, Path(folder)))]
    results = [result(name, found)]
    if name in TWICE and len(dialogues) > 1:
        results.append(result(f"{name}, left out", left_out([examples(each) for each in dialogues])))
    return [*results, result(f"{name}, fts5", [one for each in dialogues for one in fts5(each)])]


def main() -> int:
    """Judge every set that is wanted; 2 if there are no dialogues where they should be."""
    folder = os.environ.get("DATA")
    only = [name for name in os.environ.get("ONLY", "").split(",") if name]
    try:
        sets = {DATA: lambda: load(Path(folder))} if folder else {}
        results = [
            one for name, make in {**sets, **OWN}.items() if not only or name in only for one in judged(name, make())
        ]
    except NoDialoguesError as error:
        print(error, file=sys.stderr)
        return 2
    as_json = os.environ.get("JSON", "0") not in {"", "0"}
    print(msgspec.json.encode({"recall": results}).decode() if as_json else table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
