"""`holdfast serve` in a process of its own, which is killed and started again: `python -m tests.hosts.gateway.serving`.

It says things through all of that, each until it is acknowledged, and compares what the log has in the end.
"""

import asyncio
import json
import random
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from holdfast import open_store
from tests.hosts.gateway.cuts import Reader
from tests.hosts.gateway.gateways import Client, said
from tests.hosts.processes import COMMAND, environment

KEY = "talk"
SCRIPT = {"when": "tell", "say": "Once upon a time there was a harbour with many boats. " * 6, "delay": 0.004}


class Served:
    """The process, on one port over all of its lives."""

    def __init__(self, root: Path) -> None:
        script = root / "script.jsonl"
        script.write_text(json.dumps(SCRIPT) + "\n")
        self.root = root
        self.workspace = root / "workspace"
        self.workspace.mkdir()
        self.environment = environment(root / "store", HOME=str(root), HOLDFAST_MODEL=f"scripted:{script}")
        self.port = 0
        self.link = ""
        self._process: subprocess.Popen[str] | None = None

    def start(self, *options: str) -> None:
        """Start it, and wait until it listens."""
        command = [*COMMAND, "serve", "--port", str(self.port), *options]
        self._process = subprocess.Popen(
            command, env=self.environment, cwd=self.workspace, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if "#login=" in line:
                self.link = line.strip()
                self.port = int(self.link.partition("127.0.0.1:")[2].partition("/")[0])
                return
        raise AssertionError(self._process.communicate())

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """Send a signal and wait for the end: its exit code, and what it said on standard error."""
        self.signal(number)
        return self.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self) -> tuple[int, str]:
        """Wait for the end."""
        assert self._process is not None
        _, told = self._process.communicate(timeout=60)
        return self._process.returncode, told

    def run(self, *words: str) -> str:
        """Another command on the same store."""
        done = subprocess.run(
            [*COMMAND, *words], env=self.environment, cwd=self.workspace, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()


async def connected(served: Served, token: str) -> Client:
    """A client that has connected, however often that takes while the gateway starts."""
    while True:
        try:
            client = await Client.open(served.port, token)
        except (OSError, InvalidHandshake, InvalidMessage):
            await asyncio.sleep(0.02)
            continue
        await client.send(frame="connect", protocol=1)
        return client


async def speak(served: Served, token: str, reader: Reader, messages: int) -> list[str]:
    """Say so many messages, each until it is acknowledged, and read along, over all lives of the gateway."""
    waiting = [f"m{number}" for number in range(messages)]
    while waiting:
        client = await connected(served, token)
        with suppress(ConnectionClosed, TimeoutError):
            await client.send(frame="attach", session=KEY, **reader.cursor)
            await client.send(frame="say", session=KEY, id=waiting[0], parts=said(f"tell {waiting[0]}"))
            while waiting:
                frame = await client.next()
                if frame["frame"] == "hello":
                    reader.run = frame["run"]
                reader.see(frame)
                if frame["frame"] == "done" and frame["id"] == waiting[0]:
                    waiting.pop(0)
                    if waiting:
                        await client.send(frame="say", session=KEY, id=waiting[0], parts=said(f"tell {waiting[0]}"))
        await client.cut()
    return [f"m{number}" for number in range(messages)]


async def killed(root: Path, kills: int, messages: int, seed: int = 1) -> Reader:
    """Kill the gateway so many times while messages are said, and compare the log with what the client has."""
    rolled = random.Random(seed)
    served = Served(root)
    await asyncio.to_thread(served.start)
    token = served.run("serve", "--token", "test")
    reader = Reader()
    try:
        async with open_store(root / "store") as store, store.session(KEY):
            pass
        speaking = asyncio.create_task(speak(served, token, reader, messages))
        for _ in range(kills):
            had = len(reader.entries)
            wanted = had + rolled.randrange(1, 4)
            growing = asyncio.create_task(reader.reach(wanted))
            await asyncio.wait([growing, speaking], return_when=asyncio.FIRST_COMPLETED)
            growing.cancel()
            await asyncio.to_thread(served.end, signal.SIGKILL)
            await asyncio.to_thread(served.start)
        ids = await asyncio.wait_for(speaking, 120)
    finally:
        code, told = await asyncio.to_thread(served.end, signal.SIGTERM)
    assert 0 == code, told
    async with open_store(root / "store") as store:
        lines = [msgspec.json.decode(record.raw) for record in await store.load(KEY)]
    assert ids == [line["client_id"] for line in lines if line["kind"] == "user_said"]
    assert lines[: len(reader.entries)] == reader.entries
    return reader


async def _main() -> None:
    with tempfile.TemporaryDirectory() as root:
        reader = await killed(Path(root), 30, 60)
        sys.stdout.write(f"killed 30 times: 60 messages once each, {len(reader.entries)} entries as the log says\n")


if __name__ == "__main__":
    asyncio.run(_main())
