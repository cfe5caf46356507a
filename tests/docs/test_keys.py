"""The page of keys has every key there is, and says of each what it does."""

import ast
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from docs.generate_keys import CHAT, LIST, PAGE, QUESTION, SECTIONS, Key, page
from holdfast.agent.permissions import Question
from holdfast.agent.tool import Ask
from holdfast.hosts.terminal.dialogs import choose
from holdfast.hosts.terminal.dialogs.questions import by_key
from holdfast.hosts.terminal.input import keys


def name(node: ast.expr) -> str:
    """A key as the code names it, `enter` or `Keys.BracketedPaste`; nothing if it comes from elsewhere."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return node.attr if isinstance(node, ast.Attribute) else ""


def bound(module: ModuleType) -> Iterator[str]:
    """The keys that a module binds by name."""
    tree = ast.parse(Path(str(module.__file__)).read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add":
            yield " ".join(map(name, node.args))


def listed(table: tuple[Key, ...]) -> set[str]:
    """The keys that a table speaks of."""
    return {each for key in table for each in key.bound}


def test_the_page_is_up_to_date() -> None:
    """
    The page says what the table says; `make docs` writes it anew.
    """
    assert page() == PAGE.read_text()


def test_every_key_of_the_chat_is_on_the_page_and_no_other() -> None:
    """
    A key that is bound fails this test until it is described, and so does one that is bound no longer.
    """
    assert set(bound(keys)) == listed(CHAT)


def test_every_key_of_a_list_is_on_the_page() -> None:
    """
    The same for choosing; keys that it binds in a loop are strings in its code.
    """
    written = Path(choose.__file__).read_text()

    assert set() == set(filter(None, bound(choose))) - listed(LIST)
    assert [] == [key for key in listed(LIST) if f'"{key}"' not in written]


@pytest.mark.parametrize(("key", "allowed"), [("y", True), ("n", False), ("a", True), ("w", True)])
def test_a_question_is_answered_as_the_page_says(key: str, *, allowed: bool) -> None:
    """
    Each letter on the page answers a permission question, and says yes or no as the page does.
    """
    question = Question(id="1", ask=Ask(tool="shell", subjects=(), title="ls"))
    answer = by_key(question, key)
    does = next(each.does for each in QUESTION if each.shown.startswith(f"`{key}`"))

    assert answer is not None
    assert (allowed, allowed) == (answer.allowed, does.startswith("yes"))


def test_no_key_goes_without_words() -> None:
    """
    Each line ends as a sentence does.
    """
    assert [] == [key.shown for table in SECTIONS.values() for key in table if not key.does.endswith(".")]
