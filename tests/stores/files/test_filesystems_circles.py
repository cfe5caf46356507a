"""A path of the store whose links lead in a circle is refused, not taken for an empty store."""

from pathlib import Path

import pytest

from holdfast.assembly import open_store
from holdfast.errors import Unreadable
from holdfast.stores.files.filesystems import refuse_network


@pytest.mark.parametrize("below", ["", "store"])
def test_a_store_path_whose_links_lead_in_a_circle_is_refused(tmp_path: Path, below: str) -> None:
    """
    Whoever opens it is told which path it is, and what to do.
    """
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    with pytest.raises(Unreadable, match="its links lead in a circle") as refused:
        open_store(tmp_path / "a" / below)
    assert "Remove one of the links" in refused.value.hint
    refuse_network(tmp_path / "a")  # which looks at the same path, and does not fail


def test_a_store_that_is_not_there_yet_is_none_of_that(tmp_path: Path) -> None:
    """
    It is made when something is written.
    """
    open_store(tmp_path / "a/b")

    assert not (tmp_path / "a").exists()
