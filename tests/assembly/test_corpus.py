"""How many ways past the rules are tried in all: paths, commands, addresses, forged words."""

from tests.tools import bypasses, escapes, ssrf


def test_the_corpus_is_large_and_nothing_in_it_is_let_through() -> None:
    """
    At least sixty attempts, some of every kind; each is a case of its own in the tests of tools, refused or asked.
    """
    commands = {name: each.expected for name, each in bypasses.ATTEMPTS.items() if not name.startswith("allowed: ")}
    kinds = {
        "commands": len(commands),
        "paths": len({*escapes.OUT, *escapes.NAMES}),
        "private paths": len({*escapes.ASKED}),
        "addresses": len({*ssrf.FORMS.values()}),
        "forged words": len({*bypasses.FORGED}),
    }

    assert {"ask", "deny"} == set(commands.values())
    assert all(count >= 5 for count in kinds.values()), kinds
    assert 60 <= sum(kinds.values()), kinds
