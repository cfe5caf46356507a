"""The folded state as an entry of the log, so that opening reads only what came after it."""

import msgspec

from holdfast.records.codec import Record, from_json, to_json
from holdfast.records.entries import Checkpointed
from holdfast.records.parts import Value
from holdfast.session.state import SessionState

FORMAT = 5
"""The version of the fold: a checkpoint of a later version is not used."""
WITHOUT_STATUS = 4
"""The version of a checkpoint with an owner or wakes and no goal, which programs of that version can use too."""
WITHOUT_OWNER = 3
"""The version of a checkpoint with a goal that has no status yet: it is folded anew."""
WITHOUT_GOALS = 2
"""The version of a checkpoint without a goal either, which programs of that version can use too."""


class _OlderState(Value, frozen=True, kw_only=True):
    """What checkpoints of `WITHOUT_GOALS` may hold that is not used any more."""

    goal: object = None


def checkpoint(state: SessionState) -> Checkpointed:
    """The state as an entry."""
    # A program that does not know of owners and wakes, or of a goal's status, would carry on without them.
    newest = bool(state.goals or state.schedules)
    version = FORMAT if newest else WITHOUT_STATUS if state.owner or state.wakes else WITHOUT_GOALS
    return Checkpointed(format=version, state=msgspec.Raw(to_json(state)))


def restored(record: Record) -> SessionState | None:
    """The state a checkpoint holds, as of its own position; None if it is not one, or of another version."""
    entry = record.entry
    if not isinstance(entry, Checkpointed) or not WITHOUT_GOALS <= entry.format <= FORMAT:
        return None
    raw = bytes(entry.state)
    try:
        state = from_json(raw, SessionState)
        # An older fold kept one goal for all branches; the entries say on which it was set.
        if entry.format == WITHOUT_GOALS and from_json(raw, _OlderState).goal is not None:
            return None
        # One that knew no status may stand behind entries that say it.
        if entry.format in {WITHOUT_STATUS, WITHOUT_OWNER} and state.goals:
            return None
    except (ValueError, RecursionError):
        return None  # of a fork of this project, perhaps: the entries themselves are the truth
    return msgspec.structs.replace(state, last=record.pos, head=record.pos)
