"""`PydanticModel`: a model that pydantic-ai talks to.

Connections stay open from one request to the next, and belong to the event loop they were
opened in; another loop gets its own.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from pydantic_ai.models import Model as Client
from pydantic_ai.models import StreamedResponse

from holdfast.errors import ModelError, Refused
from holdfast.model.protocol import Delta, Request, Target
from holdfast.providers.http.failures import Endpoint
from holdfast.providers.pydantic.clients import connect, key_of, service_of, target_of
from holdfast.providers.pydantic.connections import closing, http_client
from holdfast.providers.pydantic.model_settings import settings
from holdfast.providers.pydantic.reply_events import ReplyEvents, finished
from holdfast.providers.pydantic.request import ClientRequest, asked
from holdfast.providers.pydantic.translated_errors import failure


class PydanticModel:
    """Asks a model of Bedrock, of Mistral, or of another service that pydantic-ai knows."""

    def __init__(self, service: str, model: str, *, key: str | None = None, base_url: str | None = None) -> None:
        """Name the service and its model.

        Without a key, the one in the environment counts; `base_url` is for a service at another
        address. Raises `ImportError` if the service needs a package that is not installed.
        """
        known = service_of(service)
        self._target = target_of(service, model)
        self._key, self._base_url = key_of(service, key), base_url
        self._endpoint = Endpoint(
            title=known.title, url=base_url or "", model=model, variable=known.variable(os.environ), key=self._key
        )
        self._connect()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def target(self) -> Target:
        """Which model it is, and how it is talked to."""
        return self._target

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Answer a request, piece by piece."""
        if request.target != self._target:
            raise Refused(f"This is {self._target.model!r}, and the request is for {request.target.model!r}.")
        client = self._connected()
        question = asked(request, id_length=client.profile.get("tool_call_id_length"))
        events = ReplyEvents(question.names)
        given_up: type[BaseException] | None = None
        try:
            async with self._opened(client, request, question) as streamed:
                try:
                    async for event in streamed:
                        for delta in events.deltas(event):
                            yield delta
                    yield finished(streamed, self._target.model)
                except (GeneratorExit, asyncio.CancelledError) as error:
                    given_up = type(error)  # the error itself would keep the stream alive, in a circle
                    raise
        except ModelError:
            raise
        except Exception as error:  # boundary: what the packages of the services raise has no common root
            if given_up is not None:
                raise given_up from None  # closing a stream in the middle is no failure
            raise failure(error, self._endpoint) from error

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        await self._http.aclose()
        async with self._client:
            pass  # a client with connections of its own closes them when it is left

    @asynccontextmanager
    async def _opened(
        self, client: Client, request: Request, question: ClientRequest
    ) -> AsyncIterator[StreamedResponse]:
        """A stream that is closed at once when nobody reads on."""
        chosen = settings(request, question, client)
        async with closing(client.request_stream(question.messages, chosen, question.tools)) as streamed:
            try:
                yield streamed
            finally:
                await streamed.cancel()

    def _connected(self) -> Client:
        loop = asyncio.get_running_loop()
        if self._http.is_closed or self._loop not in {None, loop}:
            self._connect()
        self._loop = loop
        return self._client

    def _connect(self) -> None:
        self._http = http_client(self._base_url)
        self._client = connect(self._target, key=self._key, base_url=self._base_url, http=self._http)
