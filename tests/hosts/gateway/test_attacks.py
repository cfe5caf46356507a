"""What an attacker tries at every resource: nobody's, and somebody else's."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from holdfast import Engine, open_store
from holdfast.hosts.gateway.resource import Resource
from holdfast.hosts.gateway.routes import all_routes
from tests.agent.troupe import scripted, setup
from tests.hosts.gateway.gateways import running

BODIES = {"/sessions/{key}/rewind": {"to": 0}, "/sessions": {"session": "alices"}}
"""What a resource takes, where an empty object is not enough."""


def engine(root: Path) -> Engine:
    """An engine that is asked nothing."""
    return Engine(open_store(root / "store"), setup(scripted()))


def asked(resource: Resource, key: str) -> tuple[str, str, dict[str, object]]:
    """A request of a resource about a session: method, path and what goes with it."""
    path = resource.path.replace("{key}", quote(key, safe=""))
    for name in ("blob", "until", "signature", "name"):
        path = path.replace(f"{{{name}}}", "0" * 64)
    if resource.raw:
        return resource.method, path, {"content": b"x", "headers": {"x-holdfast-upload": "1"}}
    if resource.method in {"POST", "PATCH"}:
        return resource.method, path, {"json": BODIES.get(resource.path, {})}
    return resource.method, path, {}


def resources(*, about_a_session: bool) -> Iterator[Resource]:
    """The resources that need a login."""
    return (each for each in all_routes().resources if not each.open and ("{key}" in each.path) >= about_a_session)


async def test_every_resource_needs_a_login(tmp_path: Path) -> None:
    """
    What is not said to be open in the table answers nobody, whatever they send in its place.
    """
    wrong: tuple[dict[str, str], ...] = (
        {},
        {"authorization": "Bearer"},
        {"authorization": "Bearer 00000000.x"},
        {"x-holdfast-secret": "x"},
        {"cookie": "holdfast=x", "x-holdfast-secret": "x"},
        {"authorization": "Bearer " + "x" * 5_000},
    )
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway, gateway.http() as client:
        for resource in resources(about_a_session=False):
            method, path, more = asked(resource, "bobs")
            for headers in wrong:
                sent = {**more, "headers": {**more.get("headers", {}), **headers}}  # type: ignore[dict-item]
                answered = await client.request(method, path, **sent)  # type: ignore[arg-type]
                assert 401 == answered.status_code, (method, path, headers)


async def test_somebody_elses_session_answers_as_one_that_is_not_there(tmp_path: Path) -> None:
    """
    At every resource about a session; the answer does not tell whether there is one.
    """
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway:
        async with gateway.http(gateway.token("bob")) as bob:
            assert 201 == (await bob.post("/sessions", json={"session": "bobs"})).status_code
        before = [each async for each in made.store.read("bobs")]
        async with gateway.http(gateway.token("alice")) as alice:
            for resource in resources(about_a_session=True):
                answers = []
                for key in ("bobs", "none"):
                    method, path, more = asked(resource, key)
                    answered = await alice.request(method, path, **more)  # type: ignore[arg-type]
                    answers.append((answered.status_code, answered.text.replace(key, "KEY")))
                assert 404 == answers[0][0], (resource.method, resource.path, answers)
                assert answers[1] == answers[0], (resource.method, resource.path)
        assert ("bobs",) == await made.store.keys()
        assert before == [each async for each in made.store.read("bobs")]


async def test_a_link_to_a_file_opens_that_file_and_nothing_else(tmp_path: Path) -> None:
    """
    Any part that is changed makes the link void, and so does a part that is moved into its neighbour.
    """
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway, gateway.http(gateway.token()) as client:
        await client.post("/sessions", json={"session": "mine"})
        await client.post("/sessions", json={"session": "other"})
        kept = await client.post("/sessions/mine/attachments", content=b"tides", headers={"x-holdfast-upload": "1"})
        blob = kept.json()["blob"]
        url = (await client.post(f"/sessions/mine/attachments/{blob}/link", json={})).json()["url"]
        _, _, key, name, until, signature = url.split("/")
        async with gateway.http() as nobody:
            assert b"tides" == (await nobody.get(url)).content
            for parts in (
                ("other", name, until, signature),
                (key, name[:-1] + "0", until, signature),
                (key, name, str(int(until) + 1), signature),
                (key, name, f"0{until}", signature),
                (key, name, until, signature[:-1] + ("0" if signature[-1] != "0" else "1")),
                (key, name, until, "%00"),
                (key, name, until, "é"),
                (key, name, "x", signature),
                (key, f"{name}:{until[:4]}", until[4:], signature),
                (key[:-1], key[-1] + name, until, signature),
            ):
                assert 403 == (await nobody.get("/files/" + "/".join(parts))).status_code, parts
            for odd in ("..%2f..%2f..%2fetc%2fpasswd", "%00", "x" * 3_000, f"{name}:1"):
                given = await client.post(f"/sessions/mine/attachments/{odd}/link", json={})
                code = (await nobody.get(given.json()["url"])).status_code if given.status_code == 200 else 0
                assert code in {0, 400, 403, 404}, odd


@pytest.mark.parametrize("folder", ["/assets/", "/"])
async def test_no_name_of_a_file_leads_out_or_breaks_anything(tmp_path: Path, folder: str) -> None:
    """
    Names with folders, zero bytes, backslashes, or of any length are names of no file.
    """
    names = (
        "..%2findex.html",
        "..%2f..%2fserver.py",
        "..%5cindex.html",
        "%2e%2e%2flogin.js",
        "%00.js",
        "a%00.css",
        "x" * 5_000 + ".js",
        "%ff%fe.js",
        ".js",
        "con.js",
        "a%0d%0aset-cookie:x.js",
        "%252e%252e%252findex.html",
    )
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway, gateway.http() as client:
        for name in names:
            answered = await client.get(folder + name)
            assert answered.status_code in {400, 401, 404}, (name[:40], answered.status_code)
            assert "set-cookie" not in answered.headers


async def test_wrong_bodies_and_numbers_are_told_to_be_so(tmp_path: Path) -> None:
    """
    Deep, broken or foreign JSON, and numbers out of every range: none of them is a fault of the gateway.
    """
    texts = (
        b"[" * 9_000,
        b'{"a":' * 4_000,
        b"\xff\xfe",
        b'{"session":"\\ud800"}',
        b'{"to":1e999}',
        b"null",
        b"",
        b"NaN",
        b'{"to":99999999999999999999}',
    )
    async with engine(tmp_path) as made, running(made, tmp_path) as gateway, gateway.http(gateway.token()) as client:
        await client.post("/sessions", json={"session": "mine"})
        json = {"content-type": "application/json"}
        for resource in all_routes().resources:
            if resource.body is None:
                continue
            method, path, _ = asked(resource, "mine")
            for text in texts:
                answered = await client.request(method, path, content=text, headers=json)
                assert answered.status_code < 500, (method, path, text[:30], answered.text[:200])
        for number in ("-1", "x", "99999999999999999999", "1e5", "%00", "", "\u0663"):
            for path in (
                "/sessions/mine/entries?after=",
                "/sessions/mine/entries?before=",
                "/sessions/mine/entries?limit=",
                "/sessions?limit=",
                "/search?q=x&limit=",
                "/search?q=",
                "/sessions?after=",
            ):
                answered = await client.get(path + number)
                assert answered.status_code < 500, (path, number, answered.text[:200])
