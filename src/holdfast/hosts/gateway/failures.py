"""What failed, as a response or a frame: the same code, message and hint on every way."""

import re

import msgspec
from starlette.responses import Response

from holdfast.errors import (
    AlreadyThere,
    BadInput,
    CatalogBusy,
    Closed,
    HoldfastError,
    LogError,
    ModelError,
    NotThere,
    ReadOnly,
)
from holdfast.hosts.gateway.guard import HttpRefusal

_WORDS = re.compile(r"(?<!^)(?=[A-Z])")
_STATUS: tuple[tuple[type[HoldfastError], int], ...] = (
    (NotThere, 404),
    (AlreadyThere, 409),
    (BadInput, 400),
    (ReadOnly, 507),
    (LogError, 409),
    (ModelError, 502),
    (Closed, 503),
    (CatalogBusy, 503),
)


def code_of(error: HoldfastError) -> str:
    """The code of an error: `NoSession` is `no_session`."""
    return _WORDS.sub("_", type(error).__name__).lower()


def failure(error: HoldfastError) -> Response:
    """An error of ours as a response."""
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    return refused(HttpRefusal(status, code_of(error), error.message, error.hint))


def refused(refusal: HttpRefusal) -> Response:
    """A refusal as a response."""
    told = {"code": refusal.code, "message": refusal.message, "hint": refusal.hint}
    return Response(msgspec.json.encode({"error": told}), refusal.status, media_type="application/json")
