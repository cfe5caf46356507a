"""A row of the list of sessions, as frames and resources have it."""

from datetime import UTC, datetime
from typing import overload

from holdfast.engine.changes import SessionChanged
from holdfast.goals.snapshot import goal_state
from holdfast.hosts.gateway.marks import SessionMark
from holdfast.remote.server_frames import GoalShown, Row
from holdfast.session.goals import ALWAYS
from holdfast.session.state import SessionState


@overload
def time_text(moment: datetime) -> str: ...
@overload
def time_text(moment: None) -> None: ...
def time_text(moment: datetime | None) -> str | None:
    """A time as every frame and resource has it: UTC."""
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def wakes_at(state: SessionState) -> str | None:
    """When a session is woken next; an active goal is always due, which is no time."""
    times = [each.at for each in state.wakes if each.at != ALWAYS]
    return time_text(min(times)) if times else None


def goal_shown(state: SessionState) -> GoalShown | None:
    """The goal of a session as frames have it."""
    found = goal_state(state)
    if found is None:
        return None
    values = {name: getattr(found, name) for name in GoalShown.__struct_fields__}
    times = {name: time_text(each) for name, each in values.items() if isinstance(each, datetime)}
    return GoalShown(**{**values, **times})


def row_of(change: SessionChanged, mark: SessionMark) -> Row:
    """A row with what one person has seen of it."""
    listed = change.listed
    return Row(
        session=listed.key,
        title=listed.title,
        preview=listed.preview,
        created=time_text(listed.created),
        updated=time_text(listed.updated),
        messages=listed.messages,
        turns=listed.turns,
        tags=listed.tags,
        archived=listed.archived,
        pinned=mark.pinned,
        workspace=listed.workspace,
        running=change.running,
        since=time_text(change.since),
        questions=change.questions,
        last=change.last,
        seen=mark.seen,
        due=time_text(listed.due if listed.due != ALWAYS else None),
    )
