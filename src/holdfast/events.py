"""What happens in a conversation, for whoever watches it: events, the snapshot before them, and the subscription.

Each name is loaded when it is first used; `holdfast` has the same names.
"""

from holdfast import _homes, _load

_HOMES = _homes("events")
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    return _load(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
