"""Which model answers: what was asked for, or the best of what is here, said in one line."""

import asyncio
import json
import re
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from holdfast.errors import BadInput, ModelError, Refused
from holdfast.installation import command_to_add
from holdfast.model.protocol import Request, Target, TextDelta, UserMessage
from holdfast.providers.choose.choose import choose, make_model, understood
from holdfast.providers.choose.detect import PROBE_SECONDS, is_installed, ollama_models
from holdfast.providers.services import SERVICES, Service
from holdfast.records.parts import Text
from tests.providers.anthropic_server import message, text
from tests.providers.gemini_server import GEMINI, answer, gemini
from tests.providers.gemini_server import KEY as GOOGLE_KEY
from tests.providers.servers import Played, piece, serving, sse
from tests.providers.stand_in import StandIn

NOWHERE = {"OLLAMA_HOST": "127.0.0.1:9"}
"""An environment in which nothing is found."""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai:gpt-6-sol", "openai:gpt-6-sol"),
        ("OpenAI:gpt-6-sol", "openai:gpt-6-sol"),
        (" ollama:qwen3:8b ", "ollama:qwen3:8b"),
        ("openrouter:anthropic/claude-opus-5.5", "openrouter:anthropic/claude-opus-5.5"),
        ("scripted:/tmp/a:b.jsonl", "scripted:/tmp/a:b.jsonl"),
        ("openai", "openai:gpt-6.1-sol"),
        ("openai:", "openai:gpt-6.1-sol"),
        ("local", "local:smollm2"),
        ("smollm2", "local:smollm2"),
        ("gpt-4o", "openai:gpt-4o"),
        ("o4-mini", "openai:o4-mini"),
        ("claude-opus-5-5", "anthropic:claude-opus-5-5"),
        ("gemini-4-argon", "google:gemini-4-argon"),
        ("grok-4.7", "xai:grok-4.7"),
        ("deepseek-v4-pro", "deepseek:deepseek-v4-pro"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    ],
)
def test_a_name_is_understood(name: str, expected: str) -> None:
    """
    With its service, by its service alone, or by a beginning that only one service has.
    """
    assert expected == str(understood(name))


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("opnai:gpt-4o", "openai:gpt-4o"),
        ("opanai", "openai"),
        ("clude-opus-5", "claude-opus-5"),
        ("qwen3:8b", "Services: anthropic, openai"),
        ("gpt-oss:20b", "openai/gpt-oss-120b"),
        ("openai/gpt-6-sol", "openrouter:openai/gpt-6-sol"),
        ("", "Services: "),
    ],
)
def test_a_name_nobody_knows_brings_the_nearest(name: str, near: str) -> None:
    """
    A slip of the finger, or a model that many services have.
    """
    with pytest.raises(BadInput) as raised:
        understood(name)

    assert near in raised.value.hint


@pytest.mark.parametrize(
    ("asked", "session", "configured", "name", "why"),
    [
        ("gpt-4o", "ollama:a", "groq:b", "openai:gpt-4o", "asked for"),
        ("", "ollama:a", "groq:b", "ollama:a", "the session's"),
        (" ", "", "groq:b", "groq:b", "from the settings"),
    ],
)
async def test_what_was_asked_for_counts_first(asked: str, session: str, configured: str, name: str, why: str) -> None:
    """
    Then the session's model, then the one of the settings, whatever keys there are.
    """
    environment = {"ANTHROPIC_API_KEY": "sk-ant-secret"}
    choice = await choose(asked=asked, session=session, configured=configured, environment=environment)

    assert (name, why) == (choice.name, choice.why)
    assert f"Model: {name} ({why})." == choice.said


async def test_a_wrong_name_is_an_error_and_not_another_model() -> None:
    """
    Nobody is moved to a model they did not ask for.
    """
    with pytest.raises(BadInput):
        await choose(asked="nonsense", environment={"OPENAI_API_KEY": "sk-secret"})


async def test_a_key_in_the_place_of_a_name_is_not_shown() -> None:
    """
    Who pastes a key where a model belongs is told of the mistake, and their log of errors has no key.
    """
    with pytest.raises(BadInput, match="has the model '\\[key\\]'"):
        await choose(asked="sk-proj-abcdefghijklmnop", environment={})


