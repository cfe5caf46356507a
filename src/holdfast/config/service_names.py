"""Names of services in the settings.

An address for a service that nobody knows is a slip, and what was meant for that address would go to the usual one.
The same holds for other settings of a service: a slip would leave it as it was.
"""

from collections.abc import Iterable, Iterator

from holdfast.config.origins import GivenValue
from holdfast.config.setting_names import nearest
from holdfast.errors import BadSetting
from holdfast.providers.services import SERVICES

_ADDRESSES = "endpoints."
_LISTS = ("no_thinking_back",)


def refuse_unknown_services(given: Iterable[GivenValue]) -> None:
    """Raise `BadSetting` for the first service that there is not."""
    for each in given:
        for prefix, name in _named(each):
            if name not in SERVICES:
                near = nearest(name, SERVICES)
                hint = f"Did you mean `{prefix}{near}`?" if near else f"Services: {', '.join(SERVICES)}."
                raise BadSetting(f"{each.origin.naming(each.key)} is for a service that nobody knows.", hint=hint)


def _named(given: GivenValue) -> Iterator[tuple[str, str]]:
    """The services that a setting names, and what stands before each."""
    if given.key in _LISTS and isinstance(given.value, tuple):
        yield from (("", str(name)) for name in given.value)
    elif given.key.startswith(_ADDRESSES):
        yield _ADDRESSES, given.key.removeprefix(_ADDRESSES)
