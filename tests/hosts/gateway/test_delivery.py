"""Delivery: whatever happens to a connection, a client has what the log has."""

from pathlib import Path

import pytest

from tests.hosts.gateway.cuts import cut


@pytest.mark.parametrize("events", [False, True])
async def test_a_connection_may_be_cut_at_any_moment(tmp_path: Path, events: bool) -> None:
    """
    Every entry once, in order, byte for byte, and each reply as it was said, over all connections of a client.
    """
    readers = await cut(tmp_path, 60, events=events)

    assert 0 < sum(each.amid for each in readers)
