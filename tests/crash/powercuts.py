"""Real power cuts: an ext4 image is copied while a writer works on it.

What the mounted file system has not sent to its device yet is not in the copy, just
as it would not be on a disk. The writer is stopped while the copy is made, so that
the copy is one instant; mounting it replays the journal, as after a cut.
"""

import asyncio
import errno
import filecmp
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from tests.crash.marks import decoded, promised
from tests.crash.mounts import make_image, mounted
from tests.crash.promises import Duty, broken
from tests.crash.record import HOME, CannotRecordError, child, environment, scratch

MEGABYTES: Final = 24
WRITER_CUTS: Final = 10
"""After so many cuts a new image and a new writer begin."""


class Cuts(msgspec.Struct, kw_only=True):
    """What a run came to."""

    cuts: int = 0
    acknowledged: int = 0
    lost: list[str] = msgspec.field(default_factory=list)


def cut_power(cuts: int, *, seed: int, mutant: str = "") -> Cuts:
    """Cut the power so many times, at random instants of a writer's life, or of a wrong writer's."""
    draw = random.Random(seed)
    found, torn = Cuts(), 0
    while found.cuts < cuts:
        with scratch() as folder:
            image = make_image(folder / "image", megabytes=MEGABYTES)
            with (
                mounted(image, folder / "live", "-o", "loop") as live,
                _writing(folder, live / "store", mutant) as writer,
            ):
                for _ in range(min(WRITER_CUTS, cuts - found.cuts)):
                    time.sleep(draw.random() * 0.05)
                    torn += not _recover(folder, _cut(folder, writer), found)
        if torn > cuts:
            raise CannotRecordError("no copy of the image is of one instant")
    return found


@contextmanager
def _writing(folder: Path, root: Path, mutant: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that writes for ever; it has said something when this begins."""
    root.mkdir()
    marks = folder / "marks"
    marks.touch()
    writer = subprocess.Popen(child("play", "endless", str(root), str(marks), mutant), cwd=HOME, env=environment())
    try:
        while not marks.stat().st_size:
            if writer.poll() is not None:
                raise CannotRecordError("the writer ended before it said anything")
            time.sleep(0.005)
        yield writer
    finally:
        writer.kill()
        writer.wait()


COPIES = 20
"""So often a copy is tried until it is of one instant."""


def _cut(folder: Path, writer: "subprocess.Popen[bytes]") -> bytes:
    """Copy the image at one instant; what the writer had said by then."""
    writer.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, writer.pid, os.WSTOPPED | os.WNOWAIT)
    told = (folder / "marks").read_bytes()
    for _ in range(COPIES):
        shutil.copyfile(folder / "image", folder / "copy")
        # The kernel goes on writing while the writer is stopped: a copy that differs by now is of two instants.
        if filecmp.cmp(folder / "image", folder / "copy", shallow=False):
            break
    writer.send_signal(signal.SIGCONT)
    return told


def _recover(folder: Path, told: bytes, found: Cuts) -> bool:
    """Look at what the cut left; False if the kernel wrote a block of the image while it was copied."""
    owed = promised(decoded([told]))
    duty = Duty(allowed=owed, owed=owed, survived={})
    with mounted(folder / "copy", folder / "after", "-o", "loop") as after:
        try:
            complaints = asyncio.run(broken(after / "store", None, duty))
        except OSError as error:
            if error.errno != errno.EBADMSG:  # the checksum of a block of the file system itself
                raise
            return False
    found.cuts += 1
    found.acknowledged += sum(len(promise.acked) for promise in owed.values())
    found.lost += complaints
    return True
