"""Servers of further tools: what the settings say, with secrets in the place of their names."""

import pytest

from holdfast.assembly.agent import mcp_servers, named_secrets
from holdfast.config.settings import McpSettings
from holdfast.errors import BadSetting
from holdfast.tools.mcp.server import McpServer


def test_a_server_is_what_the_settings_say() -> None:
    """
    A program with its arguments, or an address, each with what it is told besides.
    """
    named = {
        "files": McpSettings(command="serve", args=("--all",), env={"TOKEN": "$KEY"}, tools=("read",)),
        "far": McpSettings(url="https://far", headers={"A": "Bearer ${KEY}"}, seconds=5, trusted_reads=True),
    }

    assert (
        McpServer(name="files", command=("serve", "--all"), env={"TOKEN": "abc"}, tools=("read",)),
        McpServer(name="far", url="https://far", headers={"A": "Bearer abc"}, seconds=5, trusted_reads=True),
    ) == mcp_servers(named, {"KEY": "abc"})


def test_a_missing_secret_is_named() -> None:
    """
    No server is started without what it needs.
    """
    with pytest.raises(BadSetting, match="KEY"):
        mcp_servers({"x": McpSettings(command="serve", env={"A": "$KEY"})}, {})


def test_every_field_of_a_server_can_be_set() -> None:
    """
    What a server can be told, the settings can say.
    """
    assert {"name"} == set(McpServer.__struct_fields__) - set(McpSettings.__struct_fields__)


def test_the_secrets_that_servers_are_given_are_known_by_name() -> None:
    """
    Each once, whether it is a variable or in a header.
    """
    named = {
        "files": McpSettings(command="serve", env={"TOKEN": "$KEY", "MODE": "fast"}),
        "far": McpSettings(url="https://far", headers={"A": "Bearer ${KEY}", "B": "$OTHER"}),
    }

    assert ("KEY", "OTHER") == named_secrets(named)
