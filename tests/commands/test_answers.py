"""The JSON form of answers, and their text."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

from holdfast.commands.answers import (
    Column,
    Confirm,
    Data,
    DocumentFile,
    Note,
    Prose,
    SwitchTo,
    Table,
    json_of,
    outcome_of,
)
from holdfast.commands.text.plain_text import text_of


async def pieces() -> AsyncIterator[bytes]:
    """A document in two pieces."""
    yield b"one "
    yield b"two"


def test_each_answer_has_its_kind_and_all_of_its_fields() -> None:
    """
    Also those that are as usual, so that who reads it need not know the defaults.
    """
    table = Table(columns=(Column(name="Model"),), rows=(("a:b",),))
    found = json_of(
        (Prose(markdown="*Yes.*"), table, Confirm(question="Sure?", then="/delete --yes"), SwitchTo(key="b"))
    )

    assert [
        {"kind": "prose", "markdown": "*Yes.*"},
        {"kind": "table", "title": "", "columns": [{"name": "Model", "right": False}], "rows": [["a:b"]], "note": ""},
        {"kind": "confirm", "question": "Sure?", "then": "/delete --yes"},
        {"kind": "switch_to", "key": "b", "create": False, "at": None},
    ] == json.loads(json.dumps(found))


def test_what_is_for_programs_is_the_json_of_all() -> None:
    """
    Times in UTC, paths as text; what is shown beside it is left out.
    """
    at = datetime(2026, 11, 18, 1, 2, 3, tzinfo=UTC)
    data = Data(value={"at": at, "place": Path("/tmp/a"), "keys": ("a", "b")}, outcome="damaged")

    assert {"at": "2026-11-18T01:02:03Z", "place": "/tmp/a", "keys": ["a", "b"]} == json_of((Note(text="x"), data))
    assert "damaged" == outcome_of((Note(text="x"), data))
    assert "good" == outcome_of((Note(text="x"),))


def test_a_document_has_a_name_and_a_type_in_json() -> None:
    """
    Its bytes are read once, and go their own way.
    """
    document = DocumentFile(name="a.md", media_type="text/markdown", pieces=pieces())

    assert [{"kind": "document", "name": "a.md", "media_type": "text/markdown", "notes": []}] == json_of((document,))
    assert "" == text_of([document], 80)


def test_notes_are_shown_in_the_order_of_the_answers() -> None:
    """
    As words are; what is for programs shows nothing.
    """
    assert "One.\n\nTwo." == text_of([Prose(markdown="One."), Data(value=1), Note(text="Two.")], 80)
