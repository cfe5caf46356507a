"""The composition root: the one place where concrete classes are named."""

from holdfast.assembly.stores import folder_of, open_store, open_volatile

__all__ = ["folder_of", "open_store", "open_volatile"]
