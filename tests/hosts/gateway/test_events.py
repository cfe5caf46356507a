"""Server-Sent Events: what a reader leaves behind."""

import asyncio
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from holdfast import Described, Engine, open_volatile
from holdfast.hosts.gateway.gateway import Gateway
from holdfast.hosts.gateway.routes import all_routes
from tests.agent.troupe import scripted, setup
from tests.hosts.gateway.gateways import running


async def test_a_reader_that_went_before_the_first_event_watches_nothing(tmp_path: Path) -> None:
    """
    Its view ends with its request, so the session is not held open for somebody who is not there.
    """
    told: list[MutableMapping[str, Any]] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def gone() -> MutableMapping[str, Any]:
        return told.pop() if told else {"type": "http.disconnect"}

    async def unheard(_message: MutableMapping[str, Any]) -> None:
        await asyncio.sleep(0)  # as where what was sent before is not read

    async with Engine(open_volatile(), setup(scripted())) as engine, running(engine, tmp_path) as gateway:
        conversation = await engine.begin("talk", Described())
        path = "/sessions/talk/events"
        headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {gateway.token()}".encode())]
        scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""}
        peer = {"headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2), "scheme": "http"}
        await Gateway(gateway.service, all_routes())({**scope, **peer, "asgi": {"spec_version": "2.3"}}, gone, unheard)

        assert not conversation.used
