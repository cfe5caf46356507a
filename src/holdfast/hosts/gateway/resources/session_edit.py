"""Changing a session: its title and marks, forks, rewinding, and deleting with a way back."""

import secrets
from datetime import UTC, datetime

from msgspec import UNSET, UnsetType
from starlette.responses import Response

from holdfast.errors import BadInput
from holdfast.hosts.gateway.resource import Call, Resource, json
from holdfast.hosts.gateway.resources.session_list import SessionBegun
from holdfast.records.entries import Described
from holdfast.records.parts import Value


class SessionEdit(Value, frozen=True, kw_only=True):
    """What is to be changed; what is left out stays as it is."""

    title: str | UnsetType = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    pinned: bool | UnsetType = UNSET
    """For this person alone."""


class ForkWanted(Value, frozen=True, kw_only=True):
    """A session that begins as another one."""

    at: int | None = None
    """The last position they share; without it, all."""
    session: str = ""
    """Its key; without one it is given one."""


class RewindWanted(Value, frozen=True, kw_only=True):
    """Where a conversation is to go on."""

    to: int


class MovedTo(Value, frozen=True, kw_only=True, omit_defaults=False):
    """Where it goes on now."""

    position: int


class SessionTrashed(Value, frozen=True, kw_only=True, omit_defaults=False):
    """A session in the trash."""

    name: str
    """What it is called there, to bring it back."""


async def _edit(call: Call) -> Response:
    key, edit = call.path["key"], call.body
    await call.sessions.must_own(key)
    if edit.pinned is not UNSET:
        await call.sessions.pin(key, pinned=edit.pinned)
    described = Described(
        title=None if edit.title is UNSET else edit.title.strip(),
        tags=None if edit.tags is UNSET else edit.tags,
        archived=None if edit.archived is UNSET else edit.archived,
    )
    if described != Described():
        conversation = await call.sessions.use(key, call.source)
        await conversation.describe(described)
    return Response(status_code=204)


async def _fork(call: Call) -> Response:
    key, wanted = call.path["key"], call.body
    target = wanted.session or f"{key}-fork-{datetime.now(UTC):%H%M%S}-{secrets.token_hex(2)}"
    await call.sessions.fork(key, target, at=wanted.at)
    return json(SessionBegun(session=target), 201)


async def _rewind(call: Call) -> Response:
    conversation = await call.sessions.use(call.path["key"], call.source)
    if conversation.busy:
        raise BadInput("A turn runs.", hint="Stop it first.")
    return json(MovedTo(position=await conversation.rewind(call.body.to)))


async def _undo_rewind(call: Call) -> Response:
    conversation = await call.sessions.use(call.path["key"], call.source)
    return json(MovedTo(position=await conversation.undo_rewind()))


async def _delete(call: Call) -> Response:
    key = call.path["key"]
    await call.sessions.must_own(key)
    engine = call.service.engine
    await engine.leave(key)
    await engine.store.throw_away(key)
    thrown = max((each for each in await engine.store.trash() if each.key == key), key=lambda each: each.at)
    return json(SessionTrashed(name=thrown.name))


async def _bring_back(call: Call) -> Response:
    engine, name = call.service.engine, call.path["name"]
    if call.sessions.person:
        # The trash does not say whose a session is, so only the person of the machine may look into it.
        raise BadInput("Only the owner of this machine can bring sessions back.")
    return json(SessionBegun(session=await engine.store.bring_back(name)))


RESOURCES = (
    Resource("PATCH", "/sessions/{key}", _edit, "Change title, tags and marks.", body=SessionEdit),
    Resource(
        "POST", "/sessions/{key}/fork", _fork, "Begin a session as this one.", body=ForkWanted, answer=SessionBegun
    ),
    Resource("POST", "/sessions/{key}/rewind", _rewind, "Go on from a position.", body=RewindWanted, answer=MovedTo),
    Resource("DELETE", "/sessions/{key}/rewind", _undo_rewind, "Take the last rewind back.", answer=MovedTo),
    Resource("DELETE", "/sessions/{key}", _delete, "Move a session into the trash.", answer=SessionTrashed),
    Resource("POST", "/trash/{name}", _bring_back, "Bring a session back from the trash.", answer=SessionBegun),
)
