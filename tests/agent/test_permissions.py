"""Permission: a denial wins, the last rule decides, and what was granted covers that and nothing else."""

import inspect

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agent.permissions import NEXT_MODE, Decision, Mode, Permissions, Rule
from holdfast.agent.tool import Ask

SUBJECTS = st.text("ab*?[]! -^\\\n.é", max_size=8)


def ask(*subjects: str, tool: str = "shell", reads_only: bool = False, opaque: bool = False) -> Ask:
    """A call."""
    return Ask(tool=tool, subjects=subjects, title="x", reads_only=reads_only, opaque=opaque)


def rule(decision: Decision, pattern: str = "*", tool: str = "shell") -> Rule:
    """A rule."""
    return Rule(tool=tool, pattern=pattern, decision=decision)


def decide(asked: Ask, *rules: Rule) -> Decision:
    """What these rules say to a call."""
    return Permissions(rules).decide(asked)


def test_where_no_rule_matches_reading_is_allowed_and_the_rest_is_asked_about() -> None:
    """
    Without rules nothing changes anything unasked.
    """
    assert "allow" == decide(ask("a", reads_only=True))
    assert "ask" == decide(ask("a"))
    assert "ask" == decide(ask())


def test_what_a_subject_starts_is_allowed_where_a_rule_names_it() -> None:
    """
    A rule for `uv run make *` needs no other one for `make`; one for `uv run *` does; a rule for `make` counts.
    """
    asked = Ask(tool="shell", subjects=("uv run make x", "make x"), title="x", started=(("make x", "uv run make"),))

    assert "allow" == decide(asked, rule("allow", "uv run make *"))
    assert "ask" == decide(asked, rule("allow", "uv run *"))
    assert "allow" == decide(asked, rule("allow", "uv run *"), rule("allow", "make *"))
    assert "ask" == decide(asked, rule("allow", "uv run make *"), rule("ask", "make *"))
    assert "deny" == decide(asked, rule("allow", "uv run make *"), rule("deny", "make *"))
    assert "ask" == decide(asked, rule("allow", "uv run make *", "other"))


def test_reading_that_may_do_more_is_asked_about() -> None:
    """
    A call that cannot be seen through is not taken at its word that it only reads.
    """
    assert "ask" == decide(ask("a", reads_only=True, opaque=True))


def test_a_denial_anywhere_wins() -> None:
    """
    No later rule, no other subject and no grant brings back what was denied.
    """
    denied = rule("deny", "rm *")
    permissions = Permissions([denied, rule("allow")])
    permissions.grant(ask("rm x"))

    assert "deny" == permissions.decide(ask("rm x"))
    assert "deny" == permissions.decide(ask("ls", "rm x"))
    assert "deny" == permissions.decide(ask("rm x", opaque=True))
    assert "deny" == permissions.decide(ask("rm x", reads_only=True))
    assert "allow" == permissions.decide(ask("ls"))


def test_the_last_rule_that_matches_decides() -> None:
    """
    Later rules are stronger, so a project can be stricter or freer than what came before it.
    """
    assert "ask" == decide(ask("git push"), rule("allow", "git *"), rule("ask", "git push*"))
    assert "allow" == decide(ask("git push"), rule("ask", "git push*"), rule("allow", "git *"))


def test_every_subject_must_be_allowed() -> None:
    """
    One subject without a rule is enough to ask.
    """
    assert "ask" == decide(ask("git status", "make"), rule("allow", "git *"))
    assert "allow" == decide(ask("git status", "make"), rule("allow", "git *"), rule("allow", "make"))


def test_only_a_rule_for_everything_allows_what_is_opaque() -> None:
    """
    A pattern speaks of words; what does more than its words say is not allowed by them.
    """
    opaque = ask("git status $(x)", opaque=True)

    assert "ask" == decide(opaque, rule("allow", "git status*"))
    assert "ask" == decide(opaque, rule("allow", "**"))
    assert "ask" == decide(opaque, rule("allow"), rule("ask", "git*"))
    assert "allow" == decide(opaque, rule("allow"))


