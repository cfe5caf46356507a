"""Names of services in the settings.

An address for a service that nobody knows is a slip, and what was meant for that address would go to the usual one.
"""

from collections.abc import Iterable

from holdfast.config.keys import nearest
from holdfast.config.origins import Given
from holdfast.errors import BadSetting
from holdfast.providers.services import SERVICES

_ADDRESSES = "endpoints."


def refuse_unknown_services(given: Iterable[Given]) -> None:
    """Raise `BadSetting` for the first address of a service that there is not."""
    for each in given:
        name = each.key.removeprefix(_ADDRESSES)
        if name != each.key and name not in SERVICES:
            near = nearest(name, SERVICES)
            hint = f"Did you mean `{_ADDRESSES}{near}`?" if near else f"Services: {', '.join(SERVICES)}."
            raise BadSetting(f"{each.origin.naming(each.key)} is for a service that nobody knows.", hint=hint)
