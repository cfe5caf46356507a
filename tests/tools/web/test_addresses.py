"""Which addresses may be talked to."""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address

import pytest

from holdfast.errors import ToolFailed
from holdfast.tools.web.addresses import fit_addresses, is_of_the_web, literal_address, system_addresses
from tests.tools.loopback import leading_to
from tests.tools.ssrf import answered


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "100.63.255.255", "172.32.0.1", "2606:4700::1111", "2a00::1"]
)
def test_what_everybody_reaches_is_of_the_web(address: str) -> None:
    """
    An address that is given out to somebody, and is the same host for all, is of the web.
    """
    assert is_of_the_web(ip_address(address))


@pytest.mark.parametrize(
    "address",
    (
        "127.0.0.1 10.1.1.1 100.64.0.1 169.254.169.254 192.88.99.1 255.255.255.255 0.0.0.0 ::1 :: ::ffff:8.8.8.8"
        " 64:ff9b::808:808 2002::1 2001::1 fd00:ec2::254 fe80::1 ff02::1 3fff::1 4000::1 2001:db8::1 100::1"
    ).split(),
)
def test_what_is_special_is_not_of_the_web(address: str) -> None:
    """
    What is private, local, translated, for documents or not given out is never of the web.
    """
    assert not is_of_the_web(ip_address(address))


@pytest.mark.parametrize("name", ["example.org", "xn--fa-hia.de", "a_b.example.org", "a", "1e100.net", "0x.org"])
def test_a_name_is_no_address(name: str) -> None:
    """
    A name that no system takes for an address is looked up.
    """
    assert literal_address(name) is None


@pytest.mark.parametrize(
    "name", ["1", "0x7f.1", "0x", "example.0x1", "127.1", "1.2.3.4.5", "01.2.3.4", "", ".", "a..b", "-a", "a b", "a%00"]
)
def test_what_is_nearly_an_address_is_refused(name: str) -> None:
    """
    What one system reads as a name and another as an address is neither here.
    """
    with pytest.raises(ToolFailed, match="not the name of a host"):
        literal_address(name)


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("10.0.0.7", "10.0.0.7 is not fetched: it is not an address of the public web."),
        ("inside.example.org", "inside.example.org is not fetched: it is 10.0.0.7, which is not an address of"),
    ],
)
async def test_what_is_refused_is_told_with_the_address_behind_a_name(host: str, words: str) -> None:
    """
    Where the host is the address itself, it is not said twice.
    """
    with pytest.raises(ToolFailed) as refused:
        await fit_addresses(host, 80, resolve=leading_to("10.0.0.7"))

    assert str(refused.value).startswith(words)
    assert "`tools.web_allowed`" in refused.value.hint


async def test_every_address_of_a_name_must_be_fit() -> None:
    """
    One address inside is enough to refuse a name, wherever in the list it stands.
    """
    with pytest.raises(ToolFailed, match=r"10\.0\.0\.1"):
        await fit_addresses("mixed.example.org", 80, resolve=answered)


async def test_all_fit_addresses_are_given_in_order() -> None:
    """
    Whoever connects tries the addresses in the order of the lookup.
    """
    assert (ip_address("2606:4700::1111"), ip_address("1.1.1.1")) == await fit_addresses(
        "a.org", 80, resolve=leading_to("2606:4700::1111", "1.1.1.1")
    )


async def test_a_network_of_ones_own_can_be_allowed() -> None:
    """
    An allowed network is fit, also by a local name; its neighbours stay refused.
    """
    allowed = (IPv4Network("10.0.0.0/24"), IPv6Network("fd00::/8"))

    assert (ip_address("10.0.0.7"),) == await fit_addresses(
        "wiki.local", 80, allowed=allowed, resolve=leading_to("10.0.0.7")
    )
    assert (ip_address("fd00::1"),) == await fit_addresses("fd00::1", 80, allowed=allowed)
    with pytest.raises(ToolFailed):
        await fit_addresses("10.0.1.7", 80, allowed=allowed)
    with pytest.raises(ToolFailed):
        await fit_addresses("::ffff:10.0.0.7", 80, allowed=allowed)


async def test_a_local_name_is_refused_whatever_it_leads_to() -> None:
    """
    A name of the local network that claims an address of the web lies about one of them.
    """
    for name in ("localhost", "printer.local", "metadata.google.internal", "router.lan", "nas.home.arpa"):
        with pytest.raises(ToolFailed, match="public web"):
            await fit_addresses(name, 80, resolve=leading_to("93.184.215.14"))


async def test_a_name_without_an_address_is_an_error_for_the_model() -> None:
    """
    A name that leads nowhere is told to the model, not raised as an error of the system.
    """

    async def unknown(*_: object) -> Sequence[str]:
        raise OSError("unknown")

    for resolve in (leading_to(), leading_to("garbage"), unknown):
        with pytest.raises(ToolFailed, match=r"nowhere\.example\.org"):
            await fit_addresses("nowhere.example.org", 80, resolve=resolve)


async def test_the_machine_knows_itself() -> None:
    """
    The lookup of the system works, and gives what must be refused.
    """
    found = [ip_address(each) for each in await system_addresses("localhost", 80)]

    assert found
    assert not any(is_of_the_web(each) for each in found)
