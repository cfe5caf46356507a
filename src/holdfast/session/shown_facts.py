"""Which facts the model of a session is told of, in the state of the session, pure."""

import msgspec

from holdfast.ids import FactId
from holdfast.records.facts import MemoryShown
from holdfast.records.parts import Value


class FactsShown(Value, frozen=True, kw_only=True):
    """Which facts the model is told of."""

    core: tuple[FactId, ...] = ()
    """In the system text."""
    more: int = 0
    """How many had no room there."""
    added: tuple[FactId, ...] = ()
    """Told of since."""
    ended: tuple[FactId, ...] = ()
    """Those the model was told hold no longer."""
    renewed: bool = False
    """Whether what is in front of the window changed since, so that the system text may change as well."""


def shown(known: FactsShown | None, entry: MemoryShown) -> FactsShown:
    """What the model is told of after one more entry about it."""
    if entry.core is not None or known is None:
        return FactsShown(core=entry.core or (), more=entry.more, added=entry.added, ended=entry.ended)
    added, ended = (*known.added, *entry.added), (*known.ended, *entry.ended)
    return msgspec.structs.replace(known, added=added, ended=ended)


def renewed(known: FactsShown | None) -> FactsShown | None:
    """The same after the front of the window changed."""
    return None if known is None else msgspec.structs.replace(known, renewed=True)
