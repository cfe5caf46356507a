"""Who gets in: each line of the rules has an attack that fails."""

from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from holdfast import Engine, open_store
from holdfast.hosts.gateway.service import GatewayLimits
from tests.agent.troupe import scripted, setup
from tests.hosts.gateway.gateways import Client, running


def engine(root: Path) -> Engine:
    """An engine that is asked nothing."""
    return Engine(open_store(root / "store"), setup(scripted()))


async def test_a_page_of_another_address_is_refused_whatever_it_has(tmp_path: Path) -> None:
    """
    The origin is checked before anything is accepted, with a right token too: other ports of the machine are others.
    """
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway:
        evil = ("https://evil.example", "null", f"http://localhost:{gateway.port}", "http://127.0.0.1:1")
        for origin in evil:
            async with gateway.http(gateway.token(), origin=origin) as client:
                assert 403 == (await client.get("/sessions")).status_code
            with pytest.raises(InvalidStatus) as refused:
                await Client.open(gateway.port, gateway.token(), origin=origin)
            assert 403 == refused.value.response.status_code
        own = f"http://127.0.0.1:{gateway.port}"
        await (await Client.open(gateway.port, gateway.token(), origin=own)).close()


async def test_a_name_that_is_not_ours_is_refused(tmp_path: Path) -> None:
    """
    A name of an attacker that means 127.0.0.1 reaches nothing, not even the page.
    """
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway, gateway.http(gateway.token()) as client:
        for host in ("evil.example", f"evil.example:{gateway.port}", "127.0.0.1.evil.example", "[::1].evil"):
            assert 421 == (await client.get("/", headers={"host": host})).status_code, host
        for host in ("localhost", "gateway.test", f"127.0.0.1:{gateway.port}", "[::1]:80"):
            assert 200 == (await client.get("/health", headers={"host": host})).status_code, host


async def test_a_link_logs_in_once_and_the_cookie_alone_opens_nothing(tmp_path: Path) -> None:
    """
    A browser sends its cookie to every port of a host, so the page sends a secret of its own beside it.
    """
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway, gateway.http() as client:
        link = gateway.service.logins.link("")
        first = await client.post("/login", json={"link": link})
        again = await client.post("/login", json={"link": link})
        cookie, secret = first.headers["set-cookie"], first.json()["secret"]

        assert (200, 401) == (first.status_code, again.status_code)
        assert all(each in cookie.lower() for each in ("httponly", "samesite=strict"))
        assert 401 == (await client.get("/sessions")).status_code
        assert 200 == (await client.get("/sessions", headers={"x-holdfast-secret": secret})).status_code
        socket = await Client.open(gateway.port, "", cookie=cookie.partition(";")[0])
        await socket.send(frame="connect", protocol=1)
        assert "not_logged_in" == (await socket.next())["code"]
        assert 4001 == await socket.closed()
        socket = await Client.open(gateway.port, "", cookie=cookie.partition(";")[0])
        await socket.send(frame="connect", protocol=1, secret=secret)
        assert "hello" == (await socket.next())["frame"]


async def test_no_other_way_to_give_a_credential_counts(tmp_path: Path) -> None:
    """
    A token in an address, a token as a cookie, or a wrong token beside a right cookie opens nothing.
    """
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway, gateway.http() as client:
        token = gateway.token()
        login = (await client.post("/login", json={"link": gateway.service.logins.link("")})).json()
        good = {"x-holdfast-secret": login["secret"]}
        for path, headers in (
            (f"/sessions?token={token}", {}),
            ("/sessions", {"cookie": f"holdfast={token}"}),
            ("/sessions", {"x-api-key": token}),
            ("/sessions", {**good, "authorization": "Bearer wrong.wrong"}),
            ("/sessions", {**good, "authorization": f"Basic {token}"}),
        ):
            assert 401 == (await client.get(path, headers=headers)).status_code, (path, headers)
        assert 200 == (await client.get("/sessions", headers=good)).status_code


async def test_what_a_form_of_another_page_can_send_is_refused(tmp_path: Path) -> None:
    """
    A body is JSON and says so: forms can send three other kinds without asking.
    """
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway, gateway.http(gateway.token()) as client:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", ""):
            answered = await client.post("/sessions", content=b'{"session":"x"}', headers={"content-type": kind})
            assert 415 == answered.status_code, kind
        assert () == await made.store.keys()


