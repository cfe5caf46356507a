"""The folded state as an entry of the log, so that opening reads only what came after it."""

import msgspec

from holdfast.records.codec import Record, from_json, to_json
from holdfast.records.entries import Checkpointed
from holdfast.records.parts import Value
from holdfast.session.state import SessionState

FORMAT = 4
"""The version of the fold: a checkpoint of a later version is not used."""
WITHOUT_OWNER = 3
"""The version of a checkpoint without an owner and wakes, which programs of that version can use too."""
WITHOUT_GOALS = 2
"""The version of a checkpoint without a goal either, which programs of that version can use too."""


class _OlderState(Value, frozen=True, kw_only=True):
    """What checkpoints of `WITHOUT_GOALS` may hold that is not used any more."""

    goal: object = None


def checkpoint(state: SessionState) -> Checkpointed:
    """The state as an entry."""
    # A program that does not know of owners and wakes would carry on without them.
    version = FORMAT if state.owner or state.wakes else WITHOUT_OWNER if state.goals else WITHOUT_GOALS
    return Checkpointed(format=version, state=msgspec.Raw(to_json(state)))


def restored(record: Record) -> SessionState | None:
    """The state a checkpoint holds, as of its own position; None if it is not one, or of another version."""
    entry = record.entry
    if not isinstance(entry, Checkpointed) or entry.format not in {FORMAT, WITHOUT_OWNER, WITHOUT_GOALS}:
        return None
    raw = bytes(entry.state)
    try:
        state = from_json(raw, SessionState)
        # An older fold kept one goal for all branches; the entries say on which it was set.
        if entry.format == WITHOUT_GOALS and from_json(raw, _OlderState).goal is not None:
            return None
    except (ValueError, RecursionError):
        return None  # of a fork of this project, perhaps: the entries themselves are the truth
    return msgspec.structs.replace(state, last=record.pos, head=record.pos)
