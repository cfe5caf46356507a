"""How little is loaded before the request of a command leaves."""

import asyncio
import re
import sys
from pathlib import Path

from tests.hosts.processes import environment
from tests.providers.servers import Played, piece, serving, sse

HEAVY = {"anyio", "httpcore2", "httpx2", "markdown_it", "prompt_toolkit", "pydantic", "pygments", "xllamacpp"}
BESIDE = {"holdfast.hosts.slash", "holdfast.hosts.terminal", "holdfast.session.export.html"}


async def test_one_answer_loads_no_other_client_and_no_terminal(tmp_path: Path) -> None:
    """
    Nearly all of the time until the request is the loading of code, so what is not needed for it stays out.
    """
    async with serving(Played(chunks=(sse(piece("Yes."), piece(stop="stop")),))) as server:
        asking = await asyncio.create_subprocess_exec(
            *(sys.executable, "-X", "importtime", "-m", "holdfast.hosts.command", "-p", "Hello", "--model", "openai:x"),
            cwd=tmp_path,
            env=environment(tmp_path / "store", HOME=str(tmp_path), OPENAI_API_KEY="x", OPENAI_BASE_URL=server.url),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        _, told = await asking.communicate()
    loaded = set(re.findall(r"^import time:.*\| +([\w.]+)$", told.decode(), flags=re.MULTILINE))

    assert (0, 1) == (asking.returncode, len(server.asked))
    assert "h11" in loaded
    assert set() == loaded & (HEAVY | BESIDE)
