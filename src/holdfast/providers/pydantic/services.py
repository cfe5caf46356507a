"""The services: what each is called, where its key is found, and how it is reached.

Retries belong to whoever asks, who can show them, so every client here tries once.
"""

import os
from collections.abc import Mapping
from inspect import signature
from typing import Any

from httpx2 import AsyncClient
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model as Client
from pydantic_ai.models import infer_model
from pydantic_ai.providers import Provider, infer_provider_class

from holdfast.errors import BadInput, Refused
from holdfast.model.protocol import Family, Target
from holdfast.records.parts import Value


class Service(Value, frozen=True, kw_only=True):
    """A service by its name."""

    title: str
    """As people know it."""
    family: Family
    keys: tuple[str, ...]
    """Where its key stands in the environment; the first that is set counts."""
    extra: str
    """What to install for it."""


SERVICES: Mapping[str, Service] = {
    "anthropic": Service(
        title="Anthropic", family="anthropic", keys=("ANTHROPIC_API_KEY",), extra="holdfast[anthropic]"
    ),
    "google": Service(
        title="Google", family="gemini", keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"), extra="holdfast[google]"
    ),
    "bedrock": Service(
        title="Bedrock", family="openai-chat", keys=("AWS_BEARER_TOKEN_BEDROCK",), extra="holdfast[bedrock]"
    ),
    "mistral": Service(title="Mistral", family="openai-chat", keys=("MISTRAL_API_KEY",), extra="holdfast[mistral]"),
}
"""Those that are tested; any other that pydantic-ai knows by name is reached the same way."""


def service_of(name: str) -> Service:
    """What is known of a service; what is likely, of one that is not listed."""
    keys = (f"{name.upper().replace('-', '_')}_API_KEY",)
    unlisted = Service(title=name, family="openai-chat", keys=keys, extra=f"pydantic-ai-slim[{name}]")
    return SERVICES.get(name, unlisted)


def target_of(service: str, model: str) -> Target:
    """Which rules a request to a model keeps. Claude keeps its own wherever it runs."""
    claude = service == "bedrock" and "anthropic." in model
    return Target(family="anthropic" if claude else service_of(service).family, model=model, provider=service)


def key_of(service: str, key: str | None) -> str:
    """The key that is used: the one given, or else the one in the environment, or ''."""
    names = service_of(service).keys
    found = (key or next((set_there for name in names if (set_there := os.environ.get(name))), "")).strip()
    if not (found.isascii() and found.isprintable()):
        raise BadInput("The key has characters that no key has.", hint=f"Set {names[0]} again.")
    return found


def connect(service: str, model: str, *, key: str, base_url: str | None, http: AsyncClient) -> Client:
    """A client for one model, over the connections given where it takes them. Opens none yet."""
    known = service_of(service)
    try:
        provider = _bedrock(key, base_url) if service == "bedrock" else _provider(service, key, base_url, http)
        return infer_model(f"{service}:{model}", lambda _: provider)
    except ImportError as error:
        raise ImportError(f'{known.title} needs a package: pip install "{known.extra}"') from error
    except UserError as error:
        hint = f"Set {known.keys[0]} to your key." if not key else "Check the name of the model and the address."
        raise Refused(f"{known.title} cannot be asked: {error}", hint=hint) from error


def _provider(service: str, key: str, base_url: str | None, http: AsyncClient) -> Provider[object]:
    try:
        kind = infer_provider_class(service)
    except ValueError:
        hint = f"Take one of {', '.join(SERVICES)}, or a name that pydantic-ai knows."
        raise BadInput(f"There is no service called {service!r}.", hint=hint) from None
    given: dict[str, Any] = {name: value for name, value in (("api_key", key), ("base_url", base_url)) if value}
    lines = {"http_client": http} if "http_client" in signature(kind).parameters else {}
    try:
        return kind(**given, **lines)
    except TypeError as error:
        hint = "Leave the key or the address away; pydantic-ai says what it takes instead."
        raise BadInput(f"The service {service!r} does not take {' and '.join(given)}.", hint=hint) from error


def _bedrock(key: str, base_url: str | None) -> Provider[object]:
    """Bedrock, by a key of its own or by whatever AWS credentials the machine has."""
    from holdfast.providers.pydantic import aws  # noqa: PLC0415 - the other services do without boto

    return aws.provider(key, base_url)
