"""Stores that take minutes to build and are only read, ours and those of SQLite: kept from one run to the next.

Each lies under a digest of all code that made it, so a change of the format, of the catalog or of the words makes a new
one, and the one before is thrown away.
"""

import hashlib
import shutil
import sys
from pathlib import Path

_KINDS = frozenset({"sessions", "words"})
_WORDS = ("bench/corpus.py", "bench/texts.py")
_MAKERS = {
    "ours": ("src/holdfast/**/*.py", "bench/building.py", "bench/ours.py", *_WORDS),
    "sqlite": ("bench/peers/sqlite.py", *_WORDS),
}


def place(root: Path, contender: str, kind: str, size: int) -> Path | None:
    """Where a store of this kind is kept; None if it is made anew in every run, because measuring changes it."""
    if kind not in _KINDS or contender not in _MAKERS:
        return None
    return root / ".bench" / "kept" / f"{contender}-{kind}-{size}-{_digest(root, _MAKERS[contender])}"


def keep(built: Path, kept: Path) -> None:
    """Put a finished store in its place, and throw away what older code made."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    like = kept.name.rpartition("-")[0]
    for old in kept.parent.glob(f"{like}-*"):
        shutil.rmtree(old)
    built.rename(kept)


def _digest(root: Path, makers: tuple[str, ...]) -> str:
    found = hashlib.sha256(sys.version.encode())
    for path in sorted(path for pattern in makers for path in root.glob(pattern)):
        found.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return found.hexdigest()[:12]