async def test_a_login_that_is_ended_closes_its_sockets_and_a_new_token_replaces_the_old(tmp_path: Path) -> None:
    """
    What was taken away counts no longer, for what is open already too.
    """
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway:
        old = gateway.token(name="notes")
        client = await gateway.client(token=old)
        new = gateway.token(name="notes")
        bye = await client.until(lambda each: each["frame"] == "bye")

        assert "logged_out" == bye[-1]["why"]
        assert 4001 == await client.closed()
        with pytest.raises(InvalidStatus):
            await Client.open(gateway.port, old)
        await (await Client.open(gateway.port, new)).close()


async def test_a_session_of_somebody_else_is_one_that_does_not_exist(tmp_path: Path) -> None:
    """
    Whose a session is, is checked below every route and frame, in the words for one that is not there.
    """
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway:
        async with gateway.http(gateway.token("bob")) as bob:
            assert 201 == (await bob.post("/sessions", json={"session": "bobs"})).status_code
            assert ["bobs"] == [each["session"] for each in (await bob.get("/sessions")).json()["rows"]]
        alice = await gateway.client("alice")
        there = (await alice.ask(frame="attach", session="bobs"))[-1]
        missing = (await alice.ask(frame="attach", session="none"))[-1]
        async with gateway.http(gateway.token("alice")) as client:
            listed = (await client.get("/sessions")).json()["rows"]

        assert missing["message"].replace("none", "bobs") == there["message"]
        assert ("no_session", missing["hint"]) == (there["code"], there["hint"])
        assert [] == listed


async def test_the_rate_is_limited_before_anybody_looks_at_credentials(tmp_path: Path) -> None:
    """
    On loopback too, with a right token too, and for sockets too.
    """
    limits = GatewayLimits(burst=5, each_second=0.001)
    async with engine(tmp_path) as made, running(made, tmp_path, limits) as gateway:
        token = gateway.token()
        async with gateway.http(token) as client:
            codes = [(await client.get("/sessions")).status_code for _ in range(7)]
        with pytest.raises(InvalidStatus) as refused:
            await Client.open(gateway.port, token)

        assert [200] * 5 + [429] * 2 == codes
        assert 429 == refused.value.response.status_code


async def test_what_is_no_frame_does_nothing_and_costs_little(tmp_path: Path) -> None:
    """
    Deep, long, wrong or unknown frames are told to be so; one that is too long ends the socket.
    """
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway:
        client = await gateway.client()
        for frame in ("[" * 100_000, '{"frame":"say","x":' + "[" * 90_000, "no", b"\xff\xfe", '{"frame":"new_kind"}'):
            await client.raw(frame)
            assert "bad_frame" == (await client.next())["code"]
        await client.raw("x" * 1_100_000)
        assert 1009 == await client.closed()


async def test_odd_requests_are_refused_and_the_gateway_goes_on(tmp_path: Path) -> None:
    """
    Paths that lead out, keys that look like paths, deletions without a body, long bodies and heads: each is refused.
    """
    limits = GatewayLimits(body_bytes=10_000)
    async with engine(tmp_path) as made, running(made, tmp_path, limits) as gateway:
        async with gateway.http(gateway.token()) as client:
            for path in (
                "/../../etc/passwd",
                "/%2e%2e/%2e%2e/etc/passwd",
                "/sessions/%2e%2e%2fx/events",
                "/login.js/..%2f",
            ):
                assert (await client.get(path)).status_code in {400, 404}, path
            assert 405 == (await client.delete("/sessions")).status_code
            long = '{"session":"' + "x" * 20_000 + '"}'
            answered = await client.post("/sessions", content=long, headers={"content-type": "application/json"})
            assert 413 == answered.status_code
            deep = "[" * 5_000
            answered = await client.post("/sessions", content=deep, headers={"content-type": "application/json"})
            assert 400 == answered.status_code
            assert 201 == (await client.post("/sessions", json={"session": "../../../outside"})).status_code
            assert ("../../../outside",) == await made.store.keys()
        async with gateway.http(gateway.token(), **{"x-long": "y" * 100_000}) as client:
            assert (await client.get("/health")).status_code in {400, 431}
        async with gateway.http() as client:
            assert "ok" == (await client.get("/health")).text


async def test_a_socket_that_says_nothing_is_ended(tmp_path: Path) -> None:
    """
    The first frame must come soon, and only so many sockets may be open without it.
    """
    limits = GatewayLimits(login_seconds=0.3, sockets_before_login=2)
    async with engine(tmp_path) as made, running(made, tmp_path, limits) as gateway:
        token = gateway.token()
        silent = [await Client.open(gateway.port, token) for _ in range(2)]
        with pytest.raises(InvalidStatus) as refused:
            await Client.open(gateway.port, token)

        assert 503 == refused.value.response.status_code
        assert [4002, 4002] == [await each.closed() for each in silent]
        await (await gateway.client(token=token)).close()
