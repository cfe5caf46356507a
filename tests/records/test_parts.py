"""Parts: what a message is made of."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.ids import BlobId, CallId
from holdfast.records.parts import Blob, Text, Thinking, ToolCall, Usage, plain_text
from tests.records.drawn import structs


def blob(preview: str) -> Blob:
    """An attachment."""
    return Blob(blob=BlobId("0" * 64), media_type="text/plain", size=9, name="notes.txt", preview=preview)


def test_the_words_of_a_message_are_its_texts_and_previews() -> None:
    """
    Thinking and calls are not what was said, and a picture has no words.
    """
    parts = (
        Thinking(text="hm"),
        Text(text="one"),
        ToolCall(id=CallId("1"), name="t"),
        blob("two"),
        blob(""),
        Text(text=""),
        Text(text="three"),
    )

    assert "one\ntwo\n\nthree" == plain_text(parts)
    assert "" == plain_text(())


def test_usages_add_up_field_by_field() -> None:
    """
    Each count is added to its own.
    """
    one = Usage(
        input_tokens=1, cached_tokens=2, output_tokens=3, cost_micros=4, cache_write_tokens=5, reasoning_tokens=6
    )
    other = Usage(
        input_tokens=10, cached_tokens=20, output_tokens=30, cost_micros=40, cache_write_tokens=50, reasoning_tokens=60
    )

    both = Usage(
        input_tokens=11,
        cached_tokens=22,
        output_tokens=33,
        cost_micros=44,
        cache_write_tokens=55,
        reasoning_tokens=66,
    )
    assert both == one.plus(other)
    assert other == both.less(one)


@given(st.tuples(structs(Usage), structs(Usage), structs(Usage)))
def test_the_order_of_usages_does_not_matter(usages: tuple[Usage, Usage, Usage]) -> None:
    """
    However the calls came, the sum is the same; and nothing adds nothing.
    """
    one, two, three = usages

    assert one.plus(two).plus(three) == three.plus(two.plus(one))
    assert one == one.plus(Usage())
