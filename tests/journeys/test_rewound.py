"""A rewind with files that is killed at any step leaves each file as it was or as it was to be, and says which."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys.rewound import NEW, OLD

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize(("what", "before", "after"), [("rewind", NEW, OLD), ("undo", OLD, NEW)])
def test_a_kill_at_every_step_leaves_whole_files_and_is_told(
    tmp_path: Path, what: str, before: dict[str, str], after: dict[str, str]
) -> None:
    """
    The next start names the files that are still as before, and going on comes to the same end as if nothing had died.
    """
    command = [sys.executable, "-m", "tests.journeys.rewound", str(tmp_path / "place"), what]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert 0 == ran.returncode, ran.stderr
    found = [json.loads(line) for line in ran.stdout.splitlines()]

    told = 0
    for each in found:
        assert each["verified"]
        for name in {*before, *after}:
            assert each["files"].get(name) in {before.get(name), after.get(name)}
        if each["jumps"] == (what == "undo"):  # it died before the rewind was in the log
            assert ("", before, before) == (each["told"], each["files"], each["finished"])
            continue
        old = {name for name in {*before, *after} if each["files"].get(name) == before.get(name)}
        assert after == each["finished"]
        assert bool(old) == bool(each["told"])
        assert old == {name for name in {*before, *after} if name in each["told"]}
        told += bool(old)
    assert told > len(before)
    assert found[0]["files"] == before
    assert len(found) > 20
