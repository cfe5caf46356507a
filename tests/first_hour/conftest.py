"""The weights of the built-in demo model, once for all tests."""

from tests.providers.conftest import weights

__all__ = ["weights"]
