"""The checksum, whichever package makes it."""

import importlib
import sys
import zlib
from random import Random

import pytest

from holdfast.records import checksum


@pytest.fixture(params=["isal", "zlib"])
def summing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> checksum.Sum:
    """The sum as each package makes it."""
    if request.param == "zlib":
        monkeypatch.setitem(sys.modules, "isal.isal_zlib", None)
    made = importlib.reload(checksum)
    assert request.param == made.BY
    found: checksum.Sum = made.crc32
    monkeypatch.undo()
    importlib.reload(checksum)
    return found


@pytest.mark.parametrize("size", [0, 1, 17, 300, 5_000, 200_000])
def test_every_package_makes_the_same_sum(summing: checksum.Sum, size: int) -> None:
    """
    In one piece or in several: logs are read with and without `isal`.
    """
    data = Random(size).randbytes(size)
    begun = summing(memoryview(data)[: size // 3])

    assert zlib.crc32(data) == summing(data) == summing(data[size // 3 :], begun)
