"""llama.cpp in this process: a loaded model that answers chat completions.

Everything here blocks and belongs into a thread. The library opens an HTTP server on
loopback whether one wants it or not, so that gets a key which nobody can guess. It
also swallows what a callback raises, and waits for ever if it is told to end before
it has begun; both are mended here.
"""

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from holdfast.errors import ModelError, Refused
from holdfast.installation import how_to_mend

BATCH = 64
"""Tokens of a prompt between two calls of the callback: fewer take longer, more are slower to stop."""

Chunk: TypeAlias = Callable[[bytes], bool]
"""Takes the next piece of a reply, as JSON; True ends the reply there."""

_FIRST = b'{"messages":[{"role":"user","content":"Hello"}],"max_tokens":1}'


def load_library(title: str) -> Any:  # noqa: ANN401 - it has no types
    """Import llama.cpp. Raises `ModelError` that says what is missing."""
    # Read when the library is imported: threads that wait must not take the time of those that compute.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import xllamacpp  # type: ignore[import-untyped]
    except ImportError as error:
        hint = f"Use another model: set a key such as OPENAI_API_KEY, or start Ollama. {how_to_mend(error, 'local')}"
        raise ModelError(f"{title} needs the package xllamacpp, which cannot be loaded: {error}.", hint=hint) from error
    return xllamacpp


class LlamaServer:
    """A loaded model."""

    def __init__(self, weights: Path, *, window: int, title: str = "The model", small: bool = True) -> None:
        """Load a file with weights, for conversations of so many tokens with their reply.

        `title` is what errors call it; a `small` model leaves the other processors to other programs.
        """
        self._title = title
        xllamacpp = load_library(title)
        self.key = secrets.token_urlsafe(32)
        """What the HTTP server wants as a bearer token."""
        asked = xllamacpp.CommonParams()
        asked.model.path, asked.model_alias = str(weights), {weights.stem}
        asked.n_ctx, asked.n_batch, asked.n_ubatch, asked.n_parallel = window, BATCH, BATCH, 1
        cores = os.cpu_count() or 1
        asked.cpuparams.n_threads, asked.cpuparams_batch.n_threads = (1, 2) if small else (max(1, cores // 2), cores)
        asked.api_keys, asked.n_threads_http, asked.cors_origins = [self.key], 2, ""
        asked.ui = asked.endpoint_slots = asked.warmup = False
        asked.cache_ram_mib = 0  # the last conversation is cached without it
        asked.verbosity = -1
        try:
            self._server = xllamacpp.Server(asked)
        except RuntimeError as error:
            hint = "Name a GGUF file with a model that can chat."
            raise ModelError(f"{weights} cannot be loaded as a model.", hint=hint) from error
        self.answer(_FIRST, lambda _piece: False)  # warms up, and what has answered once has begun

    @property
    def address(self) -> str:
        """Where the HTTP server listens, as a base URL in OpenAI's form."""
        return f"{self._server.listening_address}/v1"

    def answer(self, body: bytes, chunk: Chunk) -> None:
        """Answer a request for chat completions; what the callback raises ends it and is raised here."""
        raised: list[BaseException] = []

        def guarded(piece: bytes) -> bool:
            try:
                return chunk(piece)
            except BaseException as error:  # noqa: BLE001 - boundary: kept, and raised below
                raised.append(error)
                return True

        try:
            self._server.handle_chat_completions(body, guarded)
        except (RuntimeError, ValueError) as error:
            raise Refused(f"{self._title} refused the request: {error}.") from error
        if raised:
            raise raised[0]
