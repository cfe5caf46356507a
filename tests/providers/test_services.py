"""Services: where each is, which key it takes, and that the table is sound."""

import re
from pathlib import Path

import pytest

from holdfast.errors import BadInput
from holdfast.model.context_sizes import UNKNOWN, size_of
from holdfast.providers.services import SERVICES, Service, address, ollama_host

ALL = list(SERVICES.values())


@pytest.mark.parametrize("service", ALL, ids=SERVICES)
def test_a_service_can_be_reached(service: Service) -> None:
    """
    It has an address if we call it ourselves, and an extra if a package does.
    """
    assert (service.way in {"compatible", "anthropic", "gemini"}) == bool(service.url)
    assert (service.way == "pydantic") <= bool(service.extra and service.needs)
    assert re.fullmatch(r"[a-z]+", service.name)
    assert service.keyless or service.keys


@pytest.mark.parametrize("service", [each for each in ALL if each.url and not each.keyless], ids=lambda each: each.name)
def test_a_key_never_travels_in_the_open(service: Service) -> None:
    """
    Who wants a key is asked over TLS; who is asked without TLS is on this machine.
    """
    assert service.url.startswith("https://")
    assert all(each.url.startswith("http://127.0.0.1:") for each in ALL if each.url and each.keyless)


@pytest.mark.parametrize("service", [each for each in ALL if each.model], ids=lambda each: each.name)
def test_the_usual_model_of_a_service_is_known(service: Service) -> None:
    """
    Its size is known, so that its window is used.
    """
    assert service.name == "llamacpp" or UNKNOWN != size_of(f"{service.name}:{service.model}")


def test_no_two_services_claim_a_key_or_a_name() -> None:
    """
    Each variable and each beginning belongs to one.
    """
    keys = [key for service in ALL for key in service.keys]
    begins = [begin for service in ALL for begin in service.begins]

    assert len(keys) == len(set(keys))
    assert len(begins) == len(set(begins))


def test_a_key_is_the_first_that_is_set() -> None:
    """
    An empty variable is not set, and white space around a key is no part of it.
    """
    google = SERVICES["google"]
    environment = {"GEMINI_API_KEY": " ", "GOOGLE_API_KEY": " abc\n"}

    assert ("abc", "GOOGLE_API_KEY") == (google.key(environment), google.variable(environment))
    assert ("", "GEMINI_API_KEY") == (google.key({}), google.variable({}))
    assert "" == SERVICES["lmstudio"].variable({})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("box.local", "http://box.local:11434"),
        ("box.local:80", "http://box.local:80"),
        ("http://box.local", "http://box.local:80"),
        ("http://box.local:11434/", "http://box.local:11434"),
        ("https://box.local", "https://box.local:443"),
        ("https://box.local:9443/some/path", "https://box.local:9443"),
        ("[::1]", "http://[::1]:11434"),
        ("[::]:8080", "http://[::1]:8080"),
        ("::1", "http://[::1]:11434"),
        (' "10.0.0.5:11434" ', "http://10.0.0.5:11434"),
    ],
)
def test_ollama_is_where_its_own_variable_says(given: str, expected: str) -> None:
    """
    The same variable, in every form that Ollama takes it in; a server on all addresses is asked on this machine.
    """
    assert expected == ollama_host({"OLLAMA_HOST": given})
    assert f"{expected}/v1" == address(SERVICES["ollama"], {"OLLAMA_HOST": given}, {})


@pytest.mark.parametrize("given", ["box:port", "ftp://box", "http://box:"])
def test_a_variable_that_is_no_address_is_an_error(given: str) -> None:
    """
    Asking somewhere else in silence would be worse.
    """
    with pytest.raises(BadInput, match="OLLAMA_HOST"):
        ollama_host({"OLLAMA_HOST": given})


def test_an_endpoint_of_the_settings_comes_first() -> None:
    """
    Then the service's own variable, then where it usually is.
    """
    openai, environment = SERVICES["openai"], {"OPENAI_BASE_URL": "http://proxy.local/v1"}
    anthropic, another = SERVICES["anthropic"], {"ANTHROPIC_BASE_URL": " http://proxy.local "}

    assert "http://proxy.local" == address(anthropic, another, {})
    assert anthropic.url == address(anthropic, environment, {})
    assert "http://proxy.local" == address(SERVICES["google"], {"GOOGLE_GEMINI_BASE_URL": "http://proxy.local"}, {})
    assert "http://mine.local/v1" == address(openai, environment, {"openai": "http://mine.local/v1"})
    assert "http://proxy.local/v1" == address(openai, environment, {"groq": "http://mine.local/v1"})
    assert openai.url == address(openai, {}, {})


GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "choose-a-model.md"


def test_the_guide_has_every_service_in_the_order_they_are_looked_for() -> None:
    """
    With the variable of its key, its usual model and what to install.
    """
    rows = [row.split("|") for row in GUIDE.read_text().split("## Services")[1].split("## ")[0].splitlines()[4:] if row]
    rows = [row for row in rows if len(row) > 4]

    assert [f"`{each.name}`" for each in ALL] == [row[1].strip() for row in rows]
    for service, (_, _, keys, model, extra, _) in zip(ALL, rows, strict=True):
        assert all(f"`{key}`" in keys for key in service.keys if service.name != "ollama")
        assert service.model in {model.strip(" `"), "default", ""}
        assert extra.strip() == (f"`{service.extra}`" if service.extra else "")
