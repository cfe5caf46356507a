"""What is checked of every request and socket before anybody looks at its credentials.

How often an address comes, which host it asks for, and which page it comes from: every web page that a person opens
can reach a server on that person's machine, and a name of an attacker can be made to mean 127.0.0.1.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from time import monotonic
from typing import NamedTuple
from urllib.parse import urlsplit

_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:@/\s]+))(?::\d{1,5})?")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class HttpRefusal(NamedTuple):
    """Why something is not let in."""

    status: int
    code: str
    message: str
    hint: str = ""


class Rates:
    """How often each address may come: a bucket of tokens that fills again."""

    def __init__(self, burst: int, each_second: float, *, addresses: int = 10_000) -> None:
        """Let `burst` requests through at once, and then so many each second."""
        self._burst, self._each_second, self._addresses = float(burst), each_second, addresses
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str) -> float:
        """Take a token, and give how many seconds to wait for it: for who is slowed down, not refused."""
        self.take(address)
        left, _ = self._buckets[address]
        return 0.0 if left >= 1.0 else (1.0 - left) / self._each_second

    def take(self, address: str, tokens: float = 1.0) -> bool:
        """Whether an address may come now; each time takes tokens."""
        now = monotonic()
        left, since = self._buckets.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._each_second)
        may = left >= 1.0
        self._buckets[address] = (max(0.0, left - tokens), now)
        if len(self._buckets) > self._addresses:
            self._buckets.popitem(last=False)
        return may


class Guard:
    """The checks, with the names that this gateway goes by."""

    def __init__(self, hosts: Iterable[str], rates: Rates, *, proxies: Iterable[str] = ()) -> None:
        """Answer to loopback names and to these hosts; forwarded headers count from these proxies alone."""
        self._hosts = LOOPBACK | {each.lower() for each in hosts}
        self._rates, self._proxies = rates, frozenset(proxies)

    def address(self, peer: str, headers: Mapping[str, str]) -> str:
        """Who comes: the peer, or whom a proxy of ours names."""
        forwarded = [each.strip() for each in headers.get("x-forwarded-for", "").split(",") if each.strip()]
        while peer in self._proxies and forwarded:
            peer = forwarded.pop()
        return peer

    def secure(self, scheme: str, peer: str, headers: Mapping[str, str]) -> bool:
        """Whether the person's side of the connection is encrypted, as far as is known."""
        if peer in self._proxies and "x-forwarded-proto" in headers:
            return headers["x-forwarded-proto"] == "https"
        return scheme in {"https", "wss"}

    def refusal(self, address: str, hosts: list[str], origins: list[str]) -> HttpRefusal | None:
        """Why a request is not let in; None if it is."""
        if not self._rates.take(address):
            return HttpRefusal(429, "too_many_requests", "Too many requests.", "Wait a moment, and try again.")
        if len(hosts) != 1 or host_name(hosts[0]) not in self._hosts:
            return HttpRefusal(
                421, "wrong_host", "This server does not go by that name.", "Add the name to `gateway.hosts`."
            )
        if len(origins) > 1 or (origins and not _same_origin(origins[0], hosts[0])):
            return HttpRefusal(403, "wrong_origin", "Pages of other addresses are not let in.")
        return None

    def failed(self, address: str) -> None:
        """Take note of a credential that was wrong: guessing is slow."""
        self._rates.take(address, 20.0)


def host_name(host: str) -> str:
    """The name or address in a Host header, without its port; '' for what is none."""
    found = _HOST.fullmatch(host)
    return (found[1] or found[2]).lower().rstrip(".") if found else ""


def _same_origin(origin: str, host: str) -> bool:
    """Whether a page comes from the host and port that it now asks."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    if parts.scheme not in {"http", "https"} or parts.path or parts.query:
        return False
    return parts.netloc.lower() == host.lower()
