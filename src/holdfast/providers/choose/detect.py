"""Detects what can be asked here without a setting: keys in the environment, and a running Ollama."""

import asyncio
import ssl
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from urllib.parse import urlsplit

import msgspec

from holdfast.providers.services import SERVICES, Service, ollama_host

PROBE_SECONDS = 1.0
"""How long Ollama has to answer. It takes a few thousandths of a second, and far longer on a machine that is busy."""
_OK = b" 200 "
_NO_CHAT = ("embed", "bert", "minilm", "bge-", "rerank", "whisper")
"""What stands in the names and families of models that do not chat."""


class _Details(msgspec.Struct):
    family: str | None = None


class _Model(msgspec.Struct):
    name: str = ""
    modified_at: str = ""
    remote_host: str | None = None
    details: _Details | None = None


class _Tags(msgspec.Struct):
    models: list[_Model] | None = None


def with_keys(environment: Mapping[str, str]) -> Iterator[Service]:
    """The services that the environment has a key for, in the order they are preferred."""
    # A key for a server of one's own does not say that it runs.
    return (
        service
        for service in SERVICES.values()
        if not (service.keyless and service.way == "compatible") and service.key(environment)
    )


def is_installed(service: Service) -> bool:
    """Whether the packages are here that a service needs."""
    try:
        return all(find_spec(module) is not None for module in service.needs)
    except ModuleNotFoundError:  # of a module inside a package that is not here
        return False


async def ollama_models(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The models that a running Ollama can chat with, the one changed last first; none if it does not answer."""
    with suppress(OSError, TimeoutError, ValueError, msgspec.DecodeError):
        async with asyncio.timeout(PROBE_SECONDS):
            answer = await _get(f"{ollama_host(environment)}/api/tags")
        tags = msgspec.json.decode(answer, type=_Tags)
        # A model of Ollama's cloud needs an account, so it comes after those that are here.
        known = sorted(tags.models or (), key=lambda model: model.modified_at, reverse=True)
        known.sort(key=lambda model: bool(model.remote_host))
        return tuple(model.name for model in known if _chats(model))
    return ()


async def _get(url: str) -> bytes:
    """The body of a page. One request to this machine is not worth the time that loading an HTTP client takes."""
    parts = urlsplit(url)
    tls = ssl.create_default_context() if parts.scheme == "https" else None
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port, ssl=tls)
    try:
        # The old version of HTTP, because an answer to it comes in one piece and ends with the connection.
        writer.write(f"GET {parts.path} HTTP/1.0\r\nHost: {parts.netloc}\r\nAccept: application/json\r\n\r\n".encode())
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        writer.transport.abort()
    if _OK not in head.split(b"\r\n", 1)[0]:
        raise ValueError(f"{url} did not answer.")
    return body


def _chats(model: _Model) -> bool:
    family = (model.details and model.details.family) or ""
    return bool(model.name) and not any(sign in f"{model.name} {family}".lower() for sign in _NO_CHAT)
