"""Patterns for paths, and what `.gitignore` names."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.tools.files.gitignore import Ignored, ignored_by, is_ignored
from holdfast.tools.files.globs import matches


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/a.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/b/a.py", False),
        ("src/**", "src/b/a.py", True),
        ("src/**/a.py", "src/a.py", True),
        ("**/b/**/a.py", "x/b/y/z/a.py", True),
        ("**/b/**/a.py", "x/c/a.py", False),
        ("**", "a/b", True),
        ("./src/a.py", "src/a.py", True),
        ("a?.txt", "ab.txt", True),
        ("[ab].txt", "b.txt", True),
        ("[!ab].txt", "b.txt", False),
        ("*.{ts,tsx}", "a.tsx", True),
        ("{src,lib}/*.{c,h}", "lib/a.h", True),
        ("{src,lib}/*.{c,h}", "bin/a.h", False),
        ("{}", "{}", True),
        ("A.py", "a.py", False),
        ("a/../b", "b", False),
    ],
)
def test_patterns(pattern: str, path: str, expected: bool) -> None:
    """
    A pattern means what people who use such patterns expect.
    """
    assert expected == matches(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 50 + "b", "a" * 250),
        ("**/" * 50 + "x", "a/" * 200 + "b"),
        ("{a,b}" * 50, "a" * 50),
        ("{" * 200, "a"),
        ("[" * 200, "a"),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    """
    Patterns come from models and from files of the workspace; none of them can keep us busy.
    """
    began = time.thread_time()
    matches(pattern, path)

    assert time.thread_time() - began < 2


@given(st.text(st.sampled_from("ab*?[]!{},/.")), st.text(st.sampled_from("ab/."), min_size=1))
def test_any_pattern_has_an_answer(pattern: str, path: str) -> None:
    """
    No pattern is an error.
    """
    assert matches(pattern, path) in {True, False}


@pytest.mark.parametrize(
    ("lines", "folder", "path", "expected"),
    [
        ("*.log", "", "a/b.log", True),
        ("*.log\n!keep.log", "", "keep.log", False),
        ("/build", "", "build", True),
        ("/build", "", "src/build", False),
        ("build", "", "src/build", True),
        ("docs/*.txt", "", "docs/a.txt", True),
        ("docs/*.txt", "", "x/docs/a.txt", False),
        ("**/tmp", "", "a/b/tmp", True),
        ("*.txt", "src", "src/a.txt", True),
        ("*.txt", "src", "a.txt", False),
        ("/a.txt", "src", "src/a.txt", True),
        ("# note\n\n   \n", "", "# note", False),
        ("\\#odd", "", "#odd", True),
        ("/", "", "a", False),
        ("cache/", "", "cache", False),
        ("*.log\n!keep.log\nkeep.*", "", "keep.log", True),
        ("*.{a,b}", "", "x.a", False),
        ("**/a/b", "", "x/a/b", True),
        ("a/**/b", "", "a/x/y/b", True),
    ],
)
def test_ignored_files(lines: str, folder: str, path: str, expected: bool) -> None:
    """
    The common forms of `.gitignore` are understood as git understands them.
    """
    assert expected == is_ignored(ignored_by(lines, folder), path, folder=False)


def test_hundreds_of_lines_are_held_against_thousands_of_files_in_time() -> None:
    """
    Projects have such files; a search through one must not end before it has begun.
    """
    lines = "\n".join(f"*.kind{number}\nfolder{number}/\n/path{number}/*.txt" for number in range(400))
    began = time.thread_time()
    named = [path for path in (f"src/{n}.kind{n}" for n in range(5000)) if is_ignored(_by(lines), path, folder=False)]

    assert 400 == len(named)
    assert time.thread_time() - began < 5


def _by(lines: str) -> tuple[Ignored, ...]:
    return ignored_by(lines, "")


def test_ignored_folders() -> None:
    """
    A slash at the end means folders, and some folders are always skipped.
    """
    assert is_ignored(ignored_by("cache/", ""), "src/cache", folder=True)
    assert is_ignored((), "a/node_modules", folder=True)
    assert not is_ignored((), "a/node_modules", folder=False)
