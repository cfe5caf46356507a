"""Which addresses may be talked to.

An address of the web is one that everybody reaches: what is private, local or special could be the
machine itself, its network or the service that hands out its credentials. A name is looked up once
and every address it has must be fit; whoever connects must connect to one of these and never look
the name up again, because the second answer may differ from the first.
"""

import re
import socket
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

from holdfast.agent.tasks import aside
from holdfast.errors import ToolFailed

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses of a name, the best first. Raises `OSError` if it has none."""

_NOT_OF_THE_WEB_4 = tuple(
    IPv4Network(each)
    for each in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        "168.63.129.16/32",  # looks like any other, and is the inside of a cloud
    )
)
_UNICAST_6 = IPv6Network("2000::/3")
"""All that was ever given out; mapped, compatible, translated, unique local and link-local ones lie outside."""
_NOT_OF_THE_WEB_6 = tuple(
    IPv6Network(each)
    for each in (
        "2001::/23",  # Teredo, and other ways of carrying one address inside another
        "2001:db8::/32",
        "2002::/16",  # carries an IPv4 address
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)

_LOCAL_NAMES = frozenset({"localhost", "ip6-localhost", "ip6-loopback", "broadcasthost"})
_LOCAL_ENDS = (".localhost", ".local", ".localdomain", ".internal", ".intranet", ".lan", ".home.arpa")
_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


async def fit_addresses(
    host: str, port: int, *, allowed: Collection[Network] = (), resolve: Resolve | None = None
) -> tuple[Address, ...]:
    """The addresses of a host, all of them fit to be talked to. Raises `ToolFailed` if one is not, or there is none.

    `host` is a name in ASCII or an address without brackets; `allowed` are networks that are fit although they are
    not of the web.
    """
    name = host.lower().removesuffix(".")
    literal = literal_address(name)
    found = (literal,) if literal else await _looked_up(name, port, resolve or system_addresses)
    local = name in _LOCAL_NAMES or name.endswith(_LOCAL_ENDS)
    for address in found:
        if not _is_in(address, allowed) and (local or not is_of_the_web(address)):
            named = "" if address == literal else f" {address}, which is"
            raise ToolFailed(
                f"{host} is not fetched: it is{named} not an address of the public web.",
                hint="Only public addresses can be fetched; the person can allow a network with `tools.web_allowed`.",
            )
    return found


def literal_address(name: str) -> Address | None:
    """The address that a host is, or None for a name. Raises `ToolFailed` for what is neither, or only nearly."""
    with suppress(ValueError):
        address = ip_address(name)
        if "%" not in name:  # a zone, which says by which of its networks the machine should go
            return address
    # A system may read 2130706433, 0177.1 or 0x7f.0.0.1 as an address, so a name never ends in a number.
    if not _NAME.fullmatch(name) or _NUMBER.fullmatch(name.rpartition(".")[2]):
        raise ToolFailed(
            f"{name!r} is not the name of a host, nor an address as it is usually written.",
            hint="Write a plain name, or an address such as 192.0.2.1 or [2001:db8::1].",
        )
    return None


def is_of_the_web(address: Address) -> bool:
    """Whether everybody reaches the same host under this address."""
    if isinstance(address, IPv4Address):
        return not _is_in(address, _NOT_OF_THE_WEB_4)
    return address in _UNICAST_6 and address.scope_id is None and not _is_in(address, _NOT_OF_THE_WEB_6)


async def system_addresses(name: str, port: int) -> Sequence[str]:
    """The addresses of a name as this machine knows them."""
    return await aside(_known_here, name, port)


def _known_here(name: str, port: int) -> Sequence[str]:
    found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(where[0]) for *_, where in found))


async def _looked_up(name: str, port: int, resolve: Resolve) -> tuple[Address, ...]:
    try:
        found = tuple(ip_address(each) for each in await resolve(name, port))
    except (OSError, ValueError) as error:
        raise ToolFailed(f"The name {name} was not found.", hint="Check the address.") from error
    if not found:
        raise ToolFailed(f"The name {name} has no address.", hint="Check the address.")
    return found


def _is_in(address: Address, networks: Collection[Network]) -> bool:
    return any(address in network for network in networks if network.version == address.version)
