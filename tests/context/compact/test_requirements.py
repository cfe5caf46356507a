"""What code can see that a summary must name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import CallId, Position, Text, ToolCall
from holdfast.context.compact.requirements import MOST_FILES, Requirements, paths, requirements
from holdfast.context.units import Unit
from holdfast.model.protocol import AssistantMessage, Message, ToolMessage, UserMessage
from holdfast.records.parts import Blob, Part
from tests.context.machine import PICTURE


def call(arguments: str) -> ToolCall:
    """A call."""
    return ToolCall(id=CallId("c"), name="edit", arguments=arguments)


def user(*parts: Part) -> Unit:
    """A unit of a user."""
    return Unit(first=Position(0), last=Position(0), messages=(UserMessage(parts=parts),), tokens=1, kind="user")


def reply(*messages: Message) -> Unit:
    """A unit of a reply."""
    return Unit(first=Position(0), last=Position(0), messages=messages, tokens=1, kind="reply")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"path": "Makefile"}', ["Makefile"]),
        ('{"file_path": "/tmp/a b.txt", "mode": "r"}', ["/tmp/a b.txt"]),
        ('{"edits": [{"target_file": "x"}, {"target_file": "y"}]}', ["x", "y"]),
        ('{"paths": ["a", "b"], "n": 3}', ["a", "b"]),
        ('{"where": "src/holdfast/ids.py"}', ["src/holdfast/ids.py"]),
        ('{"where": "~/notes.md"}', ["~/notes.md"]),
        ('{"where": "README.md"}', ["README.md"]),
        ('{"url": "https://example.org/a/b.html"}', []),
        ('{"command": "cat src/a.py"}', []),
        ('{"text": "hello"}', []),
        ('{"path": " "}', []),
        ('{"path": "two\\nlines"}', []),
        ('{"path": "' + "x" * 201 + '"}', []),
        ('["src/a.py"]', ["src/a.py"]),
        ("not json", []),
        ('"' + "\ud800" + '"', []),
        ("[" * 100_000, []),
    ],
)
def test_files_are_found_in_the_arguments_of_calls(arguments: str, expected: list[str]) -> None:
    """
    What is named a path is one, and so is what looks like one; whatever else a model sends does no harm.
    """
    assert expected == paths(call(arguments))


def test_a_summary_must_name_demands_files_and_calls_that_never_ended() -> None:
    """
    On top of what an earlier summary named; each once.
    """
    asked = AssistantMessage(parts=(Text(text="I never push"), call('{"path":"b.py"}')))
    ended = ToolMessage(call=CallId("c"), name="edit", parts=(Text(text="never"),), pos=Position(3))
    open_ = ToolMessage(call=CallId("d"), name="shell", parts=(Text(text="may have run"),), ok=False)
    earlier = Requirements(quotes=("Never push.",), files=("b.py", "a.py"))

    found = requirements(
        [user(Text(text="Always ask."), PICTURE), reply(asked, ended, open_), reply(asked, open_)], earlier
    )

    assert Requirements(quotes=("Never push.", "Always ask."), files=("a.py", "b.py"), calls=("shell",)) == found
    assert ("b.py", "shell") == found.missing("a.py was read")


def test_a_bounded_number_of_files_must_be_named() -> None:
    """
    Of a thousand files, those that were used last.
    """
    asked = [reply(AssistantMessage(parts=(call(f'{{"path":"f{n}"}}'),))) for n in range(100)]

    assert tuple(f"f{n}" for n in range(100 - MOST_FILES, 100)) == requirements(asked, Requirements()).files


@given(st.text(max_size=300))
def test_any_arguments_can_be_looked_at(arguments: str) -> None:
    """
    Models send anything as arguments, and compaction goes on.
    """
    assert all(path.strip() == path and path for path in paths(call(arguments)))


def test_a_picture_demands_nothing() -> None:
    """
    Only words are looked at.
    """
    blob = Blob(blob=PICTURE.blob, media_type="image/png", size=3, name="never.png")

    assert Requirements() == requirements([user(blob)], Requirements())
