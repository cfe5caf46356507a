"""Stand-ins for Anthropic, Gemini and OpenAI on loopback, for programs in other processes."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager

from tests.providers import anthropic_server, gemini_server
from tests.providers.stand_in import Answer, Asked, Json, StandIn, data, said

OPENAI_KEY = "sk-a-key-nobody-may-see"
KEYS = {
    "anthropic": ("ANTHROPIC_API_KEY", anthropic_server.KEY),
    "google": ("GEMINI_API_KEY", gemini_server.KEY),
    "openai": ("OPENAI_API_KEY", OPENAI_KEY),
}
"""The variable that each service's key is put into, and the one key that it knows."""
MANY = 100
"""Answers that each has ready."""


def words(service: str) -> str:
    """What a service answers."""
    return f"Hello from the stand-in of {service}."


@contextmanager
def stand_ins() -> Iterator[Mapping[str, str]]:
    """The address of each service, as it stands in the settings."""
    openai = StandIn(*[_completion("openai")] * MANY, refuse=_refuse)
    claude = anthropic_server.text(words("anthropic"))
    servers = {
        "anthropic": anthropic_server.anthropic(*[anthropic_server.message(claude)] * MANY),
        "google": gemini_server.gemini(*[gemini_server.answer({"text": words("google")})] * MANY),
        "openai": openai,
    }
    with _in_a_thread(*servers.values()):
        yield {name: each.url + ("/v1" if name == "openai" else "") for name, each in servers.items()}


@contextmanager
def ollama() -> Iterator[str]:
    """The address of an Ollama that has one model, as it stands in `OLLAMA_HOST`."""
    server = StandIn(*[_completion("ollama")] * MANY, refuse=_tags)
    with _in_a_thread(server):
        yield server.url


@contextmanager
def _in_a_thread(*servers: StandIn) -> Iterator[None]:
    loop, ready, over = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with AsyncExitStack() as stack:
            for each in servers:
                await stack.enter_async_context(each)
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), name="stand-ins")
    thread.start()
    try:
        ready.wait()
        yield
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


def _completion(service: str) -> Answer:
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    spoken = [
        {**chunk, "choices": [{"index": 0, "delta": {"role": "assistant", "content": words(service)}}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    return Answer([data(*spoken), b"data: [DONE]\n\n"])


def _tags(asked: Asked) -> Answer | None:
    models: list[Json] = [{"name": "qwen3:8b", "modified_at": "2026-11-01T00:00:00Z", "details": {"family": "qwen3"}}]
    return said(200, {"models": models}, connection="close") if asked.path == "/api/tags" else None


def _refuse(asked: Asked) -> Answer | None:
    if asked.path != "/v1/chat/completions":
        return said(404, {"error": {"message": f"Nothing is at {asked.path}."}})
    wrong: Json = {"error": {"message": "Incorrect API key provided.", "code": "invalid_api_key"}}
    return None if asked.headers.get("authorization") == f"Bearer {OPENAI_KEY}" else said(401, wrong)
