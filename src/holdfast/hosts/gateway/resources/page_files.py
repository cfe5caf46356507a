"""The page at `/` and the files that belong to it, as `make page` built them; where it is not built, a plain page.

HTML is asked for anew each time, so that a page never names files that are gone. The files under `/assets/` have
their content's hash in their name and may be kept for good.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.responses import Response

from holdfast.hosts.gateway.failures import refused
from holdfast.hosts.gateway.guard import HttpRefusal
from holdfast.hosts.gateway.resource import Call, Resource

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
    "woff2": "font/woff2",
    "woff": "font/woff",
    "ttf": "font/ttf",
}
FOR_GOOD = "public, max-age=31536000, immutable"
MISSING = HttpRefusal(
    404, "not_found", "There is no such file.", "Load the page again: it may be of an earlier version."
)


def _folder(name: str) -> Traversable:
    return files("holdfast.hosts.gateway").joinpath(name)


def is_built() -> bool:
    """Whether the page is there; otherwise a plain page logs in and says how to build it."""
    return _folder("page").joinpath("index.html").is_file()


def _file(folder: Traversable, name: str, cache: str = "no-cache") -> Response:
    # A name is compared with those that are there, never joined to a path: it may be anything, of any length.
    there = folder.iterdir() if folder.is_dir() else ()
    found = next((each for each in there if each.name == name), None)
    media_type = TYPES.get(name.rpartition(".")[2])
    if found is None or media_type is None:
        return refused(MISSING)
    return Response(found.read_bytes(), media_type=media_type, headers={"cache-control": cache})


async def _page(_call: Call) -> Response:
    return _file(_folder("page" if is_built() else "plain_page"), "index.html")


async def _beside(call: Call) -> Response:
    return _file(_folder("page"), call.request.url.path.strip("/"))


async def _asset(call: Call) -> Response:
    return _file(_folder("page").joinpath("assets"), call.path["name"], FOR_GOOD)


async def _plain(call: Call) -> Response:
    return _file(_folder("plain_page"), call.request.url.path.strip("/"))


RESOURCES = (
    Resource("GET", "/", _page, "The page.", open=True),
    Resource("GET", "/assets/{name}", _asset, "A file of the page.", open=True),
    Resource("GET", "/icon.svg", _beside, "The icon of the page.", open=True),
    Resource("GET", "/sw.js", _beside, "What lets the page open without a connection.", open=True),
    Resource("GET", "/manifest.webmanifest", _beside, "What the page is called where it is installed.", open=True),
    Resource("GET", "/login.js", _plain, "The script of the plain page.", open=True),
    Resource("GET", "/login.css", _plain, "The style of the plain page.", open=True),
)
