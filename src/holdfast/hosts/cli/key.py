"""`key`: keeps the key of a service, names those that are kept, removes one.

A key is read without an echo or from a pipe. It is never a word of a command line, which shells write into
their history and other users see in the list of processes, and it is never printed, also not in part.
"""

import os
import re
import sys
from collections.abc import Mapping

from holdfast.config.key_storage import forget, keep, kept_in
from holdfast.config.settings import Settings
from holdfast.errors import BadInput, HoldfastError, NotThere, Refused
from holdfast.hosts.cli.call import ShellCall
from holdfast.hosts.cli.output import print_json
from holdfast.hosts.exits import Exit
from holdfast.providers.services import SERVICES, Service

_ASSIGNED = re.compile(r"(?:export\s+|set\s+)?[A-Z][A-Z0-9_]*\s*=\s*")
"""What stands before a key that was copied out of a shell's file."""
_LONGEST = 4_096


async def key(call: ShellCall) -> Exit:
    """Keep a key, list them, remove one."""
    action, name = call.text("action"), call.text("service")
    if action == "list":
        if name:
            raise BadInput("`key list` takes no service.", hint="`holdfast key list` names all of them.")
        return _list(call)
    service = _service(name, action)
    return await _add(call, service) if action == "add" else _remove(call, service)


def _service(name: str, action: str) -> Service:
    known = [each.name for each in SERVICES.values() if each.keys]
    if not name:
        raise BadInput("No service is named.", hint=f"`holdfast key {action} SERVICE`: {', '.join(known)}.")
    service = SERVICES.get(name.lower())
    if service is None or not service.keys:
        # The name is not repeated: it may be the key.
        raise BadInput("There is no service of that name that has keys.", hint=f"There are: {', '.join(known)}.")
    return service


async def _add(call: ShellCall, service: Service) -> Exit:
    value, settings, variable = _read(call, service), call.context.settings, service.keys[0]
    why = await _problem(service, value, settings)
    place = keep(variable, value, os.environ)
    said = f"The key for {service.title} is kept in {place}."
    call.console.prose(f"{said} {'It works.' if not why else ''}".strip())
    if why:
        call.console.note(f"It could not be tried: {why}")
    for name in service.keys:
        if os.environ.get(name):
            call.console.note(f"{name} is set in the environment too, and counts before it.")
    return Exit.OK


def _read(call: ShellCall, service: Service) -> str:
    """The key, from a person or a pipe."""
    if call.console.can_ask:
        from getpass import getpass

        value = getpass(f"Key for {service.title} (it is not shown): ", stream=sys.stderr)
    else:
        value = sys.stdin.readline(_LONGEST + 2)
    value = _ASSIGNED.sub("", value.strip(), count=1).strip("\"'; \t") if "=" in value else value.strip().strip("\"'")
    if not value:
        raise BadInput("No key was given; nothing is kept.", hint="Paste it, and press Enter.")
    if len(value) > _LONGEST or not value.isascii() or not value.isprintable() or " " in value:
        raise BadInput("That is not a key; nothing is kept.", hint="A key is one word of letters, digits and signs.")
    return value


async def _problem(service: Service, value: str, settings: Settings) -> str:
    """Ask the service's usual model for one word; '' if it answers. Raises if the service refuses the key."""
    from holdfast.model.protocol import Request, UserMessage
    from holdfast.model.stream import collected
    from holdfast.providers.choose.choose import make_model
    from holdfast.providers.http.failures import KeyRefused
    from holdfast.providers.local.weights import default_cache
    from holdfast.records.parts import Text

    if not service.model:
        return f"{service.title} is asked when a model is chosen."
    values = {**os.environ, service.keys[0]: value}
    try:
        model = make_model(service.name, environment=values, cache=default_cache(values), endpoints=settings.endpoints)
        question = UserMessage(parts=(Text(text="Answer with one word: ready."),))
        try:
            await collected(model, Request(target=model.target, messages=(question,), max_output_tokens=16))
        finally:
            close = getattr(model, "close", None)
            if close is not None:
                await close()
    except KeyRefused as error:
        hint = f"Copy the key again, and run `holdfast key add {service.name}`."
        raise Refused(f"{error.message} Nothing is kept.", hint=hint) from None
    except HoldfastError as error:
        return f"{error.message} {error.hint}".strip()
    return ""


def _list(call: ShellCall) -> Exit:
    rows = _rows(os.environ)
    if call.flag("json"):
        print_json(call, {"keys": [dict(zip(("service", "variable", "place"), row, strict=True)) for row in rows]})
        return Exit.OK
    for name, variable, place in rows:
        call.console.line(f"{name:<12}{variable:<26}{place}")
    if not rows:
        call.console.note("No key is kept, and none is in the environment. `holdfast key add SERVICE` keeps one.")
    return Exit.OK


def _rows(environment: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Each service that has a key, its variable, and where it comes from; the environment counts first."""
    kept = kept_in([name for service in SERVICES.values() for name in service.keys], environment)
    found = []
    for service in SERVICES.values():
        for name in service.keys:
            found += [(service.name, name, "the environment")] if environment.get(name, "").strip() else []
        found += [(service.name, name, kept[name]) for name in service.keys if name in kept]
    return found


def _remove(call: ShellCall, service: Service) -> Exit:
    removed = [name for name in service.keys if forget(name, os.environ)]
    if not removed:
        raise NotThere(f"No key for {service.title} is kept.", hint="`holdfast key list` names those that are.")
    call.console.prose(f"The key for {service.title} is removed. Whoever has a copy can still use it.")
    for name in service.keys:
        if os.environ.get(name):
            call.console.note(f"{name} is still set in the environment.")
    return Exit.OK
