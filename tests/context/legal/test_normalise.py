"""What every family is told of a message, and what is left out of it."""

import pytest

from holdfast.context.legal.attachments import Bounds, Media
from holdfast.context.legal.normalise import (
    Normaliser,
    Proof,
    SendableCall,
    SendableMessage,
    SendableText,
    SendableThinking,
    merged,
    output_of,
)
from holdfast.context.legal.rendered import Dropped
from holdfast.ids import BlobId, CallId, Position
from holdfast.model.protocol import AssistantMessage, Message, Request, Target, ToolMessage, UserMessage
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall
from tests.context.legal.conversations import MEDIA, SENT

BOUNDS = Bounds(media_types=frozenset({"image/png"}), count=1, each=1000, total=1000)
HERE = Position(3)
SIGNED = Thinking(text="hm", signature="c2ln", provider="one", model="big")
PICTURE = Blob(blob=BlobId("png"), media_type="image/png", size=12_345, name="cat.png")
SHOWN = Media(media_type="image/png", data=SENT, name="cat.png")


def read(*messages: Message, proof: Proof = "signed") -> tuple[list[SendableMessage], list[Dropped]]:
    """What is made of messages, and what is left out."""
    target = Target(family="anthropic", model="big", provider="one")
    reader = Normaliser(Request(target=target, messages=messages), MEDIA, BOUNDS, proof)
    return list(reader.messages()), reader.dropped


def told(*parts: Part) -> tuple[object, list[Dropped]]:
    """What is made of what a person said."""
    said, dropped = read(UserMessage(parts=parts, pos=HERE))
    return said[0].pieces, dropped


def replied(*parts: Part, proof: Proof = "signed") -> tuple[object, list[Dropped]]:
    """What is made of a reply."""
    said, dropped = read(AssistantMessage(parts=parts, pos=HERE), proof=proof)
    return said[0].pieces if said else (), dropped


def left_out(kind: str, why: str, name: str = "") -> list[Dropped]:
    """One thing that was left out."""
    match kind:
        case "thinking" | "image" | "file" | "text" | "call":
            return [Dropped(kind=kind, why=why, name=name, pos=HERE)]
        case _:
            raise AssertionError(kind)


def test_text_is_made_fit_to_send_and_shows_it() -> None:
    """
    Half a surrogate pair and NUL cannot be sent; a sign stands in their place.
    """
    assert ((SendableText(text="a\ufffdb\u2400"),), []) == told(Text(text="a\ud800b\x00"))


def test_a_blank_message_says_so() -> None:
    """
    No family takes an empty message, and a message that vanished would be a turn that never was.
    """
    assert ((SendableText(text="[empty message]"),), []) == told(Text(text=" \n"), Text(text=""))


def test_a_result_without_content_says_so() -> None:
    """
    Each call has its result, though the tool gave nothing.
    """
    said, _ = read(ToolMessage(call=CallId("a b"), name="a.b", parts=(), ok=False, pos=HERE))

    assert [("[no output]", False, HERE)] == [(output_of(each), each.ok, each.pos) for each in said]


def test_an_empty_reply_vanishes() -> None:
    """
    A reply that says nothing and calls nothing is not sent.
    """
    assert ([], []) == read(AssistantMessage(parts=(Text(text=" "),)))


def test_a_picture_is_shown() -> None:
    """
    A picture whose bytes are at hand is sent as a picture.
    """
    assert ((SHOWN,), []) == told(PICTURE)


@pytest.mark.parametrize(
    ("blob", "crumb", "dropped"),
    [
        (
            Blob(blob=BlobId("missing"), media_type="image/png", size=12_345, name="cat.png"),
            "[image: cat.png, 12 KB, not shown]",
            left_out("image", "its bytes are not at hand", "cat.png"),
        ),
        (
            Blob(blob=BlobId("gif"), media_type="image/gif", size=5),
            "[image: 5 bytes, not shown]",
            left_out("image", "image/gif is not taken"),
        ),
        (
            Blob(blob=BlobId("noise"), media_type="application/zip", size=3 * 1024 * 1024, name="a.zip"),
            "[file: a.zip, 3.0 MB, not shown]",
            left_out("file", "its type is not taken", "a.zip"),
        ),
    ],
)
def test_an_attachment_that_is_not_shown_leaves_a_line(blob: Blob, crumb: str, dropped: list[Dropped]) -> None:
    """
    A person's content is never silently less.
    """
    assert ((SendableText(text=crumb),), dropped) == told(blob)


def test_the_newest_picture_is_shown_when_there_are_too_many() -> None:
    """
    Pictures beyond a family's bound leave a line, the oldest first.
    """
    pieces, dropped = told(PICTURE, Text(text="and"), PICTURE)

    assert (SendableText(text="[image: cat.png, 12 KB, not shown]"), SendableText(text="and"), SHOWN) == pieces
    assert left_out("image", "there are too many newer ones", "cat.png") == dropped