def test_rules_are_for_tools_by_name_or_pattern() -> None:
    """
    A rule counts for the tools it names.
    """
    assert "ask" == decide(ask("a", tool="write_file"), rule("allow"))
    assert "allow" == decide(ask("a", tool="mcp_mail_send"), rule("allow", tool="mcp_*"))
    assert "deny" == decide(ask("a", tool="shell"), rule("deny", tool="*"))


@pytest.mark.parametrize(
    ("pattern", "subject", "matches"),
    [
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("app/[id]/page.tsx", "app/i/page.tsx", False),
        ("[[]x", "[x", True),
        ("[[]x", "[[]x", False),
        ("a[*]", "a*", True),
        ("a[*]", "ab", False),
        ("a[?]", "ab", False),
        ("a?", "ab", True),
        ("a?", "a", False),
        ("[!a]", "b", False),
        ("[!a]", "[!a]", True),
        ("rm *", "rm a\nb", True),
        ("RM *", "rm a", False),
    ],
)
def test_patterns_have_two_signs_and_brackets_are_brackets(pattern: str, subject: str, matches: bool) -> None:
    """
    `*` and `?` stand for others; a path with brackets in it can be denied as it is written.
    """
    assert ("deny" if matches else "ask") == decide(ask(subject), rule("deny", pattern))


def test_a_grant_allows_this_and_nothing_else() -> None:
    """
    Who allows a command with a star in it has not allowed what the star could stand for.
    """
    permissions = Permissions()
    rules = permissions.grant(ask("rm *", "> a"))

    assert ("rm [*]", "> a") == tuple(each.pattern for each in rules)
    assert "allow" == permissions.decide(ask("rm *"))
    assert "ask" == permissions.decide(ask("rm x"))
    assert "ask" == permissions.decide(ask("rm *", tool="other"))
    assert "ask" == permissions.decide(ask("rm *", opaque=True))


def test_what_is_opaque_cannot_be_granted_for_longer() -> None:
    """
    The same words may do something else the next time.
    """
    permissions = Permissions()

    assert () == permissions.grant(ask("x", opaque=True))
    assert "ask" == permissions.decide(ask("x", opaque=True))


def test_a_call_without_subjects_can_be_granted() -> None:
    """
    A tool that is about nothing in particular is remembered, and its calls about something are not.
    """
    permissions = Permissions()
    permissions.grant(ask(tool="todo"))

    assert "allow" == permissions.decide(ask(tool="todo"))
    assert "ask" == permissions.decide(ask("a", tool="todo"))
    assert "ask" == permissions.decide(ask(tool="todo", opaque=True))


def test_the_name_of_a_tool_is_granted_to_the_letter() -> None:
    """
    A server that calls its tool `*` gets no permission for others.
    """
    permissions = Permissions()
    permissions.grant(ask("a", tool="*"))

    assert "allow" == permissions.decide(ask("a", tool="*"))
    assert "ask" == permissions.decide(ask("a", tool="shell"))


@given(SUBJECTS, SUBJECTS)
def test_a_granted_subject_matches_itself_alone(granted: str, other: str) -> None:
    """
    Whatever characters a subject has, the rule made of it matches that subject only.
    """
    permissions = Permissions()
    permissions.grant(ask(granted))

    assert "allow" == permissions.decide(ask(granted))
    assert ("allow" if other == granted else "ask") == permissions.decide(ask(other))


def test_a_hostile_subject_is_matched_in_time() -> None:
    """
    Many stars and a long subject of the letters between them do not make matching slow.
    """
    assert "ask" == decide(ask("a" * 100_000), rule("allow", "*a" * 30 + "*b"))


