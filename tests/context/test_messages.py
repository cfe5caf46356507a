"""What a model is shown of what was said, rule by rule."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.context import messages
from holdfast.ids import BlobId, CallId
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall
from tests.context.words import PICTURE

AT = datetime(2026, 11, 17, 9, 5, 59, tzinfo=UTC)
LONG = Blob(blob=BlobId("1" * 64), media_type="text/plain", size=90_000, preview="once upon")


def words(text: str) -> tuple[Text]:
    """One text."""
    return (Text(text=text),)


def test_the_time_stands_in_front_of_what_a_person_said() -> None:
    """
    It is in UTC and to the minute, and stands in front of the first words, or alone where there are none.
    """
    assert words("[2026-11-17 09:05 UTC] hello") == messages.stamped(words("hello"), AT)
    assert (PICTURE, *words("[2026-11-17 09:05 UTC] this")) == messages.stamped((PICTURE, *words("this")), AT)
    assert (*words("[2026-11-17 09:05 UTC]"), PICTURE) == messages.stamped((PICTURE,), AT)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("nothing to take out", "nothing to take out"),
        ("see [1] and [2026-11-17]", "see [1] and [2026-11-17]"),
        ("[2026-11-17 09:05 UTC] Good morning.", "Good morning."),
        ("One.\n [2026-11-17 09:05 UTC]Two.", "One.\nTwo."),
        ("At [2026-11-17 09:05 UTC] it rained.", "At [2026-11-17 09:05 UTC] it rained."),
        ("Nice boat. [image: boat.png, 2,000 bytes, not shown]", "Nice boat."),
        ("[file: a.zip, 3 KB, not shown] is a file", " is a file"),
        ('[called shell] {"command":"ls"}\nDone.', "Done."),
        ("Done.\n[result of shell] a b c", "Done.\n"),
    ],
)
def test_what_a_model_copied_from_us_is_taken_out_of_its_words(text: str, left: str) -> None:
    """
    A model writes what it has seen itself write, so time stamps, notes about images and notes about calls go.
    """
    assert left == messages.without_echoes(text)


@given(st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 - as hypothesis wants it
def test_every_time_stamp_we_write_is_taken_out(at: datetime) -> None:
    """
    What one rule adds the other takes away, whenever it was.
    """
    [stamped] = messages.stamped(words("hello"), at)

    assert isinstance(stamped, Text)
    assert "hello" == messages.without_echoes(stamped.text)


@pytest.mark.parametrize("media_type", ["image/png", "audio/wav", "video/mp4", "application/zip"])
@pytest.mark.parametrize("name", ["boat.png", ""])
def test_every_breadcrumb_we_write_is_taken_out(media_type: str, name: str) -> None:
    """
    A note in the place of content looks the same wherever it is made, so a copy of it is known.
    """
    crumb = messages.breadcrumb(Blob(blob=BlobId("0" * 64), media_type=media_type, size=12_000, name=name))

    assert "Look:" == messages.without_echoes(f"Look: {crumb}")


def test_a_breadcrumb_names_what_is_not_shown() -> None:
    """
    Its kind, its name or else the beginning of its hash, and its size.
    """
    unnamed = Blob(blob=BlobId("0" * 64), media_type="application/zip", size=3)

    assert "[image: boat.png, 2,000 bytes, not shown]" == messages.breadcrumb(PICTURE)
    assert "[file: 000000000000, 3 bytes, not shown]" == messages.breadcrumb(unnamed)


def test_a_call_in_words_is_known_as_an_echo() -> None:
    """
    Who is shown a call in words, and repeats it, is not taken at that word.
    """
    call = ToolCall(id=CallId("c"), name="shell", arguments='{"command":"ls"}')

    assert "" == messages.without_echoes(messages.called(call))


def test_what_a_person_said_is_shown_without_what_says_nothing() -> None:
    """
    Blank texts vanish, and so does what only a model can say.
    """
    call = ToolCall(id=CallId("c"), name="shell")
    parts: tuple[Part, ...] = (Text(text=" \n"), Text(text="hello"), Thinking(text="hm"), call, PICTURE)

    assert (Text(text="hello"), PICTURE) == messages.said(parts)


def test_text_that_lies_beside_the_log_is_shown_by_its_first_words() -> None:
    """
    The model reads what its line still shows, how long it is, and under which name all of it is kept.
    """
    note = "once upon\n[shortened; all of its 90,000 bytes are kept as 111111111111]"

    assert words(note) == messages.said((LONG,))
    assert words(note) == messages.replied((LONG,))


def test_reasoning_passes_through() -> None:
    """
    Thinking goes back as it came, signature and all; only thinking with neither words nor proof vanishes.
    """
    signed = Thinking(text="", signature="s", provider="p", model="m")
    thought = Thinking(text="hm")

    assert (signed, thought) == messages.replied((signed, thought, Thinking(text=" ")))


def test_a_reply_is_shown_without_what_says_nothing() -> None:
    """
    Blank words vanish, copied notes are taken out, and calls and other words stay as they are.
    """
    call = ToolCall(id=CallId("c"), name="shell")
    parts: tuple[Part, ...] = (
        Text(text=" "),
        Text(text="[2026-11-17 09:05 UTC]"),
        Text(text="[2026-11-17 09:05 UTC] Hi."),
        Text(text="Fine."),
        call,
        PICTURE,
    )

    assert (Text(text="Hi."), Text(text="Fine."), call, PICTURE) == messages.replied(parts)


def test_a_tool_that_said_nothing_is_said_to_have_said_nothing() -> None:
    """
    No provider takes an empty result.
    """
    assert words("(no output)") == messages.returned((Text(text=""),))
    assert words("a") == messages.returned(words("a"))


def test_call_ids_are_made_from_where_the_call_stands() -> None:
    """
    A provider that uses an id twice, in one reply or in two, does not make a request with the same id twice.
    """
    call = ToolCall(id=CallId("same"), name="shell")
    first = messages.numbered((call, Text(text="and"), call), 7)
    second = messages.numbered((call,), 9)

    assert ["call_7_0", "call_7_1"] == [part.id for part in first if isinstance(part, ToolCall)]
    assert ["call_9_0"] == [part.id for part in second if isinstance(part, ToolCall)]
    assert Text(text="and") == first[1]
