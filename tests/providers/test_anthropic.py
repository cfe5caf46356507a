"""Claude over our own HTTP: what it needs before it can be asked, and how it is found."""

import pytest

from holdfast.errors import BadInput, Refused
from holdfast.model.protocol import Target
from holdfast.providers.anthropic import AnthropicModel
from holdfast.records.parts import Text
from tests.providers.anthropic_server import KEY, anthropic, message, text
from tests.providers.claude import OPUS, SONNET, asks, reply
from tests.providers.stand_in import StandIn


async def test_a_request_for_another_model_is_refused() -> None:
    """
    Rules differ between models, so a request made for one is not sent to another.
    """
    model, other = AnthropicModel(OPUS, key=KEY), AnthropicModel(SONNET, key=KEY)
    with pytest.raises(Refused, match=SONNET):
        await reply(model, asks(other))


def test_the_target_names_family_and_signer() -> None:
    """
    As it did through pydantic-ai: signatures in old sessions go on to be sent back.
    """
    assert Target(family="anthropic", model=OPUS, provider="anthropic") == AnthropicModel(OPUS, key=KEY).target


@pytest.mark.parametrize("url", ["", "https://api.anthropic.com", "https://api.anthropic.com/v1/"])
def test_a_missing_key_says_where_it_belongs(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Without a key nothing can be asked, and the message says what to set.
    """
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(Refused, match="Set ANTHROPIC_API_KEY to your key"):
        AnthropicModel(OPUS, base_url=url)


@pytest.mark.parametrize("key", ["sk-ant-ü", "sk-ant\x00key"])
def test_a_key_that_cannot_be_one_is_refused(key: str) -> None:
    """
    A key that was copied with something else in it is found out before it is sent, and not shown.
    """
    with pytest.raises(BadInput, match="characters that no key has") as failure:
        AnthropicModel(OPUS, key=key)

    assert key not in str(failure.value)


async def test_a_key_in_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Whoever has set the key needs to give none.
    """
    monkeypatch.setenv("ANTHROPIC_API_KEY", f"{KEY}\n")
    async with anthropic(message(text("Fine."))) as there:
        model = AnthropicModel(OPUS, base_url=there.url)
        said = await reply(model, asks(model))
        await model.close()

    assert (Text(text="Fine."),) == said.parts


@pytest.mark.parametrize(
    ("below", "path"), [("", "/v1/messages"), ("/v1", "/v1/messages"), ("/a/?b=c", "/a/v1/messages?b=c")]
)
async def test_a_service_of_ones_own_may_need_no_key(below: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    At an address of one's own, what is there decides whether a key is needed. The version may stand in the address.
    """
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    async with StandIn(message(text("Fine."))) as there:
        model = AnthropicModel(OPUS, base_url=there.url + below)
        said = await reply(model, asks(model))
        await model.close()

    assert (Text(text="Fine."),) == said.parts
    assert path == there.asked[0].path
    assert {"x-api-key", "authorization"}.isdisjoint(there.asked[0].headers)


async def test_the_version_of_the_service_is_named() -> None:
    """
    The service refuses a request that does not say which of its rules it keeps.
    """
    async with anthropic(message(text("Fine."))) as there:
        model = AnthropicModel(OPUS, key=KEY, base_url=there.url)
        await reply(model, asks(model))
        await model.close()

    assert "2023-06-01" == there.asked[0].headers["anthropic-version"]