@pytest.mark.parametrize(
    ("keys", "name", "why"),
    [
        (["OPENAI_API_KEY", "GROQ_API_KEY"], "openai:gpt-6.1-sol", "found OPENAI_API_KEY"),
        (["GROQ_API_KEY", "ANTHROPIC_API_KEY"], "anthropic:claude-sonnet-5-5", "found ANTHROPIC_API_KEY"),
        (["GOOGLE_API_KEY"], "google:gemini-4-argon", "found GOOGLE_API_KEY"),
        (["TOGETHER_API_KEY"], "together:openai/gpt-oss-120b", "found TOGETHER_API_KEY"),
    ],
)  # fmt: skip
async def test_a_key_in_the_environment_is_found(keys: list[str], name: str, why: str) -> None:
    """
    In an order that is always the same; the key itself is never said.
    """
    choice = await choose(environment={**NOWHERE, **dict.fromkeys(keys, "sk-very-secret")})

    assert (name, why) == (choice.name, choice.why)
    assert "secret" not in repr(choice)
    assert "\n" not in choice.said


@pytest.mark.parametrize("variable", ["AWS_ACCESS_KEY_ID", "VLLM_API_KEY", "OLLAMA_API_KEY"])
async def test_a_key_that_is_there_for_something_else_is_not_taken(variable: str) -> None:
    """
    AWS has keys for many reasons, and a key for a server here does not say that it runs.
    """
    choice = await choose(environment={**NOWHERE, variable: "secret"})

    assert "local:smollm2" == choice.name


async def test_a_key_whose_package_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The next best answers, and the line says what to install.
    """
    monkeypatch.setitem(sys.modules, "mistralai", None)
    keys = {"MISTRAL_API_KEY": "sk-secret", "GROQ_API_KEY": "sk-secret"}
    choice = await choose(environment=keys)

    assert "groq:openai/gpt-oss-120b" == choice.name
    assert f"For MISTRAL_API_KEY, type: `{command_to_add('mistral')}`." in choice.said


async def test_without_any_model_the_line_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A model is named all the same, so that the chat opens; the line has the exact command that adds its packages.
    """
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    choice = await choose(environment=NOWHERE)

    assert "local:smollm2" == choice.name
    assert f"`{command_to_add('local')}`" in choice.said
    assert "OPENAI_API_KEY" in choice.said


async def test_with_nothing_else_the_small_model_answers() -> None:
    """
    A fresh machine has one too, and is told how to get a better one.
    """
    choice = await choose(environment=NOWHERE)

    assert ("local:smollm2", "nothing else was found: the built-in demo model") == (choice.name, choice.why)
    assert "OPENAI_API_KEY" in choice.said
    assert "\n" not in choice.said


def tags(*models: Mapping[str, object]) -> Played:
    """What Ollama says it has, to a client that speaks the old HTTP."""
    return Played(chunks=(json.dumps({"models": models}).encode(),), kind="application/json", plain=True)


QWEN = {"name": "qwen3:8b", "modified_at": "2026-11-01T00:00:00Z", "details": {"family": "qwen3"}}
LLAMA = {"name": "llama3.2:latest", "modified_at": "2026-10-01T00:00:00Z", "details": {"family": "llama"}}
EMBED = {"name": "nomic-embed-text:latest", "modified_at": "2026-11-09T00:00:00Z", "details": {"family": "nomic-bert"}}
CLOUD = {"name": "gpt-oss:120b-cloud", "modified_at": "2026-11-10T00:00:00Z", "remote_host": "https://ollama.com"}


async def test_a_running_ollama_is_found() -> None:
    """
    With the model that was changed last, of those that can chat and are here.
    """
    async with serving(tags(LLAMA, EMBED, CLOUD, QWEN)) as server:
        host = server.url.removesuffix("/v1")
        environment = {"OLLAMA_HOST": host}
        choice = await choose(environment=environment)
        named = await choose(asked="ollama", environment=environment)
        every = await ollama_models(environment)

    assert ("ollama:qwen3:8b", f"found Ollama on {host}") == (choice.name, choice.why)
    assert ("ollama:qwen3:8b", "asked for") == (named.name, named.why)
    assert ("qwen3:8b", "llama3.2:latest", "gpt-oss:120b-cloud") == every
    assert "/api/tags" == server.asked[0].path


@pytest.mark.parametrize(
    "played",
    [
        pytest.param(tags(), id="no models"),
        pytest.param(tags(EMBED), id="no chat models"),
        pytest.param(Played(chunks=(b"{}",), plain=True), id="another object"),
        pytest.param(Played(chunks=(b"<html>",), plain=True), id="a page"),
        pytest.param(Played(chunks=(b'{"models": 7}',), plain=True), id="wrong types"),
        pytest.param(Played(chunks=(b"{}",), status=404, plain=True), id="another service"),
        pytest.param(Played(silent=True), id="nothing, for ever"),
        pytest.param(Played(chunks=(b'{"mod',), ends="hanging", plain=True), id="half of it, for ever"),
    ],
)
async def test_what_is_not_a_running_ollama_holds_nobody_up(played: Played) -> None:
    """
    Whatever listens there, or listens and says nothing.
    """
    async with serving(played) as server:
        async with asyncio.timeout(60):  # the server never ends by itself
            choice = await choose(environment={"OLLAMA_HOST": server.url.removesuffix("/v1")})

    assert "local:smollm2" == choice.name
    assert PROBE_SECONDS <= 1


