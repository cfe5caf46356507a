"""Names of tools in rules and lists."""

import pytest

from docs.generate_tools import tools
from holdfast import BadSetting
from holdfast.config.tool_rules import unknown_tool
from tests.config.conftest import Place

DENY = '[[permissions]]\ntool = "{}"\ndecision = "deny"\n'


@pytest.mark.parametrize("name", [tool.spec.name for tool in tools()])
def test_every_tool_can_be_named(name: str) -> None:
    """
    In full, or by a pattern.
    """
    assert "" == unknown_tool(name) == unknown_tool(f"{name[:3]}*")


@pytest.mark.parametrize(
    "name", ["*", "?*", "*_file", "mcp_*", "mc*", "mcp_github_search", "mcp_git*_[*]", "*_of_a_server", "*search"]
)
def test_what_a_server_may_bring_can_be_named(name: str) -> None:
    """
    Before it is started, and while it is not set up: then the name stands for nothing, and is no slip.
    """
    assert "" == unknown_tool(name)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("shel", "Did you mean `shell`?"),
        ("Shell", "Did you mean `shell`?"),
        ("writefile", "Did you mean `write_file`?"),
        ("read_fil", "Did you mean `read_file`?"),
        ("writ_*", "Did you mean `write_file`?"),
        ("bash", "There are ask_user, block_goal, "),
        ("mcp", "those of servers are called mcp_SERVER_TOOL."),
        ("", "There are "),
    ],
)
def test_what_no_tool_can_be_called_is_a_slip(name: str, hint: str) -> None:
    """
    With the nearest name, or all of them.
    """
    assert hint in unknown_tool(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"model = 'local'\n\n{DENY.format('shell')}\n{DENY.format('shel')}", ":7: `permissions` names 'shel', and"),
        (
            'tools.disabled = ["shell", "web_fetsh"]',
            ":1: `tools.disabled` names 'web_fetsh', and there is no such tool.",
        ),
        ('[tools]\nenabled = ["find", "ls"]', ":2: `tools.enabled` names 'ls', and there is no such tool."),
    ],
)
def test_a_slip_in_a_file_is_refused(place: Place, text: str, expected: str) -> None:
    """
    With the file and the line: a denial that means nothing would forbid nothing, silently.
    """
    file = place.user(text)
    with pytest.raises(BadSetting) as refused:
        place.load()

    assert f"{file}{expected}" in refused.value.message


def test_a_project_is_held_to_it_too(place: Place) -> None:
    """
    What it denies, it means.
    """
    file = place.write_project(DENY.format("web-fetch"))
    with pytest.raises(BadSetting) as refused:
        place.load()

    assert str(file) in refused.value.message
    assert "Did you mean `web_fetch`?" == refused.value.hint
