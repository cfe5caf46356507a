"""Sizes: how much a model takes, by the name it goes by."""

import pytest

from holdfast.model.context_sizes import SIZES, UNKNOWN, ModelSize, size_of
from holdfast.model.prices import PRICES


@pytest.mark.parametrize("model", PRICES)
def test_every_model_with_a_price_has_a_size(model: str) -> None:
    """
    Whoever is paid for is known well enough to fill its window.
    """
    assert UNKNOWN != size_of(model)


@pytest.mark.parametrize(
    ("model", "window", "output"),
    [
        ("gpt-6.1-sol", 1_050_000, 128_000),
        ("gpt-5.4", 1_050_000, 128_000),
        ("gpt-5.4-mini", 400_000, 128_000),
        ("gpt-5-mini", 400_000, 128_000),
        ("gpt-4.1-nano", 1_047_576, 32_768),
        ("gpt-4o-mini-2024-07-18", 128_000, 16_384),
        ("gpt-4-1106-preview", 8_192, 4_096),
        ("o3", 200_000, 100_000),
        ("claude-opus-4-1-20250805", 200_000, 32_000),
        ("claude-opus-4-6", 1_000_000, 128_000),
        ("claude-sonnet-4-5", 200_000, 64_000),
        ("claude-sonnet-5-5", 1_000_000, 128_000),
        ("claude-haiku-4-5@20251001", 200_000, 64_000),
        ("gemini-4-argon", 1_048_576, 65_536),
        ("deepseek-v4-pro", 1_000_000, 384_000),
    ],
)
def test_a_name_has_the_size_of_the_longest_it_begins_with(model: str, window: int, output: int) -> None:
    """
    A date, a variant or a later number does not change the family.
    """
    assert ModelSize(window=window, output=output) == size_of(model)


@pytest.mark.parametrize(
    ("served", "model"),
    [
        ("openai:gpt-5.4-mini", "gpt-5.4-mini"),
        ("openrouter:openai/gpt-4o", "gpt-4o"),
        ("openrouter:anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1"),
        ("fireworks:accounts/fireworks/models/gpt-oss-120b", "gpt-oss-120b"),
        ("google:models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("GPT-4O", "gpt-4o"),
    ],
)
def test_who_serves_a_model_does_not_change_it(served: str, model: str) -> None:
    """
    Names carry services, makers and paths in front.
    """
    assert size_of(model) == size_of(served)


@pytest.mark.parametrize("model", ["ollama:qwen3:8b", "ollama:gpt-oss", "ollama:deepseek-v4-pro", "lmstudio:x"])
def test_a_server_here_has_less_room_than_the_model_could_use(model: str) -> None:
    """
    How long its window is was decided when it was started.
    """
    assert SIZES["ollama:"] == size_of(model)


def test_the_small_model_inside_is_small() -> None:
    """
    A window that is too long for it would be cut in silence.
    """
    assert ModelSize(window=4_096, output=200) == size_of("local:smollm2")


@pytest.mark.parametrize("model", ["", "acme-1", "acme:acme-1", "qwen3:8b", "my-gpt-4o"])
def test_an_unknown_model_has_the_size_that_most_have(model: str) -> None:
    """
    Too small would cut conversations short, and too large would be refused. The service bounds its replies.
    """
    assert ModelSize(window=128_000, output=0) == size_of(model)


@pytest.mark.parametrize("name", SIZES)
def test_a_reply_fits_into_its_window(name: str) -> None:
    """
    With room for a request beside it.
    """
    assert SIZES[name].output * 2 <= SIZES[name].window
