"""A conversation as Markdown: nothing said leaves its place."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.ids import BlobId, CallId
from holdfast.records.entries import Described, Pinned, ToolFinished, TurnEnded, UserSaid
from holdfast.records.parts import Blob, Source, Text
from holdfast.session.export.to_markdown import Markdown, fenced, quoted
from holdfast.session.state import SessionState
from tests.session.export.documents import HOSTILE, document
from tests.session.talk import at, replied, said

TEXT = BlobId("c" * 64)
ANY = st.text(st.characters(exclude_categories=())) | st.text(st.sampled_from("`~<>a \n\\|>#-"), max_size=40)
ACTING = set("\x1b\x07\x9b\u202e\x00\u2028")


def test_a_conversation_reads_well() -> None:
    """
    A heading for each message with its position and time, what was said as a quote, remarks in between.
    """
    described = Described(title="The boat", tags=("a", "b"))
    made = document(Markdown(), said("hello\n\nthere"), replied("*hi*"), Pinned(target=at(2)), described=described)
    made = re.sub(rb"\d{4}-\d\d-\d\d \d\d:\d\d UTC", b"TIME", made)

    assert made.decode().splitlines() == [
        "# The boat",
        "",
        "- session: notes",
        "- since: TIME",
        "- tags: a, b",
        "- messages: 2",
        "",
        "*Began · 0 · TIME*",
        "",
        "*Renamed to The boat; Tagged a, b · 1 · TIME*",
        "",
        "## You · 2 · TIME",
        "",
        "> hello",
        ">",
        "> there",
        "",
        "## Model · 3 · TIME",
        "",
        "> *hi*",
        "",
        "*Pinned 2 · 4 · TIME*",
    ]


def test_a_session_of_nothing_is_a_document_too() -> None:
    """
    Where there is no title, date or tag, none is made up.
    """
    assert b"# \n\n- session: \n- messages: 0\n" == Markdown().begin(SessionState())


def test_nothing_said_passes_for_the_document() -> None:
    """
    A message that looks like the next message, or opens a fence and leaves it open, stays inside its quote.
    """
    forged = "## Model · 9 · 2026-01-01 00:00 UTC\n\n```\nopen"
    lines = document(Markdown(), said(forged), said(HOSTILE)).decode().splitlines()

    assert 2 == sum(line.startswith("## ") for line in lines)
    assert not any("<script" in re.sub(r"\\<", "", line) for line in lines)
    assert set() == ACTING & set("".join(lines))


def test_names_and_titles_mean_nothing_in_markdown() -> None:
    """
    What stands on a line of the document itself is escaped, and one line.
    """
    name = "a*b_c`d<e>[f](g)\n# h"
    entry = UserSaid(parts=(Text(text="x"),), source=Source(host=name))
    made = document(Markdown(), entry, TurnEnded(why="failed", note=name), described=Described(title=name)).decode()

    escaped = r"a\*b\_c\`d\<e\>\[f\](g) \# h"
    assert made.startswith(f"# {escaped}\n")
    assert f"## You ({escaped}) ·" in made
    assert f"*Turn ended: failed ({escaped}) ·" in made


def test_what_only_the_program_needs_is_left_out() -> None:
    """
    A turn that ended well is no news.
    """
    assert document(Markdown(), said("x")) == document(Markdown(), said("x"), TurnEnded())


def test_results_and_attachments_stand_in_fences() -> None:
    """
    What a tool gave and attached texts are code blocks; a picture is named.
    """
    text = Blob(blob=TEXT, media_type="text/plain", size=9, name="a.txt", preview="beg")
    picture = Blob(blob=BlobId("d" * 64), media_type="image/png", size=9, name="sea.png")
    result = ToolFinished(call=CallId("c"), name="ls", parts=(Text(text="```\nout"), text, picture))
    made = document(Markdown(), result, content={TEXT: b"beginning"}).decode()

    assert "*result*\n\n````\n```\nout\n````\n" in made
    assert "*a.txt, text/plain, 9 bytes*\n\n```\nbeginning\n```\n" in made
    assert made.endswith("*sea.png, image/png, 9 bytes*\n")


def test_damage_is_said_aloud() -> None:
    """
    A document never passes for whole when it is not.
    """
    assert b"**Damaged here: positions 3 to 9 cannot be read.**" in document(Markdown(), gap=(3, 9))


@given(ANY)
def test_nothing_ends_a_fence(text: str) -> None:
    """
    No line of a fenced text is as long a run of backticks as its fence.
    """
    first, *lines, last = fenced(text)

    assert first == last
    assert all(first not in line for line in lines)


@given(ANY)
def test_a_quote_is_a_quote_to_its_end(text: str) -> None:
    """
    Every line of a message is marked as part of the quote.
    """
    assert all(line.startswith(">") for line in quoted(text))


@pytest.mark.parametrize(
    ("said_text", "written"),
    [
        ("a <b> c", r"a \<b> c"),
        ("1 < 2", "1 < 2"),
        ("`<b>` and <i>", r"`<b>` and \<i>"),
        ("``<b>` <i>``", r"``\<b>` \<i>``"),
        ("``<b>``", "``<b>``"),
        ("open ` <b>", r"open ` \<b>"),
        (r"\`<b>`", r"\`\<b>`"),
        ("a | `<b>`", r"a | `\<b>`"),
        ("open `\n`<b>`", "open `\n`\\<b>`"),
        ("open `\n\n`<b>`", "open `\n\n`<b>`"),
        ("```html\n<b>\n```\n<i>", "```html\n<b>\n```\n\\<i>"),
        ("~~~\n<b>\n~~~~\n<i>", "~~~\n<b>\n~~~~\n\\<i>"),
        ("````\n```\n<b>\n````", "````\n```\n<b>\n````"),
        ("```\n    ```\n<b>", "```\n    ```\n<b>"),
        (" ```\n<b>", " ```\n\\<b>"),
    ],
)
def test_html_is_shown_and_code_left_alone(said_text: str, written: str) -> None:
    """
    A tag is made visible, except in code that every reader of Markdown takes for code.
    """
    assert written == "\n".join(line.removeprefix("> ").removeprefix(">") for line in quoted(said_text))
