"""A browser on a gateway in this process, and a model that speaks when the test lets it."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright

from holdfast import Engine, open_volatile
from holdfast.model.protocol import Delta, Request
from holdfast.providers.scripted.model import Cue, ScriptedModel
from tests.agent.troupe import TARGET, PlainTool, setup
from tests.hosts.gateway.gateways import Running, running

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or ""
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
PATIENCE = 20_000.0
"""Milliseconds in which something has to be seen."""


class PacedModel(ScriptedModel):
    """A scripted model that waits after some pieces until it may go on."""

    def __init__(self, *script: Cue, pieces: int | None = None) -> None:
        super().__init__(TARGET, *script)
        self._pieces = pieces
        self.may_go_on = asyncio.Event()

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        number = 0
        async for delta in super().stream(request):
            yield delta
            number += 1
            if number == self._pieces:
                await self.may_go_on.wait()


class Line:
    """A connection between a browser and a gateway that can be cut."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._writers: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    async def start(self) -> int:
        """Listen; gives the port."""
        self._server = await asyncio.start_server(self._joined, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _joined(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers += [writer, there_writer]
        await asyncio.gather(_copied(reader, there_writer), _copied(there_reader, writer))

    def cut(self) -> None:
        """Break every connection off."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    def close(self) -> None:
        """Take no more connections."""
        self.cut()
        if self._server is not None:
            self._server.close()


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()


class Visitor:
    """A person with a browser."""

    def __init__(self, gateway: Running, browser: Browser, line: Line, port: int) -> None:
        self.gateway, self.browser, self.line = gateway, browser, line
        self.url = f"http://127.0.0.1:{port}"
        self.problems: list[str] = []
        """What the pages complained about."""

    def link(self) -> str:
        """A link that logs in."""
        return f"{self.url}/#login={self.gateway.service.logins.link('')}"

    async def page(self, address: str = "", *, width: int = 1280, height: int = 800, **more: str) -> Page:
        """A browser of its own on the page, logged in."""
        context = await self.browser.new_context(viewport={"width": width, "height": height}, **more)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        page = await context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda told: self.problems.append(told.text) if told.type == "error" else None)
        await page.goto(address or self.link())
        return page


@asynccontextmanager
async def visiting(tmp_path: Path, *models: ScriptedModel, tools: tuple[PlainTool, ...] = ()) -> AsyncIterator[Visitor]:
    """A gateway with a scripted agent, and a browser."""
    async with (
        Engine(open_volatile(), setup(*models, tools=tools)) as engine,
        running(engine, tmp_path) as gateway,
        async_playwright() as playwright,
    ):
        line = Line(gateway.port)
        port = await line.start()
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            yield Visitor(gateway, browser, line, port)
        finally:
            await browser.close()
            line.close()


async def say(page: Page, words: str) -> None:
    """Type a message, and send it."""
    await page.get_by_label("Message", exact=True).fill(words)
    await page.keyboard.press("Enter")


async def until_shown(page: Page, words: str) -> None:
    """Wait until some words can be seen."""
    await page.get_by_text(words).first.wait_for()


AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


async def what_hinders(page: Page) -> list[str]:
    """What hinders people with screen readers, bad eyes or no mouse, as axe finds it."""
    await page.evaluate(AXE.read_text())
    found = await page.evaluate("axe.run().then(result => result.violations)")
    return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]
