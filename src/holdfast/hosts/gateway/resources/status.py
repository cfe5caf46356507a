"""Whether the gateway is there, in one word each: for whatever watches services."""

from starlette.responses import PlainTextResponse, Response

from holdfast.hosts.gateway.resource import Call, Resource


async def _health(_call: Call) -> Response:
    return PlainTextResponse("ok")


async def _ready(call: Call) -> Response:
    if call.service.draining:
        return PlainTextResponse("stopping", 503)
    return PlainTextResponse("ready")


RESOURCES = (
    Resource("GET", "/health", _health, "Whether the process answers.", open=True),
    Resource("GET", "/ready", _ready, "Whether it takes requests; 503 while it stops.", open=True),
)
