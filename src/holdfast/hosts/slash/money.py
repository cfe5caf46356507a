"""Tokens and money in a few words."""

from holdfast.records.parts import Usage

_CENT = 10_000
_DOLLAR = 1_000_000


def spent(usage: Usage) -> str:
    """What was used, for a person: `12,345 tokens in (8,000 from the cache), 678 out, $0.04`."""
    if not (usage.input_tokens or usage.output_tokens):
        return "no tokens yet"
    cached = f" ({usage.cached_tokens:,} from the cache)" if usage.cached_tokens else ""
    price = f", {money(usage.cost_micros)}" if usage.cost_micros else ""
    return f"{usage.input_tokens:,} tokens in{cached}, {usage.output_tokens:,} out{price}"


def money(micros: int) -> str:
    """Millionths of a dollar, as exact as it matters; '' for nothing, which is a price that is not known."""
    if not micros:
        return ""
    return f"${micros / _DOLLAR:.4f}" if micros < _CENT else f"${micros / _DOLLAR:,.2f}"
