"""Values of settings that can never work are refused, whoever makes them."""

import pytest

from holdfast import Budget
from holdfast.config.settings import ContextSettings, McpSettings, Settings, ToolSettings
from holdfast.errors import BadInput
from holdfast.model.context_sizes import ModelSize


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"tokens": -1}, "`tokens` is -1."),
        ({"history_messages": -1}, "`history_messages` is -1."),
        ({"target": 0.0}, "`target` is 0.0, which is no share."),
        ({"target": 1.5}, "`target` is 1.5, which is no share."),
        ({"tokens": 100, "output": 100}, "`tokens` is 100, and `output` takes 100 of them."),
    ],
)
def test_a_context_that_cannot_be(values: dict[str, float], said: str) -> None:
    """
    A window must have room, and a share be one.
    """
    with pytest.raises(BadInput) as refused:
        ContextSettings(**values)  # type: ignore[arg-type]

    assert said == refused.value.message


def test_a_context_becomes_a_budget() -> None:
    """
    0 takes the window and the reply from the model, and means that messages are not counted.
    """
    size = ModelSize(window=200_000, output=64_000)
    messages = ContextSettings(tokens=9000, history_messages=20)

    assert Budget(tokens=200_000, output=32_768, reply=64_000) == ContextSettings().budget(size)
    assert Budget(tokens=9000, output=2_250, reply=64_000, messages=20) == messages.budget(size)


@pytest.mark.parametrize(
    ("window", "output", "setting", "kept", "reply"),
    [
        (1_000_000, 128_000, 0, 32_768, 128_000),
        (200_000, 8_192, 0, 8_192, 8_192),
        (128_000, 0, 0, 32_000, 0),
        (32_768, 0, 0, 8_192, 0),
        (4_096, 512, 0, 512, 512),
        (2_048, 0, 0, 512, 0),
        (200_000, 64_000, 1_000, 1_000, 1_000),
        (200_000, 8_192, 100_000, 8_192, 8_192),
        (128_000, 0, 100_000, 64_000, 100_000),
    ],
)
def test_the_room_for_a_reply(window: int, output: int, setting: int, kept: int, reply: int) -> None:
    """
    The model's own maximum is asked for; at most 32k and half of the window are kept free; `context.output` overrides.
    """
    budget = ContextSettings(output=setting).budget(ModelSize(window=window, output=output))

    assert (kept, reply) == (budget.output, budget.reply)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("inf"), float("nan")])
def test_a_time_is_above_nothing_and_ends(seconds: float) -> None:
    """
    A command or a call that may take for ever would hold up a turn for ever.
    """
    with pytest.raises(BadInput, match="Give a number of seconds above 0"):
        ToolSettings(shell_seconds=seconds)
    with pytest.raises(BadInput, match="Give a number of seconds above 0"):
        McpSettings(command="x", seconds=seconds)


@pytest.mark.parametrize("network", ["10.0.0.0/8", "192.168.1.7", "fd00::/8"])
def test_networks_are_written_as_usual(network: str) -> None:
    """
    One address, or a network of them.
    """
    assert (network,) == ToolSettings(web_allowed=(network,)).web_allowed


@pytest.mark.parametrize("network", ["", "localhost", "10.0.0.1/8", "*"])
def test_what_is_no_network_is_refused(network: str) -> None:
    """
    A slip here would open more than was meant.
    """
    with pytest.raises(BadInput, match="which is no network"):
        ToolSettings(web_allowed=(network,))


def test_an_endpoint_is_a_web_address() -> None:
    """
    Anything else would be found out only when a model is asked.
    """
    with pytest.raises(BadInput, match=r"`endpoints.x` is no web address"):
        Settings(endpoints={"x": "host:80"})
