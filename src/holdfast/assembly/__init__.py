"""The composition root: the one place where concrete classes are named."""

from holdfast.assembly.stores import open_store, open_volatile

__all__ = ["open_store", "open_volatile"]
