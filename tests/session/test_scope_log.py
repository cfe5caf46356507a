"""A store that keeps no logs of scopes."""

import pytest

from holdfast import ReadOnly
from holdfast.clock import ManualClock
from holdfast.session.facts import Scope
from holdfast.session.store import Store
from holdfast.stores.scan_catalog import ScanningCatalog
from holdfast.stores.volatile import VolatileStore
from tests.session.remembering import adds


async def test_it_says_that_nothing_is_kept() -> None:
    """
    A store of another program may have none: then facts are in sessions alone.
    """
    logs = VolatileStore(clock=ManualClock())
    async with Store(logs, ScanningCatalog(logs), ManualClock()) as store:
        with pytest.raises(ReadOnly, match="outside of sessions"):
            await store.note(Scope(owner=""), adds("One."))
        assert () == (await store.memory(Scope(owner=""))).facts
