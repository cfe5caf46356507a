"""What `.gitignore` files name, beside git itself."""

import random
import subprocess
from pathlib import Path

import pytest

from holdfast.tools.files.gitignore import ignored_by, is_ignored

PIECES = [
    *("a", "b", "ab", "a*", "*b", "*", "?", "a?b", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "**", "a**b", "\\a", "\\*"),
    *(
        "\\[",
        "\\#",
        "\\!",
        "#",
        "!",
        "a\\ b",
        "a b",
        "[[:alpha:]]",
        "[a\\]b]",
        "[b-a]",
        "*a*b",
        "[a-]",
        "\\",
    ),
    *("[[:nope:]]", "é", "{a,b}", ".", "a+b", "[!-a]", "[\\!a]"),
]
NAMES = ["a", "b", "ab", "aab", "*", "[", "#a", "!", "a b", "]", "c", "é", "{a,b}", "a+b", "-", "\\", "acb", "#", "a "]
FIXED = [
    "[",
    "a[",
    "a\\ ",
    "a ",
    "  a",
    "a\\",
    "#a",
    "\\#a",
    "!a",
    "\\!a",
    "/a",
    "a/",
    "a/b",
    "/a/b",
    "**/a",
    "a/**",
    "a/**/b",
    "b\\  ",
]


def ignored_here(text: str, path: str) -> bool:
    """Whether a path, or a folder on the way to it, is ignored."""
    lines, names = ignored_by(text, ""), path.split("/")
    parents = ["/".join(names[:count]) for count in range(1, len(names))]
    return any(is_ignored(lines, each, folder=True) for each in parents) or is_ignored(lines, path, folder=False)


def ignored_by_git(repository: Path, paths: list[str]) -> set[str]:
    """What git says of them."""
    given = "\0".join(paths).encode()
    command = ["git", "check-ignore", "--no-index", "--stdin", "-z"]
    done = subprocess.run(command, cwd=repository, input=given, capture_output=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    return set(done.stdout.decode().split("\0")) - {""}


def pattern_of(chance: random.Random) -> str:
    """A line of a `.gitignore`."""
    if chance.random() < 0.2:
        return chance.choice(FIXED)
    pieces = "/".join(chance.choice(PIECES) for _ in range(chance.choice([1, 1, 2, 3])))
    return chance.choice(["", "", "", "!", "/"]) + pieces + chance.choice(["", "", "/", " ", "\\ ", "\r"])


def test_two_thousand_random_cases_are_decided_as_git_does(tmp_path: Path) -> None:
    """
    Escapes, trailing blanks, brackets, stars over folders and lines that take back mean what they mean to git.
    """
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    chance, wrong = random.Random(7), list[tuple[str, str, bool]]()
    paths = sorted({"/".join(chance.choice(NAMES) for _ in range(depth)) for depth in (1, 2, 3) for _ in range(40)})
    paths = [path for path in paths if not any(other.startswith(f"{path}/") for other in paths)][:50]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    for _ in range(2_000 // len(paths) + 1):
        text = "\n".join(pattern_of(chance) for _ in range(chance.choice([1, 2, 4])))
        (tmp_path / ".gitignore").write_text(text, newline="")
        expected = ignored_by_git(tmp_path, paths)
        wrong += [(text, path, path in expected) for path in paths if (path in expected) != ignored_here(text, path)]

    assert [] == wrong


@pytest.mark.parametrize("pattern", ["*a" * 12, "?*" * 12 + "b", "**/" * 12 + "b", "[ab]*" * 12 + "b"])
def test_no_pattern_is_slow(pattern: str) -> None:
    """
    What stands between stars is looked for once; trying each way to split this name would never end.
    """
    lines = ignored_by(pattern, "")

    assert not is_ignored(lines, "a" * 4_000 + "c", folder=False)
