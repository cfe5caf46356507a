"""The servers of further tools as they are started: with their secrets filled in."""

from collections.abc import Mapping

from holdfast.config.key_storage import filled
from holdfast.config.secrets import names_in
from holdfast.config.settings import McpSettings
from holdfast.tools.mcp.server import McpServer


def mcp_servers(named: Mapping[str, McpSettings], environment: Mapping[str, str]) -> tuple[McpServer, ...]:
    """The servers of the settings, by name. Raises `BadSetting` where a secret is missing that one names."""
    return tuple(_server(name, each, environment) for name, each in named.items())


def named_secrets(named: Mapping[str, McpSettings]) -> tuple[str, ...]:
    """The names of the secrets that servers are given."""
    texts = (text for each in named.values() for text in (*each.env.values(), *each.headers.values()))
    return tuple(dict.fromkeys(name for text in texts for name in names_in(text)))


def _server(name: str, settings: McpSettings, environment: Mapping[str, str]) -> McpServer:
    return McpServer(
        name=name,
        command=(settings.command, *settings.args) if settings.command else (),
        env=filled(settings.env, environment),
        url=settings.url,
        headers=filled(settings.headers, environment),
        seconds=settings.seconds,
        tools=settings.tools,
        trusted_reads=settings.trusted_reads,
    )
