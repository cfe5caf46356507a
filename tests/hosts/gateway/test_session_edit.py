"""What can be asked over HTTP about a session: pages of its log, search, changes, forks and rewinding."""

from pathlib import Path

from holdfast import Described, Engine, open_store, open_volatile
from tests.agent.troupe import scripted, setup, turn
from tests.hosts.gateway.gateways import running


async def test_pages_of_the_log_have_every_entry_once(tmp_path: Path) -> None:
    """
    Backwards from a position and forwards; each entry is the line of the log, in the form of a frame.
    """
    async with Engine(open_volatile(), setup(scripted("One.", "Two."))) as engine, running(engine, tmp_path) as gateway:
        conversation = await engine.begin("a/b c", Described(title="T"))
        await turn(conversation, "first")
        await turn(conversation, "second")
        last = conversation.state.last
        async with gateway.http(gateway.token()) as client:
            path, before = "/sessions/a%2Fb%20c/entries", last + 1
            seen: list[int] = []
            while before > 0:
                page = (await client.get(path, params={"before": before, "limit": 3})).json()["entries"]
                seen = [each["position"] for each in page] + seen
                before = seen[0]
            forward = (await client.get(path, params={"after": 1, "limit": 2})).json()["entries"]
            wrong = await client.get(path, params={"before": "-1"})

        assert list(range(last + 1)) == seen
        assert [2, 3] == [each["position"] for each in forward]
        assert "a/b c" == forward[0]["session"]
        assert 400 == wrong.status_code


async def test_a_session_is_changed_forked_rewound_and_removed(tmp_path: Path) -> None:
    """
    Each has its way back; nobody else can do any of it.
    """
    async with Engine(open_volatile(), setup(scripted("One.", "Two."))) as engine, running(engine, tmp_path) as gateway:
        conversation = await engine.begin("talk", Described())
        await turn(conversation, "first")
        before = conversation.state.head
        await turn(conversation, "second")
        async with gateway.http(gateway.token()) as client, gateway.http(gateway.token("bob", "b")) as bob:
            for method, path, body in (
                ("PATCH", "/sessions/talk", {"title": "x"}),
                ("POST", "/sessions/talk/fork", {}),
                ("POST", "/sessions/talk/rewind", {"to": 0}),
                ("DELETE", "/sessions/talk", None),
                ("GET", "/sessions/talk/entries", None),
                ("POST", "/trash/talk", {}),
            ):
                refused = await bob.request(method, path, json=body)
                assert refused.status_code in {400, 404}, path
            assert 204 == (await client.patch("/sessions/talk", json={"title": " Boats ", "pinned": True})).status_code
            fork = (await client.post("/sessions/talk/fork", json={"at": before})).json()["session"]
            there = (await client.post("/sessions/talk/rewind", json={"to": before})).json()
            back = (await client.request("DELETE", "/sessions/talk/rewind")).json()
            rows = {row["session"]: row for row in (await client.get("/sessions")).json()["rows"]}
            found = (await client.get("/search", params={"q": "second"})).json()["hits"]
            name = (await client.request("DELETE", "/sessions/talk")).json()["name"]
            gone = await client.get("/sessions/talk/entries")
            await client.post(f"/trash/{name}", json={})
            again = await client.get("/sessions/talk/entries")

        assert ("Boats", True) == (rows["talk"]["title"], rows["talk"]["pinned"])
        assert before < there["position"] < back["position"]
        assert before < (await engine.store.state(fork)).last
        assert {"talk"} == {each["session"] for each in found}
        assert [404, 200] == [gone.status_code, again.status_code]


async def test_slash_commands_are_told(tmp_path: Path) -> None:
    """
    Those that a client can run; none that needs a terminal or files of the person's machine.
    """
    async with (
        Engine(open_volatile(), setup(scripted())) as engine,
        running(engine, tmp_path) as gateway,
        gateway.http(gateway.token()) as client,
    ):
        commands = {each["name"]: each for each in (await client.get("/commands")).json()["commands"]}

    assert "/fork" == commands["fork"]["usage"].split()[0]
    assert "quit" not in commands


async def test_a_fork_belongs_to_whoever_made_it(tmp_path: Path) -> None:
    """
    One that would not say whose it is would be of the person of the machine, so it is refused.
    """
    async with Engine(open_volatile(), setup(scripted())) as engine, running(engine, tmp_path) as gateway:
        async with gateway.http(gateway.token("bob", "b")) as bob, gateway.http(gateway.token()) as own:
            await bob.post("/sessions", json={"session": "talk"})
            early = await bob.post("/sessions/talk/fork", json={"at": 0, "session": "early"})
            before = await bob.post("/sessions/talk/fork", json={"at": -1, "session": "before"})
            later = await bob.post("/sessions/talk/fork", json={"at": 1, "session": "later"})
            rows = (await own.get("/sessions")).json()["rows"]

        assert [400, 400, 201] == [early.status_code, before.status_code, later.status_code]
        assert not rows
        assert "bob" == (await engine.state("later")).owner


async def test_a_session_that_was_begun_here_is_given_back(tmp_path: Path) -> None:
    """
    Once nobody uses it, another program can open it while the gateway runs.
    """
    async with (
        Engine(open_store(tmp_path / "store"), setup(scripted()), idle_seconds=0.01) as engine,
        running(engine, tmp_path) as gateway,
        gateway.http(gateway.token()) as client,
        open_store(tmp_path / "store") as other,
    ):
        await client.post("/sessions", json={"session": "talk"})
        session = await other.open("talk", create=False, wait=30)
        await session.close()


async def test_nothing_is_changed_while_the_gateway_stops(tmp_path: Path) -> None:
    """
    What would change anything is refused and can be asked again; what only reads is answered.
    """
    async with (
        Engine(open_volatile(), setup(scripted("One."))) as engine,
        running(engine, tmp_path) as gateway,
        gateway.http(gateway.token()) as client,
    ):
        await engine.begin("talk", Described())
        await gateway.service.drain(0)
        for method, path, body in (
            ("POST", "/sessions", {"session": "new"}),
            ("PATCH", "/sessions/talk", {"title": "x"}),
            ("POST", "/sessions/talk/fork", {}),
            ("POST", "/sessions/talk/rewind", {"to": 0}),
            ("DELETE", "/sessions/talk", None),
        ):
            refused = await client.request(method, path, json=body)
            assert (503, "stopping") == (refused.status_code, refused.json()["error"]["code"]), path
        assert 200 == (await client.get("/sessions/talk/entries")).status_code
        assert ["talk"] == [each.key for each in (await engine.store.list()).sessions]


async def test_a_disk_that_takes_no_more_is_told(tmp_path: Path) -> None:
    """
    What the machine refuses is an answer with its reason.
    """
    async with (
        Engine(open_volatile(), setup(scripted())) as engine,
        running(engine, tmp_path / "gateway") as gateway,
        gateway.http(gateway.token()) as client,
    ):
        await engine.begin("talk", Described())
        (tmp_path / "gateway" / "marks.jsonl").mkdir()
        failed = await client.patch("/sessions/talk", json={"pinned": True})

        assert 500 == failed.status_code
        assert "directory" in failed.json()["error"]["message"]
