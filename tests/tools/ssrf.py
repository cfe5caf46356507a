"""Addresses that lead where the web should not: each must be refused, whatever stands behind it.

A name here is answered by `ANSWERS`, so that what it leads to is decided by the test.
"""

from collections.abc import Sequence

FORMS = {
    "loopback": "http://127.0.0.1/",
    "another loopback": "http://127.8.9.10/",
    "loopback, short": "http://127.1/",
    "loopback, one number": "http://2130706433/",
    "loopback, octal": "http://0177.0.0.1/",
    "loopback, padded": "http://127.000.000.001/",
    "loopback, hexadecimal": "http://0x7f000001/",
    "loopback, mixed": "http://0x7f.1/",
    "loopback, one octal number": "http://017700000001/",
    "loopback with a dot": "http://127.0.0.1./",
    "loopback, five parts": "http://127.0.0.1.0/",
    "this host": "http://0.0.0.0/",
    "this host, short": "http://0/",
    "this network": "http://0.1.2.3/",
    "private, 10": "http://10.0.0.1/",
    "private, 172": "http://172.16.5.4/",
    "private, 192": "http://192.168.1.1/",
    "shared by a carrier": "http://100.64.0.1/",
    "cloud metadata": "http://169.254.169.254/latest/meta-data/",
    "cloud metadata, one number": "http://2852039166/",
    "cloud metadata, Alibaba": "http://100.100.100.200/",
    "cloud metadata, Oracle": "http://192.0.0.192/",
    "cloud inside, Azure": "http://168.63.129.16/",
    "benchmark": "http://198.18.0.1/",
    "documentation": "http://192.0.2.1/",
    "multicast": "http://224.0.0.1/",
    "reserved": "http://240.0.0.1/",
    "broadcast": "http://255.255.255.255/",
    "loopback, IPv6": "http://[::1]/",
    "loopback, IPv6 in full": "http://[0:0:0:0:0:0:0:1]/",
    "any, IPv6": "http://[::]/",
    "mapped": "http://[::ffff:127.0.0.1]/",
    "mapped, hexadecimal": "http://[::ffff:7f00:1]/",
    "mapped, of the web": "http://[::ffff:8.8.8.8]/",
    "compatible": "http://[::127.0.0.1]/",
    "translated": "http://[64:ff9b::127.0.0.1]/",
    "translated locally": "http://[64:ff9b:1::7f00:1]/",
    "6to4": "http://[2002:7f00:1::]/",
    "Teredo": "http://[2001:0:7f00:1::]/",
    "unique local": "http://[fd12:3456::1]/",
    "cloud metadata, IPv6": "http://[fd00:ec2::254]/",
    "link-local": "http://[fe80::1]/",
    "link-local with a zone": "http://[fe80::1%25eth0]/",
    "site-local": "http://[fec0::1]/",
    "multicast, IPv6": "http://[ff02::1]/",
    "documentation, IPv6": "http://[2001:db8::1]/",
    "wide dots": "http://127。0。0。1/",
    "half-wide dots": "http://127｡0｡0｡1/",
    "wide digits": "http://\uff11\uff12\uff17.0.0.1/",
    "circled digits": "http://①②⑦.⓪.⓪.①/",
    "percent-encoded": "http://%31%32%37.0.0.1/",
    "percent-encoded zero": "http://localhost%00.example.org/",
    "localhost": "http://localhost/",
    "localhost with a dot": "http://localhost./",
    "LocalHost": "http://LocalHost/",
    "below localhost": "http://app.localhost/",
    "ip6-localhost": "http://ip6-localhost/",
    "printer.local": "http://printer.local/",
    "internal name": "http://metadata.google.internal/",
    "name of loopback": "http://loopback.example.org/",
    "name of metadata": "http://metadata.example.org/",
    "name with one bad address": "http://mixed.example.org/",
    "name of a mapped address": "http://mapped.example.org/",
    "name of a link-local address with a zone": "http://zone.example.org/",
    "user name": "http://example.org@127.0.0.1/",
    "user name and password": "http://user:secret@example.org/",
    "two at signs": "http://a@example.org@127.0.0.1/",
    "backslash": "http://example.org\\@127.0.0.1/",
    "line break": "http://example.org/\r\nHost: 127.0.0.1",
    "tab": "http://exam\tple.org/",
    "no host": "http:///etc/passwd",
    "no scheme": "//127.0.0.1/",
    "file": "file:///etc/passwd",
    "gopher": "gopher://127.0.0.1:70/",
    "ftp": "ftp://example.org/",
    "data": "data:text/html,hello",
    "websocket": "ws://example.org/",
    "port 0": "http://example.org:0/",
    "port too high": "http://example.org:65536/",
    "encoded dots in the path": "http://example.org/public/%2e%2E/private",
    "IPv4 in brackets": "http://[127.0.0.1]/",
}

ANSWERS: dict[str, tuple[str, ...]] = {
    "example.org": ("93.184.215.14",),
    "loopback.example.org": ("127.0.0.1",),
    "metadata.example.org": ("169.254.169.254",),
    "mixed.example.org": ("93.184.215.14", "10.0.0.1"),
    "mapped.example.org": ("::ffff:127.0.0.1",),
    "zone.example.org": ("fe80::1%2",),
    "printer.local": ("93.184.215.14",),
    "metadata.google.internal": ("93.184.215.14",),
    "app.localhost": ("93.184.215.14",),
}


async def answered(name: str, _: int) -> Sequence[str]:
    """What a name leads to; anything unknown is loopback, as a careless system would have it."""
    return ANSWERS.get(name, ("127.0.0.1",))


class Rebinding:
    """A name that is of the web when it is first looked up, and of this machine ever after."""

    def __init__(self, first: str, later: str) -> None:
        self.answers = [first]
        self._later = later
        self.lookups = 0

    async def __call__(self, name: str, port: int) -> Sequence[str]:
        self.lookups += 1
        return [self.answers.pop() if self.answers else self._later]
