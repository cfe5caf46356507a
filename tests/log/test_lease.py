"""Who holds a session, in words for the one who wants it."""

from datetime import UTC, datetime

from holdfast.log.lease import Holder

SINCE = datetime(2026, 11, 16, 1, 2, 3, 456789, tzinfo=UTC)


def test_a_holder_is_named_so_that_it_can_be_found() -> None:
    """
    The process and the machine, or a place in words; since when, and what it does there if it said so.
    """
    holder = Holder(pid=42, host="harbour", since=SINCE)

    assert "process 42 on harbour since 2026-11-16 01:02:03 UTC" == str(holder)
    elsewhere = Holder(place="worker 7 of the gateway", since=SINCE)
    assert "worker 7 of the gateway since 2026-11-16 01:02:03 UTC" == str(elsewhere)
    busy = Holder(pid=42, host="harbour", since=SINCE, doing="rewinding")
    assert "process 42 on harbour since 2026-11-16 01:02:03 UTC, rewinding" == str(busy)
