"""`holdfast serve` as a process: killed, stopped, asked about logins."""

import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.hosts.gateway.gateways import http_client, said
from tests.hosts.gateway.serving import KEY, Served, connected, killed


async def test_a_gateway_that_is_killed_loses_nothing_and_says_nothing_twice(tmp_path: Path) -> None:
    """
    Clients come back by themselves, with what they have, and say again what was not acknowledged.
    """
    reader = await killed(tmp_path, 3, 6)

    assert 6 <= sum(entry["kind"] == "user_said" for entry in reader.entries)


async def test_it_stops_in_good_order(tmp_path: Path) -> None:
    """
    A turn that runs ends by itself, clients are told, and the exit code says that all is well.
    """
    served = Served(tmp_path)
    served.start()
    token = served.run("serve", "--token", "notes")
    client = await connected(served, token)
    async with http_client(served.port, token) as http:
        assert 201 == (await http.post("/sessions", json={"session": KEY})).status_code
    await client.attach(KEY)
    await client.send(frame="say", session=KEY, id="m1", parts=said("tell me"))
    await client.until(lambda each: each["frame"] == "delta")
    served.signal(signal.SIGTERM)
    seen = await client.until(lambda each: each["frame"] == "bye")
    code, _ = served.wait()

    assert ["answered"] == [each["why"] for each in seen if each["frame"] == "turn_ended"]
    assert ("stopping", 0) == (seen[-1]["why"], code)


async def test_what_it_prints_and_keeps_has_no_token(tmp_path: Path) -> None:
    """
    A token is shown once, its file has hashes and is for its owner alone, and no line of the journal can be forged.
    """
    served = Served(tmp_path)
    served.start()
    token = served.run("serve", "--token", "notes")
    async with http_client(served.port, "") as http:
        link = served.link.partition("#login=")[2]
        forged = "phone\n2026-01-01T00:00:00Z logged in person='root'"
        assert 401 == (await http.post("/login", json={"link": "x\r\ny"})).status_code
        assert 200 == (await http.post("/login", json={"link": link, "device": forged})).status_code
    listed = served.run("serve", "--logins")
    code, told = served.end(signal.SIGTERM)
    file = next(tmp_path.rglob("logins.json"))

    assert 0 == code
    assert token.partition(".")[2] not in file.read_text() + told + listed
    assert link.partition(".")[2] not in file.read_text() + told + listed
    assert 0o600 == file.stat().st_mode & 0o777
    assert 1 == sum("logged in" in line for line in told.splitlines() if "T" in line[:12])
    assert 2 == len(listed.splitlines())


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose path is short: that of a Unix socket has at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="hf") as folder:
        yield Path(folder)


async def test_your_own_programs_need_no_token_on_the_unix_socket(tmp_path: Path, short: Path) -> None:
    """
    The socket and its folder are for their owner alone; a second gateway of the store is refused, also after a kill.
    """
    served = Served(tmp_path)
    served.environment["XDG_STATE_HOME"] = str(short)
    served.start("--unix")
    place = next(short.rglob("socket"))
    async with httpx2.AsyncClient(transport=httpx2.AsyncHTTPTransport(uds=str(place)), trust_env=False) as client:
        who = (await client.get("http://localhost/login")).json()
    async with http_client(served.port, "") as other:
        refused = (await other.get("/login")).status_code
    with pytest.raises(subprocess.CalledProcessError):
        served.run("serve", "--unix", "--port", "0")
    modes = (place.stat().st_mode & 0o777, place.parent.stat().st_mode & 0o777)
    served.end(signal.SIGKILL)
    served.start("--unix")
    code, _ = served.end(signal.SIGTERM)

    assert ("", "token") == (who["person"], who["kind"])
    assert (401, 0) == (refused, code)
    assert (0o600, 0o700) == modes


def test_a_public_address_needs_a_login_or_a_token_first(tmp_path: Path) -> None:
    """
    An address that others can reach is refused with the reason while nobody could log in to it.
    """
    served = Served(tmp_path)
    with pytest.raises(Exception, match="returned non-zero exit status 2"):
        served.run("serve", "--host", "0.0.0.0", "--port", "0")
