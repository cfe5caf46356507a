"""The log as lines and as one document: nothing is lost, whoever wrote it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from holdfast.records.codec import decode_line
from holdfast.records.entries import Described, Unknown
from holdfast.session.export.to_jsonl import JsonDocument, JsonLines, body
from holdfast.session.state import SessionState
from tests.session.export.documents import HOSTILE, document
from tests.session.talk import records_of, replied, said

LATER = Unknown(kind="acme.vote", fields={"n": 10**40, "text": HOSTILE})


def test_lines_are_the_log_itself() -> None:
    """
    What is exported as JSON Lines reads back as the same records, byte for byte.
    """
    entries = (said("hello"), replied(HOSTILE), LATER)
    lines = document(JsonLines(), *entries, gap=(7, 9)).split(b"\n")

    assert b"" == lines.pop()
    assert list(entries) == [decode_line(line).entry for line in lines][1:]


def test_a_document_is_one_json_object() -> None:
    """
    A program reads the state and every entry of a session with one call.
    """
    made = json.loads(document(JsonDocument(), said("hello"), LATER, described=Described(title="The boat")))

    assert (1, "notes", "The boat") == (made["holdfast"], made["key"], made["session"]["title"])
    assert ["opened", "described", "user_said", "acme.vote"] == [each["kind"] for each in made["entries"]]
    assert (10**40, HOSTILE) == (made["entries"][3]["n"], made["entries"][3]["text"])
    assert [] == made["missing"]


def test_a_document_lists_what_is_missing() -> None:
    """
    Damage is part of the document, at its end.
    """
    assert [[3, 9]] == json.loads(document(JsonDocument(), gap=(3, 9)))["missing"]


def test_a_document_of_nothing_is_a_document() -> None:
    """
    An empty session is JSON too.
    """
    renderer = JsonDocument()

    assert [] == json.loads(renderer.begin(SessionState()) + renderer.end())["entries"]


@given(st.text(st.characters(exclude_categories=())))
def test_a_body_is_the_record_without_its_protection(text: str) -> None:
    """
    Only `v` and `crc`, which protect a line, are left out.
    """
    (record,) = records_of(said(text))
    whole, bare = json.loads(record.raw), json.loads(body(record))

    assert {"v", "crc"} == set(whole) - set(bare)
    assert bare == {name: value for name, value in whole.items() if name in bare}
