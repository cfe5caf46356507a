"""The real weights of the built-in demo model, and the model itself, once for all tests.

They are downloaded where a user's would be, so that it happens once on a machine; of several
test processes one downloads and the others wait. Without them the tests fail: a model that
nobody tried is not known to work.
"""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.errors import ModelError
from holdfast.providers.local.model import LocalModel
from holdfast.providers.local.weights import default_cache, fetch, given


@pytest.fixture(scope="session")
def weights() -> Path:
    """The file with the weights of the built-in demo model."""
    try:
        return given(os.environ) or fetch(default_cache(os.environ))
    except ModelError as error:
        pytest.fail(f"The tests of the built-in demo model need its weights. {error}", pytrace=False)


@pytest.fixture(scope="session")
def local(weights: Path) -> Iterator[LocalModel]:
    """The built-in demo model; it serves any event loop."""
    model = LocalModel(cache=weights.parent, weights=weights)
    yield model
    asyncio.run(model.close())
