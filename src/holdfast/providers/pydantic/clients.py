"""pydantic-ai's client for a model, of any service that it knows by name.

Retries belong to whoever asks, who can show them, so every client here tries once.
"""

import os
from inspect import signature
from typing import Any

from httpx2 import AsyncClient
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model as Client
from pydantic_ai.models import infer_model
from pydantic_ai.providers import Provider, infer_provider_class

from holdfast.errors import BadInput, Refused
from holdfast.installation import command_to_add
from holdfast.model.protocol import Target
from holdfast.providers.services import SERVICES, Service

_NO_KEY = "none"
"""Shown to a service of one's own, which may need no key, though its client does."""


def service_of(name: str) -> Service:
    """What is known of a service; what is likely, of one that is not listed."""
    likely = (f"{name.upper().replace('-', '_')}_API_KEY",)
    return SERVICES.get(name) or Service(name=name, title=name, way="pydantic", keys=likely)


def target_of(service: str, model: str) -> Target:
    """Which rules a request to a model keeps. On Bedrock, Claude has its own and all others share theirs."""
    family = service_of(service).family
    if service == "bedrock" and "anthropic." not in model:
        family = "openai-chat"
    return Target(family=family, model=model, provider=service)


def key_of(service: str, key: str | None) -> str:
    """The key that is used: the one given, or else the one in the environment, or ''."""
    known = service_of(service)
    found = (key or known.key(os.environ)).strip()
    if not (found.isascii() and found.isprintable()):
        raise BadInput("The key has characters that no key has.", hint=f"Set {known.variable(os.environ)} again.")
    return found


def connect(target: Target, *, key: str, base_url: str | None, http: AsyncClient) -> Client:
    """A client for one model, over the connections given where it takes them. Opens none yet."""
    name = target.provider
    known = service_of(name)
    try:
        provider = _bedrock(key, base_url) if name == "bedrock" else _provider(name, key, base_url, http)
        return infer_model(f"{name}:{target.model}", lambda _: provider)
    except ImportError as error:
        add = command_to_add(known.extra or f"pydantic-ai-slim[{name}]")
        raise ImportError(f"{known.title} needs a package that cannot be loaded: {error}. Type: `{add}`") from error
    except UserError as error:
        if not key:
            hint = f"Set {known.variable(os.environ)} to your key."
            raise Refused(f"There is no key for {known.title}.", hint=hint) from error
        raise Refused(f"{known.title} cannot be asked: {error}", hint="Check the name of the model.") from error


def _provider(name: str, key: str, base_url: str | None, http: AsyncClient) -> Provider[object]:
    try:
        kind = infer_provider_class(name)
    except ValueError:
        hint = f"Take one of {', '.join(SERVICES)}, or a name that pydantic-ai knows."
        raise BadInput(f"There is no service called {name!r}.", hint=hint) from None
    given: dict[str, Any] = {"api_key": key or _NO_KEY, "base_url": base_url} if base_url else {}
    if key:
        given["api_key"] = key
    lines = {"http_client": http} if "http_client" in signature(kind).parameters else {}
    try:
        return kind(**given, **lines)
    except TypeError as error:
        hint = "Leave the key or the address away; pydantic-ai says what it takes instead."
        raise BadInput(f"The service {name!r} does not take {' and '.join(given)}.", hint=hint) from error


def _bedrock(key: str, base_url: str | None) -> Provider[object]:
    """Bedrock, by a key of its own or by whatever AWS credentials the machine has."""
    from holdfast.providers.pydantic import aws

    return aws.provider(key, base_url)
