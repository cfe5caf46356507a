"""ARCHITECTURE.md: what it names is there, and nobody who follows it forgets a file."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import ROOT

PAGE = ROOT / "ARCHITECTURE.md"
PACKAGE = ROOT / "src" / "holdfast"
NEW_KIND = '''
class Praised(Value, frozen=True, kw_only=True, tag_field="kind", tag="praised"):
    """A kind that no other file knows."""


Known: TypeAlias = (
    Praised
    |'''


def part(heading: str) -> str:
    """What stands below a heading."""
    return PAGE.read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def modules_of(row: str) -> list[Path]:
    """What a row of the map names: folders or modules in its first cell, and what is in the folder in its second."""
    where, owns = row.split("|")[1:3]
    above = [PACKAGE / each for each in re.findall(r"`([\w/]+)`", where)]
    inside = [above[0] / each for each in re.findall(r"`([a-z][a-z_/]+)`", owns)] if above[0].is_dir() else []
    return [*above, *inside]


def exists(path: Path) -> bool:
    """Whether there is such a module or folder."""
    return path.is_dir() or path.with_suffix(".py").is_file()


def test_the_map_names_modules_that_exist() -> None:
    """
    Who looks for a module of the map finds it.
    """
    rows = [line for line in part("Layers").splitlines() if line.startswith("| `")]

    assert len(rows) > 10
    assert [] == [str(each.relative_to(PACKAGE)) for row in rows for each in modules_of(row) if not exists(each)]


def test_the_walk_and_the_table_name_modules_that_exist() -> None:
    """
    A path of folder and module, as `agent/loop`, leads to one, also after modules have moved.
    """
    text = part("One message, through the files") + part("Where do I put…")
    named = re.findall(r"`([a-z_]+/[a-z_/]+)`", text)
    places = (ROOT, PACKAGE, PACKAGE / "context", PACKAGE / "stores" / "files")

    assert len(named) > 20
    assert [] == [each for each in named if not any(exists(place / each) for place in places)]


def test_every_file_that_a_change_touches_exists() -> None:
    """
    Who makes one of the six changes opens the files that are listed; NAME and VERB are those of the new part.
    """
    listed = re.findall(
        r"`((?:src|tests|docs)/[\w./-]+|pyproject\.toml)`", part("Six changes, and every file they touch")
    )

    assert len(listed) > 30
    assert [] == [each for each in listed if not re.search("NAME|VERB", each) and not (ROOT / each).exists()]


def test_the_type_checker_finds_every_file_that_a_new_kind_needs(tmp_path: Path) -> None:
    """
    The files that ARCHITECTURE.md lists for an entry kind, and no others, do not pass before they know the new one.
    """
    shutil.copytree(PACKAGE, tmp_path / "src" / "holdfast", ignore=shutil.ignore_patterns("__pycache__"))
    entries = tmp_path / "src" / "holdfast" / "records" / "entries.py"
    entries.write_text(re.sub(r"\nKnown: TypeAlias = \(\s*", NEW_KIND + " ", entries.read_text()))
    folders = [
        f"src/holdfast/{name}" for name in ("records", "session", "model", "context", "agent", "engine", "stores")
    ]
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", "cache"]
    ran = subprocess.run([*command, *folders], cwd=tmp_path, check=False, capture_output=True, text=True)

    change = (
        part("Six changes, and every file they touch").partition("**An entry kind**")[2].partition("**A store**")[0]
    )
    listed = [line for line in change.splitlines() if "(type checker)" in line]
    expected = {path for line in listed for path in re.findall(r"`(src/[\w/]+\.py)`[^`]*\(type checker\)", line)}
    assert expected == set(re.findall(r"^(\S+\.py):\d+: error", ran.stdout, re.MULTILINE)), ran.stdout + ran.stderr
    assert len(expected) == ran.stdout.count("Praised")
