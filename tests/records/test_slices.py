"""Long texts: the same bytes as short ones make, a slice at a time."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadEntry
from holdfast.ids import CallId, Position, SessionKey
from holdfast.records import slices
from holdfast.records.codec import LINE_LIMIT, decode_line, encode
from holdfast.records.entries import CommandRan, Compacted, Entry, ModelReplied, Opened, ToolFinished, UserSaid
from holdfast.records.parts import Text, Thinking, ToolCall
from tests.records.drawn import ENTRIES, TEXTS
from tests.records.written import NOW, line_of, said

LONG = 'word "quoted"\n\0 é 的 😀 ' * 40_000


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of three characters, so that a few words are a long text."""
    monkeypatch.setattr(slices, "SLICE", 3)
    monkeypatch.setattr(slices, "SHORT", 1)


@pytest.mark.usefixtures("small")
@given(entry=ENTRIES)
def test_every_entry_is_read_back_exactly_from_slices(entry: Entry) -> None:
    """
    Wherever a slice ends (in escapes, between surrogates), the line says what the entry says.
    """
    assert entry == decode_line(line_of(entry)).entry


@given(texts=st.lists(st.text(st.characters(codec="utf-8")), min_size=1, max_size=3))
def test_slices_make_the_bytes_that_a_whole_makes(texts: list[str]) -> None:
    """
    Nobody can tell from a line that its texts were long.
    """
    entry = ModelReplied(parts=tuple([Text(text=text) for text in texts]))
    whole = line_of(entry)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "SLICE", 3)
        patch.setattr(slices, "SHORT", 1)

        assert whole == line_of(entry)


@pytest.mark.parametrize(
    "entry",
    [
        said(LONG),
        ModelReplied(parts=(Thinking(text=LONG, signature="s"), Text(text="a"), Text(text=LONG))),
        ModelReplied(parts=(ToolCall(id=CallId("c"), name="write", arguments=LONG),)),
        ToolFinished(call=CallId("c"), name="write", parts=(Text(text=LONG),)),
        CommandRan(command="/help", output=LONG),
        Compacted(summary=LONG, first=Position(0), last=Position(1), verbatim_from=Position(2)),
        said("\ud83d" + LONG + "\ude00"),
        said("\ude00" * (slices.SLICE + 5)),
    ],
    ids=["said", "thought", "called", "finished", "command", "summary", "with surrogates", "of surrogates"],
)
def test_a_long_entry_is_read_back_exactly(entry: Entry) -> None:
    """
    Each field that can be long is the same when it is read.
    """
    assert slices.text_length(entry) > slices.SLICE
    assert entry == decode_line(line_of(entry)).entry


@pytest.mark.parametrize("before", range(slices.SLICE - 2, slices.SLICE + 2))
def test_two_surrogates_that_make_one_character_are_refused_across_slices(before: int) -> None:
    """
    They would be read as that character, also where one slice would end between them.
    """
    with pytest.raises(BadEntry, match="surrogates"):
        line_of(said("x" * before + "\ud83d\ude00" + "x" * slices.SLICE))


def test_a_long_line_is_refused_before_it_is_written() -> None:
    """
    What escapes to more than a line may have is refused, as it is for short texts.
    """
    with pytest.raises(BadEntry, match=f"{LINE_LIMIT:,}.*blob"):
        line_of(said("\0" * (LINE_LIMIT // 6)))


@pytest.mark.parametrize("parts", [5, [Text(text=LONG)], (Text(text=LONG), 5), ("text", Text(text=LONG))])
def test_what_is_of_another_type_is_refused_beside_a_long_text(parts: object) -> None:
    """
    A list is no tuple and a number is no text, however long the rest is.
    """
    entry = msgspec.structs.replace(said(""), parts=parts)

    with pytest.raises(BadEntry):
        line_of(entry)


@given(TEXTS)
def test_the_bytes_of_a_text_are_those_of_its_slices(text: str) -> None:
    """
    Cutting changes no byte.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "SLICE", 3)

        assert text.encode("utf-8", "surrogatepass") == slices.utf8(text)


def test_what_takes_long_is_told_from_counts() -> None:
    """
    Very many entries take long together, one long text takes long by itself, and the usual few do not.
    """
    few: list[Entry] = [Opened(key=SessionKey("k")), said("hello"), UserSaid(parts=())]

    assert not slices.take_long(few)
    assert slices.take_long([*few, said(LONG)])
    assert slices.take_long([said("hello")] * (slices.MANY + 1))
    assert slices.take_long([said("x" * 10_000)] * 100)


def test_many_entries_are_one_piece_of_bytes() -> None:
    """
    Encoded together they are the lines of each, one after the other.
    """
    records, data = encode([said(f"{number}") for number in range(1000)], Position(7), NOW)

    assert data == b"".join(record.raw + b"\n" for record in records)
    assert list(range(7, 1007)) == [record.pos for record in records]
