"""The plain page at `/`: it logs in with the link that opened it, and says where to go on."""

from importlib.resources import files

from starlette.responses import Response

from holdfast.hosts.gateway.resource import Call, Resource

_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}


def _file(name: str) -> bytes:
    return files("holdfast.hosts.gateway").joinpath("plain_page", name).read_bytes()


async def _page(_call: Call) -> Response:
    return Response(_file("index.html"), media_type="text/html; charset=utf-8")


async def _asset(call: Call) -> Response:
    name = "login." + call.request.url.path.rpartition(".")[2]
    return Response(_file(name), media_type=f"{_TYPES[name.rpartition('.')[2]]}; charset=utf-8")


RESOURCES = (
    Resource("GET", "/", _page, "The page.", open=True),
    Resource("GET", "/login.js", _asset, "The script of the plain page.", open=True),
    Resource("GET", "/login.css", _asset, "The style of the plain page.", open=True),
)
