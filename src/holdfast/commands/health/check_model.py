"""The model: which would answer, why that one, and whether it can be asked."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from typing import Protocol, runtime_checkable

from holdfast.commands.health.finding import Finding
from holdfast.config.settings import Settings
from holdfast.errors import HoldfastError
from holdfast.model.protocol import Model, Request, UserMessage
from holdfast.records.parts import Text, plain_text
from holdfast.records.printable import printable_line

AREA = "model"
PATIENCE = 120.0
"""How long a model has to answer."""
QUESTION = "Answer with one word: ready."


@runtime_checkable
class _Closing(Protocol):
    async def close(self) -> None: ...


async def model(settings: Settings, values: Mapping[str, str], *, ask: bool, asked: str = "") -> list[Finding]:
    """Find the model, which a chat may have named already; ask it only when told to."""
    from holdfast.config.key_storage import with_kept
    from holdfast.providers.choose.choose import choose, make_model
    from holdfast.providers.local.weights import default_cache
    from holdfast.providers.services import SERVICES

    values = with_kept(values, [service.keys for service in SERVICES.values()])
    found = []
    try:
        choice = await choose(asked=asked, configured=settings.model, environment=values)
        found.append(Finding(area=AREA, text=f"{choice.name} would answer: {choice.why}"))
        made = make_model(choice.name, environment=values, cache=default_cache(values), endpoints=settings.endpoints)
    except HoldfastError as error:
        return [*found, Finding(area=AREA, level="problem", text=error.message, mend=error.hint)]
    found += [*_unloadable(choice.name), *_weights(choice.name, values), *_others(settings, values)]
    if ask:
        return [*found, await _asked(made)]
    return [*found, Finding(area=AREA, text="it was not asked; `holdfast doctor --ask` does")]


def _unloadable(name: str) -> Iterator[Finding]:
    """What the model needs is installed, or nobody could have made it; whether it can be loaded is another question."""
    from holdfast.commands.health.check_machine import load_failure
    from holdfast.installation import how_to_mend
    from holdfast.providers.choose.choose import understood

    service = understood(name).service
    for module in service.needs:
        if failure := load_failure(module):
            mend = how_to_mend(ImportError(failure), service.extra)
            text = f"{module}, which it needs, cannot be loaded: {failure}"
            yield Finding(area=AREA, level="problem", text=text, mend=mend)


def _weights(name: str, values: Mapping[str, str]) -> Iterator[Finding]:
    """The built-in demo model is fetched once, which takes a while."""
    from holdfast.providers.local.weights import SMOLLM2, default_cache, given

    place = given(values) or default_cache(values) / SMOLLM2.name
    if name == "local:smollm2" and not place.exists():
        size = f"{SMOLLM2.download / 1_000_000:.0f} MB"
        yield Finding(area=AREA, text=f"it is fetched when it is first asked: {size} into {place.parent}")


def _others(settings: Settings, values: Mapping[str, str]) -> Iterator[Finding]:
    """The models that are asked for something else, which is when nobody looks at whether they can be."""
    from holdfast.providers.choose.choose import make_model, understood
    from holdfast.providers.local.weights import default_cache

    asked = [(name, "is asked when others cannot be reached") for name in settings.fallbacks]
    asked += [(settings.title_model, "finds titles"), (settings.summary_model, "summarizes long conversations")]
    for name, what in asked:
        if not name.strip():
            continue
        try:
            make_model(name, environment=values, cache=default_cache(values), endpoints=settings.endpoints)
            yield Finding(area=AREA, text=f"{understood(name)} {what}")
        except HoldfastError as error:
            yield Finding(area=AREA, level="problem", text=f"{name} {what}: {error.message}", mend=error.hint)


async def _asked(made: Model) -> Finding:
    from holdfast.model.stream import collected

    request = Request(target=made.target, messages=(UserMessage(parts=(Text(text=QUESTION),)),), max_output_tokens=256)
    begun = time.monotonic()
    try:
        async with asyncio.timeout(PATIENCE):
            reply = await collected(made, request)
    except HoldfastError as error:
        return Finding(area=AREA, level="problem", text=error.message, mend=error.hint)
    except TimeoutError:
        mend = "Check the network, or choose another model."
        return Finding(area=AREA, level="problem", text=f"it said nothing for {PATIENCE:.0f} s", mend=mend)
    finally:
        if isinstance(made, _Closing):
            await made.close()
    words = printable_line(plain_text(reply.parts), 60)
    if not words:
        mend = "One that thinks for long may be right all the same; if it does not, choose another."
        return Finding(area=AREA, level="warning", text="it answered without a word", mend=mend)
    return Finding(area=AREA, text=f"it answered in {time.monotonic() - begun:.1f} s: {words}")
