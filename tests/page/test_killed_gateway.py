"""The page and a gateway that is killed: what is typed meanwhile is said once, and the login stays."""

import asyncio
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest
from playwright.async_api import async_playwright, expect

from tests.page.browsing import ARGUMENTS, CHROMIUM, say, until_shown

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")


async def served(home: Path, port: int) -> tuple[Process, str]:
    """A gateway as a process of its own, and the link that it prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "holdfast.hosts.main", "serve", "--port", str(port)),
        cwd=home,
        env={"HOME": str(home), "PATH": os.environ["PATH"], "HOLDFAST_MODEL": f"scripted:{home / 'script.jsonl'}"},
        stdout=PIPE,
    )
    assert process.stdout is not None
    while b"#login=" not in (line := await process.stdout.readline()):
        assert line, "the gateway ended"
    return process, line.decode().strip()


async def test_what_is_typed_while_the_gateway_is_dead_is_said_once(tmp_path: Path) -> None:
    """
    Killed with -9 and started again on the same port: the page comes back by itself, with every word.
    """
    (tmp_path / "script.jsonl").write_text('{"say": "Hello."}\n' * 8)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process, link = await served(tmp_path, port)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = await browser.new_page()
        await page.goto(link)
        await say(page, "First")
        await until_shown(page, "Hello.")
        process.send_signal(signal.SIGKILL)
        await process.wait()
        await say(page, "Second, while nobody answers")
        await until_shown(page, "not sent yet")
        await until_shown(page, "The gateway does not answer")
        process, _ = await served(tmp_path, port)
        await expect(page.locator(".turn-end")).to_have_count(2, timeout=40_000)
        await page.reload()
        await expect(page.locator(".turn-end")).to_have_count(2, timeout=40_000)

        assert ["First", "Second, while nobody answers"] == await page.locator(".bubble").all_inner_texts()
        await browser.close()
    process.send_signal(signal.SIGTERM)
    assert 0 == await asyncio.wait_for(process.wait(), 30)
