"""Models through pydantic-ai: which there are, and what they need before they can be asked."""

import sys

import pytest

from holdfast.errors import BadInput, Refused
from holdfast.providers.pydantic_ai import PydanticModel
from holdfast.records.parts import Text
from tests.providers.anthropic_server import KEY, anthropic, message, text
from tests.providers.claude import (
    OPUS,
    SONNET,
    asks,
    reply,
)
from tests.providers.stand_in import StandIn


async def test_a_request_for_another_model_is_refused() -> None:
    """
    Rules differ between models, so a request made for one is not sent to another.
    """
    model = PydanticModel("anthropic", OPUS, key=KEY)
    other = PydanticModel("anthropic", SONNET, key=KEY)
    with pytest.raises(Refused, match=SONNET):
        await reply(model, asks(other))


@pytest.mark.parametrize(
    ("service", "model", "family"),
    [
        ("anthropic", OPUS, "anthropic"),
        ("google", "gemini-3-pro", "gemini"),
        ("mistral", "mistral-large-latest", "openai-chat"),
        ("bedrock", "us.anthropic.claude-opus-5-5-v1:0", "anthropic"),
        ("bedrock", "amazon.nova-pro-v1:0", "openai-chat"),
    ],
)
def test_the_target_names_family_and_signer(
    service: str, model: str, family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Claude keeps its rules wherever it runs, and a signature is that of the service that runs it.
    """
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    target = PydanticModel(service, model, key=KEY).target

    assert (family, model, service) == (target.family, target.model, target.provider)


def test_a_missing_key_says_where_it_belongs(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Without a key nothing can be asked, and the message says what to set.
    """
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(Refused, match="Set ANTHROPIC_API_KEY to your key"):
        PydanticModel("anthropic", OPUS)


@pytest.mark.parametrize("key", ["sk-ant-ü", "sk-ant\x00key"])
def test_a_key_that_cannot_be_one_is_refused(key: str) -> None:
    """
    A key that was copied with something else in it is found out before it is sent, and not shown.
    """
    with pytest.raises(BadInput, match="characters that no key has") as failure:
        PydanticModel("anthropic", OPUS, key=key)

    assert key not in str(failure.value)


async def test_a_key_in_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Whoever has set the key needs to give none.
    """
    monkeypatch.setenv("ANTHROPIC_API_KEY", f"{KEY}\n")
    async with anthropic(message(text("Fine."))) as there:
        model = PydanticModel("anthropic", OPUS, base_url=there.url)
        said = await reply(model, asks(model))
        await model.close()

    assert (Text(text="Fine."),) == said.parts


async def test_a_service_of_ones_own_may_need_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    At an address of one's own, what is there decides whether a key is needed.
    """
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    async with StandIn(message(text("Fine."))) as there:
        model = PydanticModel("anthropic", OPUS, base_url=there.url)
        said = await reply(model, asks(model))
        await model.close()

    assert (Text(text="Fine."),) == said.parts


def test_an_unknown_service_is_named() -> None:
    """
    A service that nobody knows is a mistake in the name.
    """
    with pytest.raises(BadInput, match="no service called 'anthropics'"):
        PydanticModel("anthropics", OPUS, key=KEY)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A service whose package is not installed says how to install it.
    """
    monkeypatch.setitem(sys.modules, "cohere", None)
    with pytest.raises(ImportError, match=r"-m pip install 'pydantic-ai-slim\[cohere\]'"):
        PydanticModel("cohere", "command-a", key=KEY)