async def test_ollama_that_was_asked_for_and_is_not_there_is_an_error() -> None:
    """
    With how to get a model; the same for servers that cannot be asked what they have.
    """
    with pytest.raises(BadInput, match="ollama pull"):
        await choose(asked="ollama", environment=NOWHERE)
    with pytest.raises(BadInput, match="vllm:MODEL"):
        await choose(configured="vllm", environment=NOWHERE)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("openai:gpt-6-sol", Target(family="openai-responses", model="gpt-6-sol", provider="openai")),
        ("groq", Target(family="openai-chat", model="openai/gpt-oss-120b", provider="groq")),
        ("deepseek-v4-pro", Target(family="openai-chat", model="deepseek-v4-pro", provider="deepseek")),
        ("ollama:qwen3", Target(family="openai-chat", model="qwen3", provider="ollama")),
        ("llamacpp", Target(family="openai-chat", model="default", provider="llamacpp")),
        ("anthropic", Target(family="anthropic", model="claude-sonnet-5-5", provider="anthropic")),
        ("gemini-3-pro", Target(family="gemini", model="gemini-3-pro", provider="google")),
    ],
)
def test_a_model_is_made_of_its_name(name: str, target: Target, tmp_path: Path) -> None:
    """
    With the family its service speaks, and without a word being sent.
    """
    keys = {key: "sk-secret-0001" for service in SERVICES.values() for key in service.keys}

    assert target == make_model(name, environment=keys, cache=tmp_path, endpoints={}).target


