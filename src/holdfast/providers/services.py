"""The services that have models, and how each is reached.

The order is the one in which keys in the environment are looked for. Keys of AWS are
not among them: they are there for many reasons, and a bill is a poor way to learn
that this was one. Only a key made for Bedrock counts.
"""

from collections.abc import Mapping
from typing import Literal

from holdfast.errors import BadInput
from holdfast.model.protocol import Family
from holdfast.records.parts import Value

Way = Literal["compatible", "anthropic", "gemini", "pydantic", "local", "scripted"]
"""What talks to a service: our own HTTP as OpenAI, Anthropic or Google do, pydantic-ai, a library here, or a file."""


class Service(Value, frozen=True, kw_only=True):
    """Someone who has models."""

    name: str
    """As in `name:model`."""
    title: str
    """As people call it."""
    way: Way = "compatible"
    family: Family = "openai-chat"
    url: str = ""
    """Where it is, unless an endpoint is set."""
    keys: tuple[str, ...] = ()
    """Environment variables that may hold its key, the usual one first."""
    keyless: bool = False
    """Whether it can be asked without a key."""
    model: str = ""
    """The model that is meant when only the service is named; without it, one has to be named."""
    begins: tuple[str, ...] = ()
    """How the names of models begin that are this service's alone."""
    extra: str = ""
    """The extra with its packages, if the base install has not all it needs."""
    needs: tuple[str, ...] = ()
    """The modules that come with it."""

    def key(self, environment: Mapping[str, str]) -> str:
        """The key that the environment holds, or nothing."""
        return next((value for name in self.keys if (value := environment.get(name, "").strip())), "")

    def variable(self, environment: Mapping[str, str]) -> str:
        """The variable that holds the key, or the one that should."""
        usual = self.keys[0] if self.keys else ""
        return next((name for name in self.keys if environment.get(name, "").strip()), usual)


_ALL = (
    Service(
        name="anthropic",
        title="Anthropic",
        way="anthropic",
        family="anthropic",
        url="https://api.anthropic.com",
        keys=("ANTHROPIC_API_KEY",),
        model="claude-sonnet-5-5",
        begins=("claude-",),
    ),
    Service(
        name="openai",
        title="OpenAI",
        family="openai-responses",
        url="https://api.openai.com/v1",
        keys=("OPENAI_API_KEY",),
        model="gpt-6.1-sol",
        begins=("gpt-", "chatgpt-", "o1", "o3", "o4"),
    ),
    Service(
        name="google",
        title="Google",
        way="gemini",
        family="gemini",
        url="https://generativelanguage.googleapis.com",
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        model="gemini-4-argon",
        begins=("gemini-",),
    ),
    Service(
        name="openrouter",
        title="OpenRouter",
        url="https://openrouter.ai/api/v1",
        keys=("OPENROUTER_API_KEY",),
        model="openai/gpt-6-sol",
    ),
    Service(
        name="deepseek",
        title="DeepSeek",
        url="https://api.deepseek.com",
        keys=("DEEPSEEK_API_KEY",),
        model="deepseek-v4-pro",
        begins=("deepseek-v",),
    ),
    Service(
        name="xai",
        title="xAI",
        url="https://api.x.ai/v1",
        keys=("XAI_API_KEY",),
        model="grok-4.7",
        begins=("grok-",),
    ),
    Service(
        name="moonshot",
        title="Moonshot",
        url="https://api.moonshot.ai/v1",
        keys=("MOONSHOT_API_KEY",),
        model="kimi-k3",
        begins=("kimi-",),
    ),
    Service(
        name="mistral",
        title="Mistral",
        way="pydantic",
        keys=("MISTRAL_API_KEY",),
        model="mistral-large-latest",
        begins=("mistral-large", "mistral-medium", "mistral-small-latest", "codestral-", "magistral-"),
        extra="mistral",
        needs=("pydantic_ai", "mistralai"),
    ),
    Service(
        name="groq",
        title="Groq",
        url="https://api.groq.com/openai/v1",
        keys=("GROQ_API_KEY",),
        model="openai/gpt-oss-120b",
    ),
    Service(
        name="together",
        title="Together",
        url="https://api.together.xyz/v1",
        keys=("TOGETHER_API_KEY",),
        model="openai/gpt-oss-120b",
    ),
    Service(
        name="fireworks",
        title="Fireworks",
        url="https://api.fireworks.ai/inference/v1",
        keys=("FIREWORKS_API_KEY",),
        model="accounts/fireworks/models/gpt-oss-120b",
    ),
    Service(
        name="bedrock",
        title="Amazon Bedrock",
        way="pydantic",
        family="anthropic",
        keys=("AWS_BEARER_TOKEN_BEDROCK",),
        keyless=True,  # the packages of AWS find keys of their own
        model="us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        begins=("us.anthropic.", "eu.anthropic.", "global.anthropic.", "anthropic.claude"),
        extra="bedrock",
        needs=("pydantic_ai", "boto3"),
    ),
    Service(name="ollama", title="Ollama", url="http://127.0.0.1:11434/v1", keys=("OLLAMA_API_KEY",), keyless=True),
    Service(name="lmstudio", title="LM Studio", url="http://127.0.0.1:1234/v1", keyless=True),
    Service(
        name="llamacpp",
        title="llama.cpp",
        url="http://127.0.0.1:8080/v1",
        keys=("LLAMA_API_KEY",),
        keyless=True,
        model="default",  # it serves the one model it was started with, whatever it is called
    ),
    Service(name="vllm", title="vLLM", url="http://127.0.0.1:8000/v1", keys=("VLLM_API_KEY",), keyless=True),
    Service(
        name="local",
        title="the built-in demo model",
        way="local",
        keyless=True,
        model="smollm2",
        begins=("smollm2",),
        extra="local",
        needs=("xllamacpp",),
    ),
    Service(name="scripted", title="the script", way="scripted", keyless=True),
)

SERVICES: Mapping[str, Service] = {service.name: service for service in _ALL}
"""Every service by its name."""


_VARIABLES = {
    "anthropic": "ANTHROPIC_BASE_URL",
    "google": "GOOGLE_GEMINI_BASE_URL",
    "openai": "OPENAI_BASE_URL",
}
"""The variables in which the services' own packages look for another address."""


def address(service: Service, environment: Mapping[str, str], endpoints: Mapping[str, str]) -> str:
    """Where a service is: as the settings say, as its own variable says, or where it usually is."""
    if endpoint := endpoints.get(service.name):
        return endpoint
    if service.name == "ollama":
        return f"{ollama_host(environment)}/v1"
    return environment.get(_VARIABLES.get(service.name, ""), "").strip() or service.url


def ollama_host(environment: Mapping[str, str]) -> str:
    """Where Ollama listens, by the variable that it reads itself: a host, a port, both, or an address."""
    given = environment.get("OLLAMA_HOST", "").strip().strip("'\"")
    scheme, found, rest = given.partition("://")
    if not found:
        scheme, rest = "http", given
    place = rest.split("/", 1)[0]
    if place.count(":") > 1 and not place.startswith("["):
        place = f"[{place}]"
    host, colon, port = place.rpartition(":")
    if not colon or place.endswith("]"):
        host, port = place, {"http": "80", "https": "443"}.get(scheme, "") if found else "11434"
    if not port.isdecimal() or scheme not in {"http", "https"}:
        raise BadInput(f"OLLAMA_HOST is no address: {given!r}.", hint="Set it to one like 127.0.0.1:11434.")
    # Every address of this machine is where it listens, and its own address is where to ask.
    host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)  # noqa: S104 - it is not bound
    return f"{scheme}://{host}:{port}"
