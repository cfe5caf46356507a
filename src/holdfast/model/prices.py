"""What a reply cost, where the price is known.

Prices are what the providers published on the day below, in micro-dollars per million
tokens, which makes them whole numbers. They go out of date: pass your own prices
where it matters. A model that is not listed has no price; none is guessed.
"""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from holdfast.records.parts import Usage, Value

AS_OF = "2026-11-16"
"""When the prices were looked up."""

_DOLLAR = 1_000_000


class Price(Value, frozen=True, kw_only=True):
    """Micro-dollars per million tokens."""

    input: int
    cached: int
    """Input that came from the provider's cache."""
    output: int
    """Words and thinking."""
    long_from: int = 0
    """Requests with more input tokens than this cost more; 0 if none do."""
    long_input: int = 1000
    """What a long request's input costs, cached or not, in thousandths of the above."""
    long_output: int = 1000
    """What its output costs, in thousandths of the above."""


def _price(input_: float, cached: float, output: float) -> Price:
    """A price given in dollars."""
    return Price(input=round(input_ * _DOLLAR), cached=round(cached * _DOLLAR), output=round(output * _DOLLAR))


def _rising(input_: float, cached: float, output: float, *, over: int, by: tuple[int, int] = (2000, 1500)) -> Price:
    """A price that is higher for long requests."""
    flat = _price(input_, cached, output)
    return Price(
        input=flat.input,
        cached=flat.cached,
        output=flat.output,
        long_from=over,
        long_input=by[0],
        long_output=by[1],
    )


PRICES: Mapping[str, Price] = {
    "gpt-6.1-sol": _rising(2, 0.1, 10, over=272_000),
    "gpt-6.1-terra": _rising(1, 0.05, 5, over=272_000),
    "gpt-6-astra": _rising(10, 1, 50, over=272_000),
    "gpt-6-sol": _rising(2, 0.2, 10, over=272_000),
    "gpt-6-luna": _rising(0.1, 0.01, 0.5, over=272_000),
    "gpt-5.6-sol": _rising(4, 0.4, 20, over=272_000),
    "gpt-5.6-terra": _rising(2, 0.2, 12, over=272_000),
    "gpt-5.6-luna": _rising(0.2, 0.02, 1.2, over=272_000),
    "gpt-5.5": _rising(5, 0.5, 30, over=272_000),
    "gpt-5.4": _rising(2.5, 0.25, 15, over=272_000),
    "gpt-5.4-mini": _price(0.75, 0.075, 4.5),
    "gpt-5.4-nano": _price(0.2, 0.02, 1.25),
    "gpt-5.1": _price(1.25, 0.125, 10),
    "gpt-5": _price(1.25, 0.125, 10),
    "gpt-5-mini": _price(0.25, 0.025, 2),
    "gpt-5-nano": _price(0.05, 0.005, 0.4),
    "gpt-4.1": _price(2, 0.5, 8),
    "gpt-4.1-mini": _price(0.4, 0.1, 1.6),
    "gpt-4.1-nano": _price(0.1, 0.025, 0.4),
    "gpt-4o": _price(2.5, 1.25, 10),
    "gpt-4o-mini": _price(0.15, 0.075, 0.6),
    "o3": _price(2, 0.5, 8),
    "o4-mini": _price(1.1, 0.275, 4.4),
    "claude-fable-5-1": _price(10, 0.25, 50),
    "claude-fable-5": _price(10, 1, 50),
    "claude-opus-5-5": _price(4, 0.2, 20),
    "claude-opus-5": _price(5, 0.5, 25),
    "claude-opus-4-8": _price(5, 0.5, 25),
    "claude-opus-4-7": _price(5, 0.5, 25),
    "claude-opus-4-6": _price(5, 0.5, 25),
    "claude-opus-4-5": _price(5, 0.5, 25),
    "claude-opus-4-1": _price(15, 1.5, 75),
    "claude-opus-4": _price(15, 1.5, 75),
    "claude-sonnet-5-5": _price(2, 0.1, 10),
    "claude-sonnet-5": _price(2, 0.2, 10),
    "claude-sonnet-4-6": _price(3, 0.3, 15),
    "claude-sonnet-4-5": _price(3, 0.3, 15),
    "claude-sonnet-4": _price(3, 0.3, 15),
    "claude-haiku-5-5": _rising(0.1, 0.01, 0.5, over=100_000, by=(5000, 5000)),
    "claude-haiku-4-5": _price(1, 0.1, 5),
    # From December 2026; until then Google asks for half.
    "gemini-4-carbon": _price(4, 0.2, 20),
    "gemini-4-argon": _price(4, 0.2, 20),
    "gemini-2.5-pro": _rising(1.25, 0.125, 10, over=200_000),
}
"""Known prices, by the name a model has without its date."""

_SERVED_BY = re.compile(r"^(.*/|(\w+\.)?anthropic\.)")
_DATED = re.compile(r"([-@](20\d{2}-?\d{2}-?\d{2}|latest))?(-v\d+(:\d+)?)?$")


def price_of(model: str, prices: Mapping[str, Price] = PRICES) -> Price | None:
    """The price of a model, under its full name or without who serves it and the date it was made."""
    bare = _SERVED_BY.sub("", model.lower())
    return prices.get(model) or prices.get(bare) or prices.get(_DATED.sub("", bare))


def priced(model: str, usage: Usage, prices: Mapping[str, Price] = PRICES) -> Usage:
    """What a request used with what it cost, unless the provider said it already or nobody knows."""
    return usage if usage.cost_micros else replace(usage, cost_micros=cost(model, usage, prices) or 0)


def cost(model: str, usage: Usage, prices: Mapping[str, Price] = PRICES) -> int | None:
    """Micro-dollars that one request cost, rounded up; None if the price is not known."""
    price = price_of(model, prices)
    if price is None:
        return None
    fresh = max(usage.input_tokens - usage.cached_tokens, 0)
    taken = fresh * price.input + usage.cached_tokens * price.cached
    given = usage.output_tokens * price.output
    if price.long_from and usage.input_tokens > price.long_from:
        taken, given = taken * price.long_input // 1000, given * price.long_output // 1000
    return -(-(taken + given) // 1_000_000)
