"""`make first-hour`: three machines from nothing, as a table or (JSON=1) one JSON object.

ONLY=venv,root,user names machines by a word of their names; KEEP=1 leaves their folders where they are.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.first_hour.journey import Journey, Step
from tests.first_hour.machines import CannotMakeError, Machine, debians, empty_environment, unmount
from tests.first_hour.services import stand_ins

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".first-hour"
"""Where the transcripts are kept."""


def bundle(folder: Path) -> Path:
    """What is committed here, as one file that can be cloned."""
    file = folder / "holdfast.bundle"
    asked = ["git", "symbolic-ref", "--quiet", "--short", "HEAD"]
    branch = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    subprocess.run(["git", "bundle", "create", "--quiet", file, "HEAD", *branch], cwd=ROOT, check=True)
    return file


def travel(machines: Sequence[Machine]) -> list[Step]:
    """Send somebody to each machine, and keep what they see."""
    KEPT.mkdir(exist_ok=True)
    done: list[Step] = []
    with stand_ins() as addresses:
        for machine in machines:
            journey = Journey(machine, addresses)
            file = KEPT / f"{machine.name.replace(', ', '-').replace(' ', '-')}.txt"
            try:
                for step in journey.steps():
                    _note(f"{step.machine}: {step.name}: {step.seconds:.1f} s {step.failure[:2000]}".rstrip())
                    done.append(step)
            finally:
                file.write_text("\n".join(journey.transcript))
    return done


def table(steps: Sequence[Step]) -> str:
    """The steps, and their sums."""
    form = "{:<17} {:<18} {:>8} {:>6} {:>8}  {}"
    lines = [form.format("machine", "step", "seconds", "typed", "prompts", "result")]
    for each in steps:
        shown = each.failure.split("\n")[0][:60] or "good"
        lines.append(form.format(each.machine, each.name, f"{each.seconds:.1f}", each.typed, each.prompts, shown))
    failures = sum(bool(each.failure) for each in steps)
    seconds, typed, prompts = sum(e.seconds for e in steps), sum(e.typed for e in steps), sum(e.prompts for e in steps)
    lines.append(form.format("all", "", f"{seconds:.1f}", typed, prompts, f"{failures} failures"))
    return "\n".join(lines)


def main() -> int:
    """Make the machines, send somebody there, and tell how it went."""
    folder = Path(tempfile.mkdtemp(prefix="holdfast-first-hour-"))
    only = [name for name in os.environ.get("ONLY", "").split(",") if name]
    try:
        source = bundle(folder)
        machines = [empty_environment(folder / "venv", source)]
        if not only or {"root", "user"} & set(only):
            _note("making a minimal Debian; it takes a minute or two …")
            machines = [*debians(folder, source), *machines]
        steps = travel([each for each in machines if not only or any(name in each.name for name in only)])
    except (CannotMakeError, subprocess.CalledProcessError) as error:
        print(f"first-hour: {error}", file=sys.stderr)
        return 1
    finally:
        unmount(folder)
        if not os.environ.get("KEEP"):
            shutil.rmtree(folder, ignore_errors=True)
    if os.environ.get("JSON"):
        print(json.dumps({"steps": [each._asdict() for each in steps], "transcripts": str(KEPT)}, indent=1))
    else:
        print(f"{table(steps)}\ntranscripts: {KEPT}")
    return int(any(each.failure for each in steps))


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