def test_permissions_have_no_way_in_but_rules_and_grants() -> None:
    """
    They are made of rules and told of grants and rules by a person; there is no door for a log, a result or a page.
    """
    ways = {name for name, _ in inspect.getmembers(Permissions, inspect.isfunction) if not name.startswith("_")}

    assert {"add", "allowing", "decide", "denies", "forget", "grant", "must_wait"} == ways
    assert ["self", "rules"] == list(inspect.signature(Permissions.__init__).parameters)
    assert ["self", "ask"] == list(inspect.signature(Permissions.grant).parameters)


def test_two_sessions_share_no_grant() -> None:
    """
    What one was allowed, another is asked about.
    """
    one, other = Permissions(), Permissions()
    one.grant(ask("make"))

    assert ("allow", "ask") == (one.decide(ask("make")), other.decide(ask("make")))


def test_a_rule_of_this_session_is_stronger_than_those_before_it_but_not_than_a_denial() -> None:
    """
    Who says `ask` is asked again, who says `deny` is obeyed, and no `allow` lifts a denial.
    """
    permissions = Permissions([rule("allow", "make *"), rule("deny", "make install")])
    permissions.add(rule("ask", "make test"))
    permissions.add(rule("allow", "make install"))
    permissions.add(rule("deny", "make clean"))

    assert ["allow", "ask", "deny", "deny"] == [
        permissions.decide(ask(subject)) for subject in ("make all", "make test", "make install", "make clean")
    ]
    assert (2, 3) == (len(permissions.rules), len(permissions.granted))


def test_what_was_allowed_can_be_taken_back() -> None:
    """
    What was decided since the beginning goes, and of the rules from the beginning those that are named.
    """
    kept, given_up = rule("deny", "make install"), rule("allow", "make all")
    permissions = Permissions([given_up, kept])
    permissions.grant(ask("make test"))
    permissions.forget([given_up])

    assert ((kept,), ()) == (permissions.rules, permissions.granted)
    assert ["ask", "ask", "deny"] == [
        permissions.decide(ask(subject)) for subject in ("make test", "make all", "make install")
    ]


EDIT = Ask(tool="edit_file", subjects=("a.py",), title="x", edits=True)
READ = Ask(tool="read_file", subjects=("a.py",), title="x", reads_only=True)
RUN = Ask(tool="shell", subjects=("make",), title="x")


@pytest.mark.parametrize(
    ("mode", "asked", "rules", "expected"),
    [
        ("ask", EDIT, (), "ask"),
        ("edits", EDIT, (), "allow"),
        ("edits", msgspec.structs.replace(EDIT, edits=False), (), "ask"),
        ("edits", msgspec.structs.replace(EDIT, opaque=True), (), "ask"),
        ("edits", EDIT, (rule("ask", tool="edit_file"),), "ask"),
        ("edits", EDIT, (rule("deny", "*.py", tool="*"),), "deny"),
        ("edits", RUN, (), "ask"),
        ("edits", RUN, (rule("allow"),), "allow"),
        ("plan", READ, (), "allow"),
        ("plan", READ, (rule("ask", tool="read_file"),), "ask"),
        ("plan", READ, (rule("deny", tool="read_file"),), "deny"),
        ("plan", msgspec.structs.replace(READ, opaque=True), (rule("allow", tool="*"),), "deny"),
        ("plan", EDIT, (rule("allow", tool="*"),), "deny"),
        ("plan", RUN, (rule("allow"),), "deny"),
    ],
)
def test_a_mode_decides_what_no_rule_is_about(
    mode: Mode, asked: Ask, rules: tuple[Rule, ...], expected: Decision
) -> None:
    """
    Accepting edits allows edits of the workspace alone; planning allows reading alone; a denial wins in every mode.
    """
    permissions = Permissions(rules)
    permissions.mode = mode

    assert expected == permissions.decide(asked)
    assert any(each.decision == "deny" for each in rules) == permissions.denies(asked)


def test_the_modes_follow_each_other() -> None:
    """
    One key goes through all of them and begins again.
    """
    modes: list[Mode] = ["ask"]
    while len(modes) < 4:
        modes.append(NEXT_MODE[modes[-1]])

    assert ["ask", "edits", "plan", "ask"] == modes
