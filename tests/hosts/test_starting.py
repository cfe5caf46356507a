"""How little is loaded before the request of a command leaves."""

import asyncio
import re
import sys
from pathlib import Path

import pytest

from tests.hosts.processes import environment
from tests.providers.anthropic_server import message, text
from tests.providers.gemini_server import answer as content
from tests.providers.servers import Played, piece, serving, sse
from tests.providers.stand_in import Answer, StandIn

HEAVY = {"anyio", "httpcore2", "httpx2", "markdown_it", "prompt_toolkit", "pydantic", "pygments", "xllamacpp"}
BESIDE = {
    "holdfast.commands.run",
    "holdfast.commands.answers",
    "holdfast.hosts.cli.output",
    "holdfast.hosts.terminal",
    "holdfast.session.export.to_html",
}


async def test_one_answer_loads_no_other_client_and_no_terminal(tmp_path: Path) -> None:
    """
    Nearly all of the time until the request is the loading of code, so what is not needed for it stays out.
    """
    async with serving(Played(chunks=(sse(piece("Yes."), piece(stop="stop")),))) as server:
        asking = await asyncio.create_subprocess_exec(
            *(sys.executable, "-X", "importtime", "-m", "holdfast.hosts.main", "-p", "Hello", "--model", "openai:x"),
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


@pytest.mark.parametrize(
    ("model", "key", "address", "answer"),
    [
        ("claude-opus-5-5", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", message(text("Yes."))),
        ("gemini-4-argon", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", content({"text": "Yes."})),
    ],
)
async def test_claude_and_gemini_answer_with_their_key_alone(
    model: str, key: str, address: str, answer: Answer, tmp_path: Path
) -> None:
    """
    Neither needs a package beside what OpenAI needs, and nothing of one is loaded.
    """
    async with StandIn(answer) as there:
        asking = await asyncio.create_subprocess_exec(
            *(sys.executable, "-X", "importtime", "-m", "holdfast.hosts.main", "-p", "Hello"),
            cwd=tmp_path,
            env=environment(
                tmp_path / "store", HOME=str(tmp_path), HOLDFAST_MODEL=model, **{key: "k", address: there.url}
            ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        said, told = await asking.communicate()
    loaded = set(re.findall(r"^import time:.*\| +([\w.]+)$", told.decode(), flags=re.MULTILINE))

    assert (0, "Yes.") == (asking.returncode, said.decode().strip())
    assert [model] == [body.get("model", model) for body in there.bodies]
    assert set() == loaded & (HEAVY | BESIDE | {"pydantic_ai", "anthropic", "google.genai"})


async def test_a_command_on_the_store_loads_no_agent_and_no_chat(tmp_path: Path) -> None:
    """
    A list is there at once: neither the agent nor the commands of a chat are loaded for it.
    """
    for words in (["--help"], ["sessions"], ["trash"], ["search", "harbour"]):
        asking = await asyncio.create_subprocess_exec(
            *(sys.executable, "-X", "importtime", "-m", "holdfast.hosts.main", *words),
            env=environment(tmp_path / "store", HOME=str(tmp_path)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        _, told = await asking.communicate()
        loaded = set(re.findall(r"^import time:.*\| +([\w.]+)$", told.decode(), flags=re.MULTILINE))

        assert 0 == asking.returncode
        assert set() == loaded & {
            "holdfast.agent.conversation",
            "holdfast.commands.chat_table",
            "holdfast.hosts.terminal",
        }
