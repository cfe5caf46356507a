"""The built-in demo model, for whole conversations too."""

from tests.providers.conftest import local, weights

__all__ = ["local", "weights"]
