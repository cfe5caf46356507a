"""What a program can implement: a model, a tool, a store with its catalog, a clock; and the values that pass through.

Each name is loaded when it is first used; `holdfast` has the same names.
"""

from holdfast import _homes, _load

_HOMES = _homes("contracts")
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    return _load(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
