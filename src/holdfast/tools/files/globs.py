"""Patterns for paths: `*` and `?` within a name, `**` over folders, `[a-z]`, `{one,other}`.

Each name is matched by itself, and what `**` stands for is found without trying combinations twice,
so that no pattern takes long. A pattern is made ready once: it is matched against every file there is.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import translate
from functools import lru_cache

MOST_BRANCHES = 64
"""Patterns that braces may stand for; those beyond are not tried."""

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


class PathPattern:
    """A pattern without braces, made ready."""

    def __init__(self, pattern: str, compiled: Callable[[str], re.Pattern[str]] | None = None) -> None:
        """Take a pattern; one without a slash is for the name, in any folder.

        `compiled` makes a regular expression of a piece between slashes, where pieces have rules of their own.
        """
        compiled = compiled or (lambda piece: names_like([piece]))
        pieces = pattern.split("/")
        self._anywhere = len(pieces) == 1 and pattern != "**"
        self._pieces = [None if each == "**" else compiled(each) for each in pieces if each not in {"", "."}]

    def matches(self, names: Sequence[str]) -> bool:
        """Whether the names of a path match."""
        reached = {len(names) - 1} if self._anywhere else {0}
        for number, piece in enumerate(self._pieces, 1):
            if piece is None:
                inside = 1 < number == len(self._pieces)  # `a/**` is all that is in `a`, not `a` itself
                reached = set(range(min(reached) + inside, len(names) + 1))
            else:
                reached = {at + 1 for at in reached if at < len(names) and piece.fullmatch(names[at])}
            if not reached:
                return False
        return len(names) in reached


def names_like(patterns: Iterable[str]) -> re.Pattern[str]:
    """What matches a name that one of some patterns is for; they have no slashes."""
    return re.compile("|".join(map(translate, patterns)))


def matches(pattern: str, path: str) -> bool:
    """Whether a path with slashes matches; a pattern without a slash is for the name, in any folder."""
    names = path.split("/")
    return any(each.matches(names) for each in _branches(pattern))


@lru_cache(maxsize=64)
def _branches(pattern: str) -> tuple[PathPattern, ...]:
    """The patterns that braces stand for."""
    done: list[str] = []
    ahead = [pattern]
    while ahead and len(done) + len(ahead) <= MOST_BRANCHES:
        each = ahead.pop(0)
        found = _BRACES.search(each)
        if found is None:
            done.append(each)
        else:
            ahead += [each[: found.start()] + choice + each[found.end() :] for choice in found[1].split(",")]
    return tuple(map(PathPattern, done + ahead))