def test_a_reply_names_the_pictures_it_had() -> None:
    """
    No family takes pictures in a reply.
    """
    dropped = left_out("image", "a reply cannot carry it", "cat.png")

    assert ((SendableText(text="[image: cat.png, 12 KB, not shown]"),), dropped) == replied(PICTURE)


def test_a_text_beside_the_log_is_read() -> None:
    """
    A text that is too long for a line is sent whole if its bytes are at hand, whoever said it.
    """
    blob = Blob(blob=BlobId("noise"), media_type="text/plain", size=9, name="a.txt")
    whole = (SendableText(text="[a.txt]"), SendableText(text="\u2400\x01\x02"))

    assert (whole, []) == told(blob)
    assert (whole, []) == replied(blob)


@pytest.mark.parametrize(
    ("preview", "words"),
    [
        (
            "It begins",
            (SendableText(text="It begins"), SendableText(text="[text: 9 bytes, only its beginning is shown]")),
        ),
        ("", (SendableText(text="[file: 9 bytes, not shown]"),)),
    ],
)
def test_a_text_that_is_not_at_hand_shows_how_it_begins(preview: str, words: tuple[SendableText, ...]) -> None:
    """
    Where only the beginning of a text is known, the model is told that there is more.
    """
    blob = Blob(blob=BlobId("missing"), media_type="text/plain", size=9, preview=preview)

    assert (words, left_out("text", "its bytes are not at hand")) == told(blob)


def test_thinking_and_calls_are_a_models() -> None:
    """
    What only a model can say is not sent as a person's.
    """
    _, dropped = told(SIGNED, ToolCall(id=CallId("a"), name="run"))

    assert left_out("thinking", "it is not in a reply") + left_out("call", "it is not in a reply", "run") == dropped


def test_thinking_of_this_model_goes_back() -> None:
    """
    Reasoning passes through where its signature is valid.
    """
    call = SendableCall(id="a", name="run", arguments="{}")

    assert ((SendableThinking(text="hm", signature="c2ln"), call), []) == replied(
        SIGNED, ToolCall(id=CallId("a"), name="run")
    )


@pytest.mark.parametrize(
    ("thinking", "proof", "why"),
    [
        (SIGNED, "none", "thinking is not taken back"),
        (Thinking(text="hm", signature="c2ln", provider="two", model="big"), "signed", "it is of another model"),
        (Thinking(text="hm", signature="c2ln", provider="one", model="small"), "signed", "it is of another model"),
        (Thinking(text="hm", provider="one", model="small"), "plain", "it is of another model"),
        (Thinking(text=" ", provider="one", model="big"), "plain", "there is nothing in it"),
        (Thinking(text="hm", provider="one", model="big"), "signed", "it is not signed"),
        (Thinking(text="hm", signature="\ud800", provider="one", model="big"), "signed", "it is not signed"),
        (
            Thinking(text="\ud800", signature="c2ln", provider="one", model="big"),
            "signed",
            "its text cannot be sent as it was signed",
        ),
        (
            Thinking(text="hm", signature="c2l", provider="one", model="big"),
            "base64",
            "its signature is not in base64",
        ),
    ],
)
def test_other_thinking_is_dropped_and_told_of(thinking: Thinking, proof: Proof, why: str) -> None:
    """
    Thinking is valid only with the provider and model that made it; a change drops it, visibly.
    """
    pieces = (SendableText(text="well"),)

    assert (pieces, left_out("thinking", why)) == replied(thinking, Text(text="well"), proof=proof)


def test_thinking_that_led_to_nothing_is_dropped() -> None:
    """
    No family takes a reply that ends in thinking.
    """
    dropped = left_out("thinking", "nothing was said after it")

    assert ((SendableText(text="well"),), dropped) == replied(Text(text="well"), SIGNED)
    assert ((), dropped) == replied(SIGNED)


def test_what_one_side_says_in_a_row_is_one_message() -> None:
    """
    Families that want turns get turns; results stay apart, each with its call.
    """
    said = (
        SendableMessage(role="user", pieces=(SendableText(text="0"),), pos=HERE),
        SendableMessage(role="user", pieces=(SendableText(text="1"),), pos=HERE),
        SendableMessage(role="assistant", pieces=(SendableText(text="2"),), pos=HERE),
        SendableMessage(role="tool", pieces=(SendableText(text="3"),), pos=HERE, call="a"),
        SendableMessage(role="tool", pieces=(SendableText(text="4"),), pos=HERE, call="b"),
        SendableMessage(role="user", pieces=(SendableText(text="5"),), pos=HERE),
    )
    roles = [(each.role, output_of(each)) for each in merged(iter(said))]

    assert [("user", "0\n1"), ("assistant", "2"), ("tool", "3"), ("tool", "4"), ("user", "5")] == roles
    assert [] == list(merged(iter(())))
