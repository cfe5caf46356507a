"""Models behind OpenAI's chat completions, or behind its Responses API, over HTTP.

OpenAI, OpenRouter, DeepSeek, Groq, Ollama, vLLM, llama.cpp and their like: which of
the two is spoken is the family of the target.
"""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing

from holdfast.context.legal import families
from holdfast.context.legal.calls import wire_name
from holdfast.context.legal.normalise import without_thinking
from holdfast.context.legal.openai_chat import THINKING_ALWAYS
from holdfast.context.legal.thoughts import FIELDS, ITEMS, OPEN, form_of
from holdfast.errors import Refused
from holdfast.model.protocol import Delta, Request, Target
from holdfast.providers.http.address import Address, parsed
from holdfast.providers.http.failures import Endpoint
from holdfast.providers.http.service import ServiceRequest, StreamingClient, checked_key
from holdfast.providers.openai.calls_in_text import Forms
from holdfast.providers.openai.chat import ChatChunks, Expected, Habits
from holdfast.providers.services import SERVICES
from holdfast.records.parts import Thinking

_OPENS = re.compile(r"deepseek-r1|qwq|thinking|reason", re.IGNORECASE)
"""Names of models whose prompt ends inside of the thinking: without a parser at the server, only its end is marked."""
_NOT_TAKEN = re.compile(
    rf"\b({'|'.join((*FIELDS, *ITEMS))})\b"
    r".*(unsupported|not supported|unknown|unrecognized|unexpected|extra|permitted|allowed|additional|does not exist)"
    r"|(unsupported|unknown|unrecognized|unexpected|extra|additional|not allowed|not permitted)"
    rf".*\b({'|'.join((*FIELDS, *ITEMS))})\b",
    re.IGNORECASE,
)
"""How a service says that it knows no such field."""


class OpenAICompatible:
    """A model of a service that speaks as OpenAI does."""

    def __init__(
        self,
        target: Target,
        *,
        base_url: str,
        key: str = "",
        title: str = "",
        variable: str = "",
    ) -> None:
        """Prepare to ask; nothing is sent yet.

        `base_url` is the address up to and without `/chat/completions`. `title` is what errors
        call the service, `variable` the environment variable that they say the key belongs in.
        """
        key, address = checked_key(key, variable), parsed(base_url)
        self._target, self._thinking_back = target, True
        self._hosted, self._habits = _is_hosted(target, address), Habits()
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

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Answer a request, piece by piece.

        A service that refuses a field with thinking by its name is asked once more without it, and never sent it again.
        """
        said = False
        try:
            async with aclosing(self._client.stream(request, self._asked)) as deltas:
                async for delta in deltas:
                    said = True
                    yield delta
            return
        except Refused as error:
            known = said or not self._thinking_back or not _NOT_TAKEN.search(error.message)
            if known or not _has_thinking(request):
                raise
            self._thinking_back = False
        async with aclosing(self._client.stream(request, self._asked)) as deltas:
            async for delta in deltas:
                yield delta

    def _asked(self, request: Request) -> ServiceRequest:
        """Where a request goes, what it says, and what reads the reply."""
        if self._target.family == "openai-responses":
            from holdfast.providers.openai.responses import ResponseEvents  # most services have no use for it

            body = {**families.render(request, request.media).body, "stream": True}
            body |= {"reasoning": {"effort": request.effort}} if request.effort else {}
            reading = ResponseEvents(self._target, self._endpoint)
            return ServiceRequest(path="responses", body=body, reader=reading, headers=self._headers)
        sent = request if self._thinking_back else without_thinking(request)
        body = {**families.render(sent, request.media).body, "stream": True, "stream_options": {"include_usage": True}}
        body |= {"reasoning_effort": request.effort} if request.effort else {}
        expected = Expected(
            tools={wire_name(tool.name): tool.schema for tool in reversed(request.tools)},
            written=self._written(),
            opens=self._opens(request),
        )
        chunks = ChatChunks(self._target, self._endpoint, expected, self._habits)
        return ServiceRequest(path="chat/completions", body=body, reader=chunks, headers=self._headers)

    def _written(self) -> Forms:
        """Which texts may be calls: where the service reads calls by itself, what it left in the text is none."""
        if self._hosted:
            return "none"
        return "marked" if self._habits.reads_calls else "all"

    def _opens(self, request: Request) -> bool:
        """Whether replies are known to begin inside of their thinking: by the last one, by the log, or by the name."""
        if self._habits.opens is not None:
            return self._habits.opens
        by_name = not self._hosted and self._target.provider != "ollama" and bool(_OPENS.search(self._target.model))
        return by_name or any(
            isinstance(part, Thinking)
            and part.form == form_of(OPEN)
            and (part.provider, part.model) == (self._target.provider, self._target.model)
            for message in request.messages
            for part in message.parts
        )


def _is_hosted(target: Target, address: Address) -> bool:
    """Whether it is the service itself, which reads its models' calls and thinking, and not a server under its name."""
    service = SERVICES.get(target.provider)
    if service is None or service.keyless or not service.url:
        return False
    return parsed(service.url).host == address.host


def _has_thinking(request: Request) -> bool:
    """Whether a request carries thinking that can be left out."""
    always = request.target.provider in THINKING_ALWAYS
    return not always and without_thinking(request) != request
