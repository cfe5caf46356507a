"""Building the page: which Node will do, and what stays of the build before."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "setup"))

import page


@pytest.mark.parametrize(
    ("said", "will_do"),
    [
        ("v18.19.0", False),
        ("v20.18.3", False),
        ("v20.19.0", True),
        ("v21.7.0", False),
        ("v22.11.0", False),
        ("v22.12.0", True),
        ("v24.1.0", True),
        ("what?", False),
    ],
)
def test_only_a_node_that_vite_accepts_is_used(tmp_path: Path, said: str, will_do: bool) -> None:
    """
    An older one fails in the middle of the build, with words that nobody understands.
    """
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\necho '{said}'\n")
    node.chmod(0o755)

    assert will_do is page.is_new_enough(str(node))
    assert not page.is_new_enough(None)


def test_the_files_of_the_last_build_stay_for_one_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A page that is open asks for files of its own build; those of the build before that are gone.
    """
    built = tmp_path / "page"
    (built / "assets").mkdir(parents=True)
    for name in ("last.js", "before.js"):
        (built / "assets" / name).write_text(name)
    (built / "assets-of-this-build.txt").write_text("last.js")
    fresh = tmp_path / "assets"
    fresh.mkdir()
    monkeypatch.setattr(page, "BUILT", built)
    page.keep_last(fresh)

    assert ["last.js"] == [each.name for each in fresh.iterdir()]
