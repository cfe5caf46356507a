"""The address of a service, the proxy in front of it, and whose certificates count.

Most machines and addresses are plain, and need no more than the standard library. The others (letters outside
ASCII, certificates in a place of one's own or in a Mac's keychain) are left to httpx2, which knows them all and
takes as long to load as everything else together.
"""

import os
import re
import ssl
import sys
from base64 import b64encode
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote, urlsplit

from holdfast.errors import BadInput
from holdfast.records.parts import Value

_EXAMPLE = "Give one like https://example.com/v1."
_PORTS = {"http": 80, "https": 443}
_STRANGE = frozenset(' "<>\\^`{|}')
_HASHED = re.compile(r"[0-9a-f]{8}\.\d")
"""The name of a certificate in a folder that OpenSSL can look things up in."""


class Address(Value, frozen=True, kw_only=True):
    """Where somebody is asked over HTTP."""

    scheme: str
    host: str
    port: int
    path: str = ""
    """Without a slash at its end."""
    query: str = ""
    user: str = ""
    """A name and a password, as an address has them in front of the host; empty where there are none."""

    @property
    def place(self) -> str:
        """Host and port, as a request names them; the usual port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def shown(self) -> str:
        """The address without anything that may be secret."""
        return f"{self.scheme}://{self.place}{self.path}"

    @property
    def basic(self) -> str:
        """What says who asks, for a header; empty where nobody is named."""
        if not self.user:
            return ""
        name, _, password = self.user.partition(":")
        return f"Basic {b64encode(f'{unquote(name)}:{unquote(password)}'.encode()).decode()}"

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine."""
        with suppress(ValueError):
            return ip_address(self.host).is_loopback
        return self.host == "localhost" or self.host.endswith(".localhost")


def parsed(text: str) -> Address:
    """An address from what a person wrote. Raises `BadInput` if it is none."""
    try:
        parts = urlsplit(text if _is_plain(text) else _put_right(text))
        port = parts.port
    except ValueError as error:
        raise BadInput(f"{text!r} is not an address: {error}.", hint=_EXAMPLE) from error
    if parts.scheme not in _PORTS or not parts.hostname:
        raise BadInput(f"{text!r} is not the address of a service.", hint=_EXAMPLE)
    return Address(
        scheme=parts.scheme,
        host=parts.hostname,
        port=_PORTS[parts.scheme] if port is None else port,
        path=parts.path.rstrip("/"),
        query=parts.query,
        user=parts.netloc.rpartition("@")[0],
    )


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and _STRANGE.isdisjoint(text)


def _put_right(text: str) -> str:
    import httpx2

    try:
        return str(httpx2.URL(text))
    except httpx2.InvalidURL as error:
        raise ValueError(error) from error


def proxy_for(address: Address) -> Address | None:
    """The proxy that the environment names for an address, if any. Raises `BadInput` if it is none we can use."""
    # What runs on this machine is asked directly: a proxy is for the world outside.
    if address.is_here or not (sys.platform == "darwin" or any(name.lower().endswith("_proxy") for name in os.environ)):
        return None
    from urllib.request import getproxies, proxy_bypass

    named = getproxies()
    proxy = named.get(address.scheme) or named.get("all")
    if not proxy or proxy_bypass(f"{address.host}:{address.port}"):
        return None
    return parsed(proxy if "://" in proxy else f"http://{proxy}")


def trusted() -> ssl.SSLContext:
    """What a service has to prove who it is by: the certificates that this system trusts."""
    paths = ssl.get_default_verify_paths()
    file, folder = Path(paths.openssl_cafile), Path(paths.openssl_capath)
    found = file if file.is_file() else None
    hashed = folder if folder.is_dir() and any(_HASHED.fullmatch(each.name) for each in folder.iterdir()) else None
    own = os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR")
    if own or sys.platform == "darwin" or not (found or hashed):
        from httpx2 import create_ssl_context

        context = create_ssl_context()
    else:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(found, hashed)
    context.set_alpn_protocols(["http/1.1"])
    return context
