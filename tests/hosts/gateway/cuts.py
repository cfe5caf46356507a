"""Connections that are cut at random moments, again and again, while replies stream.

`python -m tests.hosts.gateway.cuts` does it 1,000 times over the socket and 1,000 times over Server-Sent Events, and
kills the gateway thirty times.
"""

import asyncio
import random
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from websockets.exceptions import ConnectionClosed

from holdfast import Engine, open_store
from tests.agent.troupe import setup
from tests.engine.talker import OneModel
from tests.hosts.gateway.gateways import Client, Frame, Running, running

KEY = "talk"


class Reader:
    """What one client has, over all of its connections; it holds each frame to what was promised."""

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.finals: list[str] = []
        self.epoch = self.run = ""
        self.reply, self.text = -1, ""
        self.cuts = self.amid = 0
        self._news = asyncio.Event()

    async def reach(self, entries: int) -> None:
        """Wait until there are so many entries."""
        while len(self.entries) < entries:
            self._news.clear()
            await self._news.wait()

    @property
    def cursor(self) -> dict[str, object]:
        """What it attaches with."""
        draft = {"run": self.run, "reply": self.reply, "chars": len(self.text)} if self.reply >= 0 else None
        crc = self.entries[-1]["crc"] if self.entries else ""
        return {"after": len(self.entries) - 1, "epoch": self.epoch, "crc": crc, "draft": draft}

    def see(self, frame: Frame) -> None:
        """Take a frame, and check that it goes on where this client was."""
        match frame["frame"]:
            case "snapshot":
                self._begin(frame)
            case "entry":
                assert frame["position"] == len(self.entries), (frame, len(self.entries))
                self.entries.append(frame["entry"])
                self._news.set()
                if frame["entry"]["kind"] == "model_replied":
                    self._finish(frame["entry"])
            case "delta":
                if frame["reply"] != self.reply:
                    self.reply, self.text = frame["reply"], ""
                assert frame["offset"] == len(self.text), (frame, self.text)
                self.text += frame["text"]
            case _:
                pass

    def _begin(self, frame: Frame) -> None:
        assert self.epoch in {"", frame["epoch"]}
        assert frame["after"] == len(self.entries) - 1
        self.epoch = frame["epoch"]
        draft = frame["draft"]
        if draft is None:
            self.reply, self.text = -1, ""
            return
        self.amid += 1
        told = "".join(part["text"] for part in draft["parts"])
        assert draft["offset"] in {0, len(self.text)}, (draft, self.text)
        self.reply, self.text = draft["reply"], self.text[: draft["offset"]] + told

    def _finish(self, entry: Frame) -> None:
        final = "".join(part["text"] for part in entry["parts"] if part["kind"] in {"text", "thinking"})
        self.finals.append(final)
        if 0 <= self.reply <= entry["pos"]:
            assert final.startswith(self.text), (final, self.text)
            self.reply, self.text = -1, ""

    async def over_socket(self, gateway: Running, token: str, frames: int, last: int) -> None:
        """Connect, see so many frames or all up to a position, and be cut off."""
        client = await Client.open(gateway.port, token)
        with suppress(ConnectionClosed):
            await client.send(frame="connect", protocol=1)
            await client.send(frame="attach", session=KEY, **self.cursor)
            for _ in range(frames):
                frame = await client.next()
                if frame["frame"] == "hello":
                    self.run = frame["run"]
                else:
                    self.see(frame)
                if len(self.entries) > last:
                    break
        await client.cut()
        self.cuts += 1


class EventReader(Reader):
    """The same over Server-Sent Events."""

    def __init__(self) -> None:
        super().__init__()
        self.last = ""

    async def over_events(self, gateway: Running, token: str, events: int, last: int) -> None:
        """Connect, see so many events or all up to a position, and be cut off."""
        headers = {"last-event-id": self.last} if self.last else {}
        async with (
            gateway.http(token) as http,
            http.stream("GET", f"/sessions/{KEY}/events", headers=headers, timeout=60) as answer,
        ):
            assert 200 == answer.status_code
            number = ""
            async for line in answer.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "id":
                    number = value
                if name == "data":
                    self.see(msgspec.json.decode(value))
                    self.last = number
                    events -= 1
                if events < 0 or len(self.entries) > last:
                    break
        self.cuts += 1


async def cut(root: Path, times: int, *, events: bool = False, seed: int = 1) -> list[Reader]:
    """Cut connections so many times in all while a session talks, and compare what each client has with the log."""
    rolled = random.Random(seed)
    readers: list[Reader] = [EventReader() if events else Reader() for _ in range(8)]
    async with Engine(open_store(root / "store"), msgspec.structs.replace(setup(), models=OneModel())) as engine:
        conversation = await engine.open(KEY)

        async def talk() -> None:
            while True:
                await conversation.send("And then?")
                await conversation.idle()

        async with running(engine, root) as gateway:
            token = gateway.token()

            async def read(reader: Reader) -> None:
                while sum(each.cuts for each in readers) < times:
                    await look(reader, rolled.randrange(30))

            async def look(reader: Reader, frames: int, last: int = 1_000_000) -> None:
                if isinstance(reader, EventReader):
                    await reader.over_events(gateway, token, frames, last)
                else:
                    await reader.over_socket(gateway, token, frames, last)

            talking = asyncio.create_task(talk())
            await asyncio.gather(*map(read, readers))
            talking.cancel()
            await conversation.cancel()
            await conversation.idle()
            last = conversation.state.last
            for reader in readers:
                while len(reader.entries) <= last:
                    await look(reader, 1_000_000, last)
        records = await engine.store.load(KEY)
    lines = [msgspec.json.decode(record.raw) for record in records]
    for reader in readers:
        assert lines == reader.entries
    return readers


async def _main() -> None:
    for events in (False, True):
        with tempfile.TemporaryDirectory() as root:
            readers = await cut(Path(root), 1_000, events=events)
            cuts, amid = sum(each.cuts for each in readers), sum(each.amid for each in readers)
            name = "events" if events else "socket"
            sys.stdout.write(f"{name}: cut {cuts} times, {amid} of them in the middle of a reply: as the log says\n")


if __name__ == "__main__":
    asyncio.run(_main())
