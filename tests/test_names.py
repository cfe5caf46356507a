"""What modules and classes are called: one name for one thing, and names that a search finds."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "holdfast"
SHARED: dict[str, str] = {}
"""Names of several public classes, and why: one of the classes implements the other."""
NOUNS = {
    "adapters/blocking.py": "calls that block, as the field calls them",
    "commands/health/finding.py": "what a check found",
    "hosts/terminal/draw/thinking.py": "what a model thinks, as the field calls it",
    "stores/text_index/ranking.py": "the order of answers, as the field of search calls it",
    "stores/text_index/stemming.py": "words without their endings, as the field of search calls it",
}
"""Modules whose names end as a verb does, and what they mean."""


def test_no_two_public_classes_share_a_name() -> None:
    """
    Whoever looks for a class by its name finds one.
    """
    places = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path.relative_to(SOURCE).as_posix())

    assert {} == {name: found for name, found in places.items() if len(found) > 1 and name not in SHARED}
    assert set(SHARED) <= {name for name, found in places.items() if len(found) > 1}


def test_a_module_is_named_after_a_verb_or_a_thing() -> None:
    """
    A module is found by its verb, such as `read` or `edit`, and not by a form of it.
    """
    assert sorted(NOUNS) == sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*ing.py"))
