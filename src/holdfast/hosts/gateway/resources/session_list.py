"""The list of sessions, and beginning one."""

import secrets
from datetime import UTC, datetime

from starlette.responses import Response

from holdfast.hosts.gateway.resource import Call, Resource, json
from holdfast.records.entries import Described
from holdfast.records.parts import Value
from holdfast.remote.server_frames import Row


class SessionWanted(Value, frozen=True, kw_only=True):
    """A session to begin."""

    session: str = ""
    """Its key; without one it is given one."""
    title: str = ""


class SessionBegun(Value, frozen=True, kw_only=True):
    """A session that was begun."""

    session: str


class RowPage(Value, frozen=True, kw_only=True, omit_defaults=False):
    """Some rows of the list, the most recently used first."""

    rows: tuple[Row, ...]
    cursor: str
    """To get the next ones; '' when there are none."""


async def _begin(call: Call) -> Response:
    wanted: SessionWanted = call.body
    key = wanted.session or f"web-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    await call.sessions.begin(key, Described(title=wanted.title or None))
    return json(SessionBegun(session=key), 201)


async def _list(call: Call) -> Response:
    page = await call.sessions.page(limit=50, cursor=call.request.query_params.get("cursor", ""))
    rows = tuple([await call.sessions.row(each) for each in page.sessions])
    return json(RowPage(rows=rows, cursor=page.cursor))


RESOURCES = (
    Resource("POST", "/sessions", _begin, "Begin a session.", body=SessionWanted, answer=SessionBegun),
    Resource("GET", "/sessions", _list, "List sessions.", answer=RowPage),
)
