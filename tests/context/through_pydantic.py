"""The bodies that pydantic-ai writes of our requests, taken where they would go out."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_args

import httpx2
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.models import Model as Client

from holdfast.model.protocol import Request, Target
from holdfast.providers.pydantic.clients import connect, target_of
from holdfast.providers.pydantic.model_settings import settings
from holdfast.providers.pydantic.request import asked

Service = Literal["anthropic", "google", "mistral", "nebius"]
"""One of each form; the last is a service that we do not know, which speaks as most do."""
SERVICES: tuple[Service, ...] = get_args(Service)


class Kept(httpx2.AsyncBaseTransport):
    """Sends nothing: keeps each body, and answers that the service is down."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.bodies.append(json.loads(request.content))
        return httpx2.Response(500, json={})


def target(service: Service, model: str = "m") -> Target:
    """Which rules a request through pydantic-ai keeps."""
    return target_of(service, model)


async def body(request: Request) -> Mapping[str, Any]:
    """What would be sent, without what is asked for beside the messages."""
    client, kept = _client(request.target)
    question = asked(request, id_length=client.profile.get("tool_call_id_length"))
    try:
        async with client.request_stream(question.messages, settings(request, question, client), question.tools):
            raise AssertionError("the service is down")
    except ModelAPIError:
        return _bare(request, kept.bodies.pop())


@cache
def _client(asked_for: Target) -> tuple[Client, Kept]:
    """A client takes more than a second to make."""
    kept = Kept()
    http = httpx2.AsyncClient(transport=kept, timeout=600)
    return connect(asked_for, key="a-key", base_url=None, http=http), kept


_BESIDE = frozenset(
    "thinking stream stream_options tool_choice toolConfig prompt_mode reasoning_effort parallel_tool_calls".split()
)
"""What is asked for beside the messages."""
_DEFAULTS = frozenset({"index", "prefix", "name"})
"""What Mistral's package adds to calls and messages."""


def _gemini(request: Request, body: dict[str, Any]) -> dict[str, Any]:
    """What Google's package writes in another way than its service documents."""
    limit = {"maxOutputTokens": body["generationConfig"]["maxOutputTokens"]}
    if "systemInstruction" in body:
        body["systemInstruction"].pop("role")
    for part in (each for content in body["contents"] for each in content["parts"]):
        if "mime_type" in part.get("inlineData", {}):
            part["inlineData"]["mimeType"] = part["inlineData"].pop("mime_type")
    for function in (each for tools in body.get("tools", ()) for each in tools["functionDeclarations"]):
        function["parametersJsonSchema"] = function.pop("parameters_json_schema")
    return {"model": f"models/{request.target.model}", "generationConfig": limit}


def _bare(request: Request, sent: dict[str, Any]) -> dict[str, Any]:
    """The body as the rules have it: they say nothing of what is asked for beside the messages, or of defaults."""
    body = {name: value for name, value in sent.items() if name not in _BESIDE and value is not None}
    if request.target.family == "gemini":
        body |= _gemini(request, body)
    if request.target.provider == "mistral":
        for message in body["messages"]:
            # Its package sends empty lists where there is nothing.
            if not message.get("tool_calls", True):
                message.pop("tool_calls")
            message["content"] = message["content"] or None
            for place in (message, *message.get("tool_calls", ())):
                for name in _DEFAULTS & place.keys():
                    place.pop(name)
    return body
