"""The page about one message from a script has everything there is to know."""

import re
from typing import get_args

from holdfast.agent.events import Event
from holdfast.hosts.json_events import name_of
from holdfast.hosts.oneshot import Form, Told
from tests.docs.pages import REFERENCE

PAGE = (REFERENCE / "headless.md").read_text()


def test_every_event_and_its_fields_are_documented() -> None:
    """
    A program that reads events can be written from the page alone.
    """
    rows = {name: row for name, row in re.findall(r"^\| `(\w+)` \|(.*)\|$", PAGE, re.MULTILINE) if "_" in name or row}
    events = {name_of(each): each for each in get_args(Event)}

    assert set() == set(events) - set(rows)
    missing = {
        name: [field for field in event.__struct_fields__ if name != "appended" and f"`{field}`" not in rows[name]]
        for name, event in events.items()
    }
    assert {} == {name: fields for name, fields in missing.items() if fields}


def test_every_form_of_output_is_documented() -> None:
    """
    And every field of the object about a turn.
    """
    assert [] == [form for form in get_args(Form) if f"| `{form}` |" not in PAGE]
    assert [] == [field for field in Told.__struct_fields__ if f"`{field}`" not in PAGE]
