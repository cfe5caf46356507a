"""Files of messages: in as a stream, out by a signed link, and never as something that runs."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast import Described, Engine, open_volatile
from holdfast.hosts.gateway.resources.attachments import UPLOAD_BYTES, name_of, type_of
from tests.agent.troupe import scripted, setup
from tests.hosts.gateway.gateways import running

PNG = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR\0\0\0\1\0\0\0\1" + b"\0" * 20 + b"IEND\xaeB`\x82"
UPLOAD = {"x-holdfast-upload": "1"}


async def test_a_file_is_kept_and_shown_by_a_link(tmp_path: Path) -> None:
    """
    A picture is shown as what it is; everything else is downloaded, whatever its name says.
    """
    async with Engine(open_volatile(), setup(scripted())) as engine, running(engine, tmp_path) as gateway:
        await engine.begin("talk", Described())
        async with gateway.http(gateway.token()) as client:
            shown = []
            for name, data in (("../../boat.png", PNG), ("page.html", b"<script>alert(1)</script>")):
                sent = await client.post(
                    "/sessions/talk/attachments", params={"name": name}, content=data, headers=UPLOAD
                )
                kept = sent.json()
                link = await client.post(f"/sessions/talk/attachments/{kept['blob']}/link", json={})
                async with gateway.http() as nobody:
                    found = await nobody.get(link.json()["url"])
                    torn = await nobody.get(link.json()["url"][:-1] + "x")
                shown.append((kept["name"], kept["media_type"], found.headers["content-type"], found.content == data))
                assert 403 == torn.status_code
                assert "nosniff" == found.headers["x-content-type-options"]
                assert "sandbox" in found.headers["content-security-policy"]

        assert [
            ("boat.png", "image/png", "image/png", True),
            ("page.html", "text/plain", "application/octet-stream", True),
        ] == shown


async def test_a_file_that_is_too_long_or_not_asked_for_is_refused(tmp_path: Path) -> None:
    """
    It is refused before all of it is read; a form of another page cannot send one; nobody sees another person's.
    """
    async with Engine(open_volatile(), setup(scripted())) as engine, running(engine, tmp_path) as gateway:
        await engine.begin("talk", Described())

        async def endless() -> AsyncIterator[bytes]:
            for _ in range(UPLOAD_BYTES // 1_000_000 + 2):
                yield b"x" * 1_000_000

        async with gateway.http(gateway.token()) as client, gateway.http(gateway.token("bob", "b")) as bob:
            long = await client.post("/sessions/talk/attachments", content=endless(), headers=UPLOAD)
            empty = await client.post("/sessions/talk/attachments", content=b"", headers=UPLOAD)
            form = await client.post("/sessions/talk/attachments", content=b"x")
            foreign = await bob.post("/sessions/talk/attachments", content=b"x", headers=UPLOAD)
            link = await bob.post("/sessions/talk/attachments/abc/link", json={})

        assert [413, 400, 400, 404, 404] == [each.status_code for each in (long, empty, form, foreign, link)]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (PNG, "image/png"),
        (b"%PDF-1.7", "application/pdf"),
        (b"<?xml version='1.0'?><svg onload='x'/>", "image/svg+xml"),
        (b"see <svg> in a text", "text/plain"),
        (b"a\0b", "application/octet-stream"),
        (b"\xff\xfe", "application/octet-stream"),
    ],
)
def test_what_a_file_is_its_bytes_say(data: bytes, kind: str) -> None:
    """
    Never its name, and never who sent it.
    """
    assert kind == type_of(data)


@pytest.mark.parametrize(
    ("given", "name"),
    [("../../etc/passwd", "passwd"), ("C:\\x\\boat.png", "boat.png"), ("a\r\nb", "a␍ b"), ("x" * 500, "x" * 120)],
)
def test_a_name_leaves_no_folder(given: str, name: str) -> None:
    """
    Nor does it forge a line.
    """
    assert name == name_of(given)
