"""The page that compares features: what it says is here has a test."""

import re

from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "explanation" / "beside-others.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text().splitlines()
    if line.startswith("| ") and not line.startswith("| feature")
]


def exists(test: str) -> bool:
    """Whether a test is there, by its file and its name."""
    file, _, name = test.strip("`").partition("::")
    path = ROOT / file
    return path.is_file() and (
        not name or re.search(rf"^(async )?def {name}\(", path.read_text(), re.MULTILINE) is not None
    )


def test_each_feature_that_is_here_has_a_test() -> None:
    """
    A "here" without a test that exists is a promise that nothing holds.
    """
    assert [] == [row[0] for row in ROWS if row[1] == "here" and not exists(row[-1])]


def test_what_is_missing_is_said() -> None:
    """
    A page that knows no "no" is advertising; every cell has one of the words that it explains.
    """
    assert "no" in {row[1] for row in ROWS}
    assert {7} == {len(row) for row in ROWS}
    assert {"here", "no"} == {row[1] for row in ROWS}
    assert {cell for row in ROWS for cell in row[2:6]} <= {"yes", "no", "part", "option", "?"}
