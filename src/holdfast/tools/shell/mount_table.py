"""What is mounted where, as the kernel lists it; and the other names that this gives to a place.

A folder that is mounted a second time (a bind mount, or the same disk elsewhere) can be read under both names.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_LIST = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(r"\\([0-7]{3})")


class Mount:
    """A mounted file system, or a part of one."""

    def __init__(self, line: str) -> None:
        """Read one line of the kernel's list."""
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        self.device = fields[2]
        self.root, self.point = Path(_plain(fields[3])), Path(_plain(fields[4]))
        self.kind = after.split(" ")[0]


def mounted() -> list[Mount]:
    """All that is mounted here; nothing where the system does not say."""
    with suppress(OSError):
        text = _LIST.read_text(encoding="utf-8", errors="surrogateescape")
        return [Mount(line) for line in text.splitlines() if " - " in line]
    return []


class Names:
    """Looks other names of places up."""

    def __init__(self) -> None:
        """Read the list as it is now."""
        mounts = mounted()
        self._all = [(str(each.point).rstrip("/") + "/", each) for each in mounts]
        devices = Counter(each.device for each in mounts)
        self._several = [each for each in mounts if devices[each.device] > 1]

    def of(self, path: Path) -> Iterator[Path]:
        """Where else a place can be seen, because its disk or a folder above it is mounted there too."""
        if not self._several:
            return
        text = f"{path}/"
        here = max((each for each in self._all if text.startswith(each[0])), key=lambda each: len(each[0]))[1]
        inside = here.root / path.relative_to(here.point)
        for each in self._several:
            if each is not here and each.device == here.device and inside.is_relative_to(each.root):
                yield each.point / inside.relative_to(each.root)


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)), text)
