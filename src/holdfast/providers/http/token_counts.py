"""What a service says a reply took: counted if it is a count, and priced."""

import math
from typing import Annotated, TypeAlias, TypeVar

import msgspec

from holdfast.model import prices
from holdfast.records.parts import Usage

Tokens: TypeAlias = Annotated[int, msgspec.Meta(le=2**53)]
"""How many tokens a service counted; more than this is no count."""
_MOST = 1e6
"""Dollars that no reply costs."""
Told = TypeVar("Told", bound=msgspec.Struct)


def counted(told: object, kind: type[Told]) -> Told | None:
    """What a service says it counted, or None if that is no count: the reply is not worth less for it."""
    try:
        return msgspec.convert(told, kind, strict=False)
    except msgspec.ValidationError:
        return None


def priced(model: str, usage: Usage, charged: float | None = None) -> Usage:
    """Usage with its cost: what the service says it charged in dollars, or what the price list says."""
    if charged is not None and 0 <= charged < _MOST:
        return msgspec.structs.replace(usage, cost_micros=math.ceil(charged * 1_000_000))
    return msgspec.structs.replace(usage, cost_micros=prices.cost(model, usage) or 0)
