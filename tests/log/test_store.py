"""What a check of a log makes of what it found."""

import pytest

from holdfast.ids import BlobId, Position, SessionKey
from holdfast.log.store import Damaged, Verdict

KEY = SessionKey("k")


def damaged(missing: int) -> Damaged:
    """A damaged stretch."""
    return Damaged(where="000001.jsonl", offset=10, length=5, after=Position(0), missing=missing)


def verdict(*found: Damaged, missing: tuple[BlobId, ...] = ()) -> Verdict:
    """What a check says of a log of two entries."""
    return Verdict(
        key=KEY, entries=2, first=Position(0), last=Position(1), size=9, damaged=found, blobs_missing=missing
    )


@pytest.mark.parametrize("found", [(), (damaged(0),), (damaged(0), damaged(0))])
def test_a_log_is_good_when_nothing_acknowledged_is_missing(found: tuple[Damaged, ...]) -> None:
    """
    Bytes that were never acknowledged, or stand elsewhere too, are no loss.
    """
    assert verdict(*found).good


def test_a_log_that_lost_an_entry_or_an_attachment_is_not_good() -> None:
    """
    One that is missing is enough.
    """
    assert not verdict(damaged(0), damaged(1)).good
    assert not verdict(missing=(BlobId("0" * 64),)).good