@pytest.mark.parametrize(
    ("name", "environment", "words"),
    [
        ("openai:gpt-4o", {}, "OPENAI_API_KEY"),
        ("anthropic", {}, "ANTHROPIC_API_KEY"),
        ("google", {}, "GEMINI_API_KEY or GOOGLE_API_KEY"),
        ("openai:gpt-4o", {"OPENAI_API_KEY": "  "}, "OPENAI_API_KEY"),
        ("openai:gpt-4o", {"OPENAI_API_KEY": "sk-sécret"}, "OPENAI_API_KEY"),
        ("ollama", {}, "ollama:MODEL"),
        ("local:gpt-4o", {}, "local:smollm2"),
        ("scripted:/nowhere/script.jsonl", {}, "cannot be read"),
        ("nonsense", {}, "Services: "),
    ],
)
def test_a_model_that_cannot_be_made_says_what_is_missing(
    name: str, environment: dict[str, str], words: str, tmp_path: Path
) -> None:
    """
    Before anything is sent.
    """
    with pytest.raises(BadInput) as raised:
        make_model(name, environment=environment, cache=tmp_path)

    assert words in str(raised.value)
    assert "cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "module"),
    [("bedrock", "boto3"), ("local", "xllamacpp"), ("mistral", "mistralai")],
)
def test_a_missing_package_is_named_by_its_extra(
    name: str, module: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """
    The hint is the command that brings it.
    """
    monkeypatch.setitem(sys.modules, module, None)
    service = SERVICES[name]
    environment = dict.fromkeys(service.keys, "sk-secret-0001")

    assert not is_installed(service)
    with pytest.raises(Refused, match=re.escape(command_to_add(service.extra))):
        make_model(name, environment=environment, cache=tmp_path)


@pytest.mark.parametrize(
    ("module", "there"), [("json", True), ("json.decoder", True), ("nowhere", False), ("nowhere.inner", False)]
)
def test_a_package_is_looked_for_without_being_loaded(module: str, there: bool) -> None:
    """
    Also a module inside one that is not here.
    """
    assert there == is_installed(Service(name="acme", title="Acme", needs=(module,)))


def test_a_package_that_is_broken_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """
    Here, but not to be loaded.
    """
    monkeypatch.setitem(sys.modules, "holdfast.providers.pydantic_ai", None)

    with pytest.raises(Refused, match="Mistral cannot be loaded"):
        make_model("mistral", environment={"MISTRAL_API_KEY": "sk-secret-0001"}, cache=tmp_path)


def test_the_demo_model_is_made_without_being_fetched(tmp_path: Path) -> None:
    """
    The first request fetches it.
    """
    model = make_model("local", environment={}, cache=tmp_path, progress=lambda _done, _all: None)

    assert "smollm2" in model.target.model.lower()
    assert [] == list(tmp_path.iterdir())


async def test_a_file_that_is_no_model_is_refused_by_name(tmp_path: Path) -> None:
    """
    Nothing is fetched instead, because nobody asked for that.
    """
    named = {"HOLDFAST_WEIGHTS": str(tmp_path / "none.gguf")}

    with pytest.raises(ModelError, match=r"none\.gguf cannot be read"):
        await choose(environment={**NOWHERE, **named})
    with pytest.raises(ModelError, match=r"none\.gguf cannot be read"):
        make_model("local", environment=named, cache=tmp_path)


@pytest.mark.parametrize("url", ["https://api.openai.com/v1/", "https://API.OpenAI.com/v1"])
def test_a_service_is_itself_however_its_address_is_written(url: str, tmp_path: Path) -> None:
    """
    A slash at the end of OPENAI_BASE_URL would else take the newer models' tools away, which need the Responses API.
    """
    environment = {"OPENAI_API_KEY": "sk-secret-0001", "OPENAI_BASE_URL": url}

    assert "openai-responses" == make_model("openai", environment=environment, cache=tmp_path).target.family
    with pytest.raises(BadInput, match="no key for OpenAI"):
        make_model("openai", environment={"OPENAI_BASE_URL": url}, cache=tmp_path)


async def test_an_endpoint_is_asked_in_place_of_the_service(tmp_path: Path) -> None:
    """
    A server of one's own under a service's name speaks chat completions and needs no key, but gets it if there is one.
    """
    async with serving(Played(chunks=(sse(piece("Yes."), piece(stop="stop")),))) as server:
        for environment in ({}, {"OPENAI_API_KEY": "sk-secret-0001"}):
            model = make_model(
                "openai:gpt-4o", environment=environment, cache=tmp_path, endpoints={"openai": server.url}
            )
            request = Request(target=model.target, messages=(UserMessage(parts=(Text(text="Hello"),)),))
            said = [delta async for delta in model.stream(request)]
            assert TextDelta(text="Yes.") == said[0]
            await model.close()  # type: ignore[attr-defined]

    assert ["/v1/chat/completions"] * 2 == [asked.path for asked in server.asked]
    assert [None, "Bearer sk-secret-0001"] == [asked.headers.get("authorization") for asked in server.asked]


async def test_claude_is_asked_at_the_address_of_its_variable(tmp_path: Path) -> None:
    """
    The key goes there too, in both places that gateways look for it; none is needed where none is wanted.
    """
    async with StandIn(message(text("Yes.")), message(text("Yes."))) as there:
        for key in ({}, {"ANTHROPIC_API_KEY": "sk-secret-0001"}):
            environment = {"ANTHROPIC_BASE_URL": f"{there.url}/", **key}
            model = make_model("claude-opus-5-5", environment=environment, cache=tmp_path)
            request = Request(target=model.target, messages=(UserMessage(parts=(Text(text="Hello"),)),))
            said = [delta async for delta in model.stream(request)]
            assert TextDelta(text="Yes.") == said[0]
            await model.close()  # type: ignore[attr-defined]

    assert ["/v1/messages"] * 2 == [asked.path for asked in there.asked]
    assert [None, "sk-secret-0001"] == [asked.headers.get("x-api-key") for asked in there.asked]
    assert [None, "Bearer sk-secret-0001"] == [asked.headers.get("authorization") for asked in there.asked]


async def test_gemini_is_asked_at_the_endpoint_of_the_settings(tmp_path: Path) -> None:
    """
    Either of its two keys is taken.
    """
    async with gemini(answer({"text": "Yes."})) as there:
        environment = {"GOOGLE_API_KEY": GOOGLE_KEY}
        model = make_model(f"google:{GEMINI}", environment=environment, cache=tmp_path, endpoints={"google": there.url})
        request = Request(target=model.target, messages=(UserMessage(parts=(Text(text="Hello"),)),))
        said = [delta async for delta in model.stream(request)]
        await model.close()  # type: ignore[attr-defined]

    assert TextDelta(text="Yes.") == said[0]


def test_choosing_loads_nothing_that_is_not_chosen() -> None:
    """
    An HTTP client, pydantic-ai and a model's library each take their time; only the one that is chosen does.
    """
    program = (
        "import asyncio, sys; from holdfast.providers.choose.choose import choose;"
        "asyncio.run(choose(environment={'OPENAI_API_KEY': 'x', 'ANTHROPIC_API_KEY': 'x'}));"
        "asyncio.run(choose(environment={'OLLAMA_HOST': '127.0.0.1:9'}));"
        "print(sorted({'httpx2', 'pydantic_ai', 'xllamacpp', 'anthropic', 'boto3'} & set(sys.modules)))"
    )

    async def ran() -> bytes:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
        return (await process.communicate())[0]

    assert b"[]\n" == asyncio.run(ran())


def test_nothing_listens_at_the_address_of_these_tests() -> None:
    """
    Port 9 is where nothing is found; were something there, other tests would tell lies.
    """
    with socket.socket() as asking:
        assert 0 != asking.connect_ex(("127.0.0.1", 9))
