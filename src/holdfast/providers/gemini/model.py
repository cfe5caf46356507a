"""`GeminiModel`: Gemini, asked over HTTP.

`context/legal` writes the request, and what comes back is read in `chunks`. A long reply may come in several answers:
the service stops one with a token, and goes on with the reply when the request is sent again with it.
"""

import os
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from urllib.parse import quote

from msgspec.structs import replace

from holdfast.context.legal import families
from holdfast.context.legal.rendered import Json
from holdfast.errors import Refused
from holdfast.model.effort import BUDGETS
from holdfast.model.protocol import Delta, Effort, Finished, Request, Target
from holdfast.providers.gemini.content_chunks import ContentChunks
from holdfast.providers.http.address import Address, parsed
from holdfast.providers.http.failures import Endpoint
from holdfast.providers.http.service import ServiceRequest, StreamingClient, checked_key
from holdfast.providers.services import SERVICES

_VERSION = "v1beta"
"""Of the service. The plain `v1` takes fewer of the fields that a request has."""
_VERSIONED = re.compile(r"/v\d+\w*$")
_THINKS = re.compile(r"gemini-(?!1|2\.(?!5)|2\.5-flash-image|pro$|embedding)")
"""Which models think: those from 2.5 on, and names such as gemini-flash-latest, which is a newer one."""


class GeminiModel:
    """A model of Google, or of a service that speaks as it does."""

    def __init__(
        self, model: str, *, base_url: str = "", key: str | None = None, title: str = "", variable: str = ""
    ) -> None:
        """Prepare to ask; nothing is sent yet.

        Without a key, the one in the environment counts. `base_url` is for a service at another address, which may
        need none. `title` is what errors call the service, `variable` the environment variable that they say the
        key belongs in.
        """
        service = SERVICES["google"]
        variable = variable or service.variable(os.environ)
        key = checked_key(service.key(os.environ) if key is None else key, variable)
        address = _with_version(parsed(base_url or service.url))
        if address == _with_version(parsed(service.url)) and not key:
            raise Refused(f"There is no key for {service.title}.", hint=f"Set {variable} to your key.")
        self._target = Target(family="gemini", model=model, provider=service.name)
        self._headers = {"x-goog-api-key": key} if key else {}
        self._endpoint = Endpoint(
            title=title or service.title, url=address.shown, model=model, variable=variable, key=key
        )
        self._client = StreamingClient(self._target, address, self._endpoint)

    @property
    def target(self) -> Target:
        """Which model this is, and how it is talked to."""
        return self._target

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        await self._client.close()

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Answer a request, piece by piece."""
        chunks = ContentChunks(self._target, self._endpoint)
        goes_on = True
        while goes_on:
            goes_on = False
            answer = self._client.stream(request, lambda asked: self._asked(asked, chunks))
            async with aclosing(answer) as deltas:
                async for delta in deltas:
                    goes_on = isinstance(delta, Finished) and chunks.continues
                    if not goes_on:
                        yield delta

    def _asked(self, request: Request, chunks: ContentChunks) -> ServiceRequest:
        body = {**families.render(request, request.media).body}
        model = quote(str(body.pop("model")), safe="/")
        config = body["generationConfig"]
        if _THINKS.search(self._target.model) and isinstance(config, dict):
            asked = {"includeThoughts": True} | _effort(self._target.model, request.effort)
            body["generationConfig"] = {**config, "thinkingConfig": asked}
        more: Json = {"continuationToken": token} if (token := chunks.resumed()) else {}
        path = f"{model}:streamGenerateContent?alt=sse"
        return ServiceRequest(path=path, body=body | more, reader=chunks, headers=self._headers)


def _effort(model: str, effort: Effort) -> Json:
    """How long a model may think: the models up to 2.5 take a number of tokens, later ones a word."""
    if not effort:
        return {}
    return {"thinkingBudget": BUDGETS[effort]} if "gemini-2" in model else {"thinkingLevel": effort}


def _with_version(address: Address) -> Address:
    """The address that `/models/…` is added to: the version may be in it or not, as it is for Google's own package."""
    if _VERSIONED.search(address.path):
        return address
    return replace(address, path=f"{address.path}/{_VERSION}")
