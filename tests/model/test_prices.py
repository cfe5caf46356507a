"""Prices: what a request cost, and never a guess."""

import pytest

from holdfast.model.prices import PRICES, Price, cost, price_of
from holdfast.records.parts import Usage


def test_fresh_and_cached_input_and_output_are_priced_apart() -> None:
    """
    Cached tokens are a share of the input, and cost what the cache costs.
    """
    usage = Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=100_000)

    assert 600_000 * 2 + 400_000 // 2 + 100_000 * 8 == cost("gpt-4.1", usage)


def test_a_model_without_a_price_has_no_cost() -> None:
    """
    Unknown is not free.
    """
    assert None is cost("acme-1", Usage(input_tokens=5))


def test_a_part_of_a_micro_dollar_counts() -> None:
    """
    Costs are rounded up, so that many small requests are not free.
    """
    assert 1 == cost("gpt-5-nano", Usage(output_tokens=1))
    assert 0 == cost("gpt-5-nano", Usage())


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [(272_000, 272_000 * 2 + 10_000 * 10), (272_001, 272_001 * 4 + 10_000 * 15)],
)
def test_long_requests_cost_what_long_requests_cost(tokens: int, expected: int) -> None:
    """
    Above its threshold a whole request is dearer, not only what is above.
    """
    assert expected == cost("gpt-6-sol", Usage(input_tokens=tokens, output_tokens=10_000))


def test_more_cached_than_input_is_not_negative() -> None:
    """
    Some providers report cached tokens beside the input and not as its share.
    """
    assert 5_000 == cost("gpt-4.1", Usage(input_tokens=10, cached_tokens=10_000))


def test_own_prices_take_the_place_of_ours() -> None:
    """
    Whoever pays another price says so, for any name.
    """
    own = {"acme-1": Price(input=3_000_000, cached=0, output=0)}

    assert 3 == cost("acme-1", Usage(input_tokens=1), own)
    assert None is cost("gpt-4o", Usage(input_tokens=1), own)


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("openai/gpt-4o-mini", "gpt-4o-mini"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("GPT-5", "gpt-5"),
    ],
)
def test_a_dated_or_served_name_has_the_price_of_its_model(model: str, known: str) -> None:
    """
    Providers put who serves a model and when it was made into its name.
    """
    assert PRICES[known] == price_of(model)


@pytest.mark.parametrize("model", ["gpt-5-turbo", "gpt-4o-audio-preview", "claude-opus-9", "my-gpt-4o", ""])
def test_a_name_that_only_looks_alike_has_no_price(model: str) -> None:
    """
    A variant of a model can cost a multiple of it.
    """
    assert None is price_of(model)
