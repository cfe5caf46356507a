"""The list of words that prose does not use here."""

import runpy
from pathlib import Path

WORDS = runpy.run_path(str(Path(__file__).resolve().parents[2] / "setup" / "words.py"))
FORMS, forms, found, texts_of = (WORDS[name] for name in ("FORMS", "forms", "found", "texts_of"))


def test_each_form_has_a_better_word() -> None:
    """
    Who is told what not to write is told what to write.
    """
    assert all(better for _, better in forms(FORMS.read_text()))


def test_pages_and_messages_are_read_and_docstrings_are_not(tmp_path: Path) -> None:
    """
    A place is told by its file and line, with the word and the better one.
    """
    (tmp_path / "docs").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "README.md").write_text("It works.\nWe utilise it.\n")
    (tmp_path / "docs" / "page.md").write_text("Use it.\n")
    (tmp_path / "src" / "one.py").write_text('"""Utilize it."""\nSAID = "utilize this"\nNAME = "utilize"\n')

    assert [
        "README.md:2: “utilise”; write: use",
        "src/one.py:2: “utilize”; write: use",
    ] == found(tmp_path, forms("# a list\nutili[sz]e => use\n"))


def test_a_text_that_stands_alone_explains_and_is_not_shown() -> None:
    """
    The text below a field is for developers, as a docstring is.
    """
    assert [(1, "a text")] == list(texts_of('LIMIT = "a text"\n"""How many there are."""\n'))
