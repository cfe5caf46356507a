"""Every kind of entry, what an entry is made of, and the identifiers in it.

Each name is loaded when it is first used; `holdfast` has the same names.
"""

from holdfast import _homes, _load

_HOMES = _homes("entries")
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    return _load(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
