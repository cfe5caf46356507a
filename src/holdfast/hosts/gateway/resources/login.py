"""Logging a browser in: a one-time link for a cookie and a secret that the page keeps.

The link's secret stands behind `#` in the address, which no browser sends and no log has; the page posts it.
"""

from starlette.responses import Response

from holdfast.hosts.gateway.failures import refused
from holdfast.hosts.gateway.guard import HttpRefusal
from holdfast.hosts.gateway.resource import Call, Resource, json
from holdfast.hosts.gateway.service import LOCAL
from holdfast.records.parts import Value

COOKIE = "holdfast"
YEAR = 365 * 86_400


class LoginGiven(Value, frozen=True, kw_only=True):
    """What a page posts to log in."""

    link: str
    """The secret of the link."""
    device: str = ""
    """What the device is called, for the list of logins."""


class LoginTaken(Value, frozen=True, kw_only=True):
    """What a page is given."""

    secret: str
    """To be sent with each request, as the header `X-Holdfast-Secret`, and in the first frame of a socket."""
    person: str


class WhoAmI(Value, frozen=True, kw_only=True, omit_defaults=False):
    """Who is logged in."""

    person: str
    name: str
    kind: str


async def _log_in(call: Call) -> Response:
    given: LoginGiven = call.body
    made = call.service.logins.use_link(given.link, given.device[:60])
    address = call.address
    if made is None:
        call.service.guard.failed(address)
        call.service.journal.note("login refused", address=address)
        hint = "`holdfast serve --login` gives a new one."
        return refused(HttpRefusal(401, "bad_link", "This link was used before, is too old, or never was one.", hint))
    call.service.journal.note("logged in", person=made.login.person, device=given.device, address=address)
    response = json(LoginTaken(secret=made.secret, person=made.login.person))
    response.set_cookie(
        COOKIE,
        made.cookie,
        max_age=YEAR,
        httponly=True,
        samesite="strict",
        secure=call.secure,
    )
    return response


async def _log_out(call: Call) -> Response:
    if call.who is not None and call.who.kind == "browser":
        call.service.logins.end(call.who.id)
    response = Response(status_code=204)
    response.delete_cookie(COOKIE)
    return response


async def _who(call: Call) -> Response:
    who = call.who or LOCAL
    return json(WhoAmI(person=who.person, name=who.name, kind=who.kind))


RESOURCES = (
    Resource("POST", "/login", _log_in, "Log in with a one-time link.", body=LoginGiven, answer=LoginTaken, open=True),
    Resource("DELETE", "/login", _log_out, "Log this browser out."),
    Resource("GET", "/login", _who, "Who is logged in.", answer=WhoAmI),
)
