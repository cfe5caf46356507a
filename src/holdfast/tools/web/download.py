"""Downloads one page of the web.

Each hop is checked by itself: the address is parsed by the same code that sends it, its name is
looked up once, and the connection goes to one of the very addresses that were found fit. A page
that moved is followed on the same host only, because permission was given for that one; where else
it leads is told. Nothing of the environment is used: no proxy (it would connect wherever it likes),
no cookies, no saved passwords.
"""

import re
import ssl
from collections.abc import Collection

import httpx2

from holdfast.errors import ToolFailed
from holdfast.records.parts import Value
from holdfast.tools.web.addresses import Address, Network, Resolve, fit_addresses

MOST_REDIRECTS = 5
MOST_ADDRESSES = 4
CONNECT_SECONDS = 8.0

_PORTS = {"http": 80, "https": 443}
_MOVED = frozenset({301, 302, 303, 307, 308})
_CODINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
_ENCODED = re.compile(rb"%([0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(rb"[A-Za-z0-9._~-]")
_HEADERS = {
    "accept": "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5",
    "accept-encoding": "gzip, deflate",
    "user-agent": "holdfast",
    "connection": "close",
}


class WebPage(Value, frozen=True, kw_only=True):
    """What a server sent."""

    url: str
    """Where it was in the end."""
    status: int
    content_type: str
    body: bytes
    cut: bool = False
    """Whether there was more than the limit."""
    moved_to: str = ""
    """Where it says it is now, if that is another place."""


def web_url(text: str) -> httpx2.URL:
    """An address that may be fetched, the fragment left out. Raises `ToolFailed` with what is wrong."""
    hint = "Send a whole address such as https://example.org/page."
    if any(each in text for each in "\\ \n\r\t") or len(text) > 8192:  # noqa: PLR2004
        raise ToolFailed("The address has blanks or backslashes in it, or is too long.", hint=hint)
    try:
        url = httpx2.URL(text)
    except (httpx2.InvalidURL, ValueError) as error:
        raise ToolFailed(f"The address cannot be read: {error}.", hint=hint) from error
    if url.scheme not in _PORTS or not url.raw_host:
        raise ToolFailed("Only http:// and https:// addresses can be fetched.", hint=hint)
    if url.userinfo:
        raise ToolFailed("The address holds a user name or password.", hint="Leave out everything before the @.")
    if url.port is not None and not 0 < url.port < 65536:  # noqa: PLR2004
        raise ToolFailed(f"There is no port {url.port}.", hint=hint)
    if {".", ".."} & set(url.path.split("/")):  # decoded: a server would leave the folder that a rule names
        raise ToolFailed("The path has steps of dots in it.", hint="Write the path without `.` and `..`.")
    # One way to write each address, so that a rule that denies one finds it.
    return url.copy_with(fragment=None, host=url.host.removesuffix("."), raw_path=_ENCODED.sub(_plainly, url.raw_path))


def _plainly(found: re.Match[bytes]) -> bytes:
    """A character that needs no number; any other as a number in capitals."""
    char = bytes([int(found[1], 16)])
    return char if _UNRESERVED.fullmatch(char) else found[0].upper()


def place(url: httpx2.URL) -> str:
    """The host, and the port if it is not the usual one, as people write them."""
    return url.netloc.decode("ascii")


class Fetcher:
    """Gets one page from addresses that are fit to be talked to."""

    def __init__(
        self, *, allowed: Collection[Network], resolve: Resolve | None, limit: int, trust: ssl.SSLContext | None = None
    ) -> None:
        """Begin with the networks that are fit besides the web, and the most bytes of a page."""
        self._allowed, self._resolve, self._limit = allowed, resolve, limit
        self._transport = httpx2.AsyncHTTPTransport(verify=trust or True, trust_env=False)

    async def fetch(self, url: httpx2.URL) -> WebPage:
        """Get the page, once. Raises `ToolFailed` with what went wrong."""
        try:
            for _ in range(MOST_REDIRECTS + 1):
                addresses = await self._fit(url)
                response = await self._answer(url, addresses)
                try:
                    target = _target(url, response)
                    if target is None:
                        return await self._page(url, response)
                finally:
                    await response.aclose()
                if not _same_place(url, target):
                    await self._fit(target)
                    # The model asks for the new address itself, so that permission is decided for that one.
                    status, there = response.status_code, str(target)
                    return WebPage(url=str(url), status=status, content_type="", body=b"", moved_to=there)
                url = target
        except httpx2.HTTPError as error:
            raise ToolFailed(f"{place(url)} could not be read: {str(error) or type(error).__name__}.") from error
        finally:
            await self._transport.aclose()
        raise ToolFailed(f"It was sent on more than {MOST_REDIRECTS} times.", hint="Try another address.")

    async def _fit(self, url: httpx2.URL) -> tuple[Address, ...]:
        port = url.port or _PORTS[url.scheme]
        return await fit_addresses(url.raw_host.decode("ascii"), port, allowed=self._allowed, resolve=self._resolve)

    async def _answer(self, url: httpx2.URL, addresses: tuple[Address, ...]) -> httpx2.Response:
        """What the first address says that takes a connection."""
        failures: list[httpx2.TransportError] = []
        for address in addresses[:MOST_ADDRESSES]:
            request = httpx2.Request(
                "GET",
                url.copy_with(host=str(address)),
                headers={"host": place(url), **_HEADERS},
                extensions={
                    "sni_hostname": url.raw_host.decode("ascii").removesuffix("."),
                    "timeout": {"connect": CONNECT_SECONDS, "read": None, "write": None, "pool": None},
                },
            )
            try:
                return await self._transport.handle_async_request(request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                failures.append(error)
        why = str(failures[0]) or type(failures[0]).__name__
        raise ToolFailed(f"{place(url)} takes no connection: {why}.") from failures[0]

    async def _page(self, url: httpx2.URL, response: httpx2.Response) -> WebPage:
        if response.headers.get("content-encoding", "").strip().lower() not in _CODINGS:
            raise ToolFailed("The page is packed in a way that cannot be read here.")
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > self._limit:
                break
        return WebPage(
            url=str(url),
            status=response.status_code,
            content_type=response.headers.get("content-type", ""),
            body=bytes(body[: self._limit]),
            cut=len(body) > self._limit,
        )


def _target(url: httpx2.URL, response: httpx2.Response) -> httpx2.URL | None:
    """Where a page says it is now. Raises `ToolFailed` if that cannot be fetched."""
    location = response.headers.get("location", "")
    if response.status_code not in _MOVED or not location:
        return None
    try:
        target = web_url(str(url.join(location)))
    except (httpx2.InvalidURL, ValueError) as error:
        raise ToolFailed(f"{place(url)} sends on to an address that cannot be read.") from error
    if url.scheme == "https" and target.scheme == "http":
        raise ToolFailed(f"{place(url)} sends on from https to http ({target}), which is not followed.")
    return target


def _same_place(url: httpx2.URL, target: httpx2.URL) -> bool:
    """Whether the one host answers both, be it under `www.` or safer than before."""
    if url.host.removeprefix("www.") != target.host.removeprefix("www."):
        return False
    before, after = (each.port or _PORTS[each.scheme] for each in (url, target))
    return before == after or (before, after) == (_PORTS["http"], _PORTS["https"])
