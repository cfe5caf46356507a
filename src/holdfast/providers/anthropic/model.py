"""`AnthropicModel`: Claude, asked over HTTP.

`context/legal` writes the request; what is asked for beside its messages stands in `thinking`, and what comes
back is read in `events`.
"""

import os
from collections.abc import AsyncGenerator

from msgspec.structs import replace

from holdfast.context.legal import families
from holdfast.errors import Refused
from holdfast.model.protocol import Delta, Request, Target
from holdfast.providers.anthropic.message_events import MessageEvents
from holdfast.providers.anthropic.thinking_settings import BINDING_BETA, thinking
from holdfast.providers.http.address import Address, parsed
from holdfast.providers.http.failures import Endpoint
from holdfast.providers.http.service import ServiceRequest, StreamingClient, checked_key
from holdfast.providers.services import SERVICES

_VERSION = "2023-06-01"
"""Of the Messages API."""


class AnthropicModel:
    """A model of Anthropic, or of a service that speaks as it does."""

    def __init__(
        self, model: str, *, base_url: str = "", key: str | None = None, title: str = "", variable: str = ""
    ) -> None:
        """Prepare to ask; nothing is sent yet.

        Without a key, the one in the environment counts. `base_url` is for a service at another address, which may
        need none. `title` is what errors call the service, `variable` the environment variable that they say the
        key belongs in.
        """
        service = SERVICES["anthropic"]
        variable = variable or service.variable(os.environ)
        key = checked_key(service.key(os.environ) if key is None else key, variable)
        address = _below_version(parsed(base_url or service.url))
        own = address == _below_version(parsed(service.url))
        if own and not key:
            raise Refused(f"There is no key for {service.title}.", hint=f"Set {variable} to your key.")
        self._target = Target(family="anthropic", model=model, provider=service.name)
        self._headers = {"anthropic-version": _VERSION} | _signed(key, own=own)
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

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Answer a request, piece by piece."""
        return self._client.stream(request, self._asked)

    def _asked(self, request: Request) -> ServiceRequest:
        body = {**families.render(request, request.media).body, "stream": True}
        headers = self._headers
        if asked := thinking(self._target.model, body, request.effort):
            body["thinking"] = asked
            if request.effort and asked["type"] == "adaptive":  # it thinks as much as it likes, unless it is told
                body["output_config"] = {"effort": request.effort}
            headers = headers | ({"anthropic-beta": BINDING_BETA} if "block_binding" in asked else {})
        reader = MessageEvents(self._target, self._endpoint)
        return ServiceRequest(path="messages", body=body, reader=reader, headers=headers)


def _below_version(address: Address) -> Address:
    """The address that `/messages` is added to: `/v1` may be in it or not, as it is for Anthropic's own packages."""
    if address.path.endswith("/v1"):
        return address
    return replace(address, path=f"{address.path}/v1")


def _signed(key: str, *, own: bool) -> dict[str, str]:
    """The headers that show the key. Gateways look for it in one of two places, as Anthropic's packages changed it."""
    if not key:
        return {}
    return {"x-api-key": key} | ({} if own else {"Authorization": f"Bearer {key}"})
