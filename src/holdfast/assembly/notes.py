"""What a user and a project want agents to know: AGENTS.md and CLAUDE.md.

They are read from the user's own folder, and from the folders of the repository down to the workspace. The nearest
counts most, so it stands last and is the last that is cut. The same text under two names is shown once.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from holdfast.context.system_text import NOTES
from holdfast.records.printable import printable_line

NAMES = ("AGENTS.md", "CLAUDE.md")
"""In the order in which they are shown."""
_IMPORTS = frozenset(f"@{name}" for name in NAMES)
"""A file that only says to read the other one says nothing itself."""
_CUT = "\n[cut]"
_LONGEST_PATH = 300


def found_notes(own: Path, folders: Sequence[Path]) -> str:
    """The notes of the user's folder and of a project's folders, the outermost first; together no longer than NOTES."""
    found = dict[str, str]()
    for path, text in [*_of(own), *(each for folder in folders for each in _of(folder, folders[0]))]:
        said = text.strip()
        if said and said not in _IMPORTS:
            found.pop(said, None)  # the nearest of several names is the one that is shown
            found[said] = printable_line(str(path), _LONGEST_PATH)
    return _fitted([(f"{name}:\n", said) for said, name in found.items()])


def _of(folder: Path, top: Path | None = None) -> Iterator[tuple[Path, str]]:
    """The files of one folder; of a project's, none that is a link out of `top`."""
    for name in NAMES:
        try:
            place = (folder / name).resolve(strict=True)
            if place.is_file() and (top is None or place.is_relative_to(top.resolve())):
                with place.open(errors="replace") as file:
                    yield folder / name, file.read(NOTES + 1)
        except (OSError, RuntimeError):  # Python 3.11 and 3.12 call a loop of links a RuntimeError
            continue  # as if there were none: they are for convenience


def _fitted(notes: list[tuple[str, str]]) -> str:
    """The notes as one text; where there is too much, the first of them are cut."""
    shown, left = list[str](), NOTES
    for head, text in reversed(notes):
        room = left - len(head) - len(_CUT) - 2
        if room <= 0:
            break
        piece = head + (text if len(text) <= room else f"{text[:room]}{_CUT}")
        shown.append(piece)
        left -= len(piece) + 2
    return "\n\n".join(reversed(shown))
