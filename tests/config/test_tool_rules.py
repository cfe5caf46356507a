"""Patterns that match nothing are refused; those that can match are not."""

import pytest

from holdfast.agent.permissions import Rule
from holdfast.config.tool_rules import misfit
from holdfast.errors import BadSetting
from tests.config.conftest import Place


@pytest.mark.parametrize(
    ("tool", "pattern", "hint"),
    [
        ("read_file", "/etc/*", "from the workspace"),
        ("read_file", "./secret.txt", "from the workspace"),
        ("write_file", "../x", "from the workspace"),
        ("write_file", "migrations/", "src/[*]"),
        ("*_file", "~/.ssh/*", "from the workspace"),
        ("grep", "a/../b", "from the workspace"),
        ("grep", "a//b", "from the workspace"),
        ("web_fetch", "https://example.org/*", "`example.org/[*]`"),
        ("web_fetch", "*://example.org/*", "`example.org/[*]`"),
        ("web_fetch", "example.org", "`example.org/[*]`"),
        ("web_fetch", "*.example.org", "`[*].example.org/[*]`"),
        ("web_fetch", "Example.org/Path", "`example.org/Path`"),
    ],
)
def test_a_pattern_that_never_matches_is_told_from_one_that_may(tool: str, pattern: str, hint: str) -> None:
    """
    Paths begin in the workspace, and addresses with the host, so a pattern that begins otherwise forbids nothing.
    """
    assert hint.replace("[*]", "*") in misfit(Rule(tool=tool, pattern=pattern, decision="deny"))


@pytest.mark.parametrize(
    ("tool", "pattern"),
    [
        ("read_file", "*"),
        ("read_file", "*.env"),
        ("read_file", "src/*"),
        ("read_file", ".env"),
        ("read_file", "~$draft.docx"),
        ("read_file", "."),
        ("*", "/etc/*"),
        ("shell", "/usr/bin/*"),
        ("shell", "curl https://example.org/*"),
        ("mcp_wiki_*", "https://x/"),
        ("web_fetch", "example.org/*"),
        ("web_fetch", "example.org:8080/Path?a=b"),
        ("web_fetch", "*.example.org/*"),
        ("web_fetch", "example.*"),
        ("web_fetch", "web.archive.org/web/https://example.org/*"),
    ],
)
def test_what_may_match_is_no_misfit(tool: str, pattern: str) -> None:
    """
    Also where the rule is about tools of more than one kind.
    """
    assert not misfit(Rule(tool=tool, pattern=pattern, decision="deny"))


def test_a_file_with_such_a_rule_is_refused(place: Place) -> None:
    """
    With its line, and with what was meant.
    """
    place.user('model = "x"\n[[permissions]]\ntool = "web_fetch"\npattern = "https://a.b/*"\ndecision = "deny"\n')

    with pytest.raises(BadSetting, match=r":2: `permissions` has the pattern.*Write `a\.b/\*`"):
        place.load()
