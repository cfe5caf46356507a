"""Models behind OpenAI's chat completions, or behind its Responses API, over HTTP.

OpenAI, OpenRouter, DeepSeek, Groq, Ollama, vLLM, llama.cpp and their like: which of
the two is spoken is the family of the target.
"""

from collections.abc import AsyncGenerator

from holdfast.context.legal import families
from holdfast.model.protocol import Delta, Request, Target
from holdfast.providers.chat_chunks import ChatChunks
from holdfast.providers.failures import Endpoint
from holdfast.providers.response_events import REASONS, ResponseEvents
from holdfast.providers.route import parsed
from holdfast.providers.streaming import Asked, StreamingClient, checked_key


class OpenAICompatible:
    """A model of a service that speaks as OpenAI does."""

    def __init__(self, target: Target, *, base_url: str, key: str = "", title: str = "", variable: str = "") -> None:
        """Prepare to ask; nothing is sent yet.

        `base_url` is the address up to and without `/chat/completions`. `title` is what errors
        call the service, `variable` the environment variable that they say the key belongs in.
        """
        key, address = checked_key(key, variable), parsed(base_url)
        self._target = target
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._endpoint = Endpoint(
            title=title or address.host, url=address.shown, model=target.model, variable=variable, key=key
        )
        self._client = StreamingClient(target, address, self._endpoint)

    @property
    def target(self) -> Target:
        """Which model this is, and how it is talked to."""
        return self._target

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        await self._client.close()

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Answer a request, piece by piece."""
        return self._client.stream(request, self._asked)

    def _asked(self, request: Request) -> Asked:
        """Where a request goes, what it says, and what reads the reply."""
        body = {**families.render(request, request.media).body, "stream": True}
        if self._target.family == "openai-responses":
            if REASONS.match(self._target.model):
                body["include"] = ["reasoning.encrypted_content"]
            reading = ResponseEvents(self._target, self._endpoint)
            return Asked(path="responses", body=body, reader=reading, headers=self._headers)
        chunks = ChatChunks(self._target, self._endpoint)
        body["stream_options"] = {"include_usage": True}
        return Asked(path="chat/completions", body=body, reader=chunks, headers=self._headers)
