"""A conversation for somebody who was not there, as Markdown and as a page."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from holdfast.commands.text.html import rendered
from holdfast.ids import BlobId, CallId
from holdfast.records.entries import CommandRan, Delivered, Described, ModelReplied, ToolFinished, UserSaid
from holdfast.records.parts import Blob, Source, Text, Thinking, ToolCall
from holdfast.session.export.for_people import HtmlForPeople, MarkdownForPeople, in_place
from tests.session.export.documents import document
from tests.session.talk import replied, said

MARKDOWN = st.text(st.sampled_from("`~#=->*_ab<! \n\t1.|[]()\\&:/h"), max_size=60)
CALL = ToolCall(id=CallId("c"), name="shell", arguments='{"command":"ls"}')
NOTES = BlobId("d" * 64)


def titled(call: ToolCall) -> str:
    """What a call did."""
    return f"run {call.name}"


def test_markdown_reads_as_a_letter() -> None:
    """
    Who said what, and a line for what the agent did; no positions, no thinking, no results, no commands of the chat.
    """
    made = document(
        MarkdownForPeople(titled),
        said("Where is *it*?"),
        CommandRan(command="/help", output="much"),
        ModelReplied(parts=(Thinking(text="hm"), Text(text="I look."), CALL)),
        ToolFinished(call=CallId("c"), name="shell", parts=(Text(text="a.txt"),)),
        replied("# There\n\n```\n# code\n```"),
        ToolFinished(call=CallId("none"), name="shell"),
        UserSaid(parts=(Text(text="Thanks"),), source=Source(host="web", sender="Ada")),
        Delivered(parts=(Text(text=" "),)),
        described=Described(title="The boat"),
    ).decode()

    assert made.startswith("# The boat\n\n*")
    assert made.partition("*\n")[2].splitlines() == [
        "",
        "## User",
        "",
        "Where is *it*?",
        "",
        "## Assistant",
        "",
        "I look.",
        "",
        "*run shell*",
        "",
        "### There",
        "",
        "```",
        "# code",
        "```",
        "",
        "## Ada",
        "",
        "Thanks",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("# a\n###### b", ["### a", "###### b"]),
        ("####### no heading", ["####### no heading"]),
        ("a\n===", ["> a", "> ==="]),
        ("```\nopen", ["> ```", "> open"]),
        ("- ```\n  x", ["> - ```", ">   x"]),
        ("~~~ py\n# x\n~~~", ["~~~ py", "# x", "~~~"]),
        ("<b>x</b>", ["\\<b>x\\</b>"]),
    ],
)
def test_what_could_leave_its_place_is_a_quote(text: str, lines: list[str]) -> None:
    """
    Headings stand below ours; a block that may be open at the end, or a title by its underline, is quoted.
    """
    assert lines == in_place(text)


@given(MARKDOWN)
def test_nothing_said_passes_for_a_heading_of_the_document(text: str) -> None:
    """
    After any text, the next heading is one, and no heading in the text is as high.
    """
    made = document(MarkdownForPeople(titled), said(text), said("next"), described=Described(title="t")).decode()
    tokens = MarkdownIt("commonmark", {"html": True}).parse(made)
    ours = [
        tokens[at + 1].content
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag in {"h1", "h2"} and token.level == 0
    ]

    assert ["t", *(["User"] if text.strip() else []), "User"] == ours


class Tags(HTMLParser):
    """The tags of a page, and where its links lead."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.links += [value or "" for name, value in attrs if name in {"href", "src"}]


def test_a_page_has_rendered_markdown_and_folded_results() -> None:
    """
    A result says which call it is of, and how it ended if not well; attachments stand with it.
    """
    blob = Blob(blob=NOTES, media_type="text/plain", size=5, name="notes.txt")
    made = document(
        HtmlForPeople(titled, rendered),
        said("**Where?**"),
        CommandRan(command="/help", output="much"),
        ModelReplied(parts=(Thinking(text="hm"), CALL)),
        ToolFinished(call=CallId("c"), name="shell", outcome="error", parts=(Text(text="<no>"), blob)),
        ToolFinished(call=CallId("other"), name="grep", parts=(blob,)),
        replied("[here](https://example.org)"),
        UserSaid(parts=(blob,)),
        content={NOTES: b"hello"},
    ).decode()

    assert "<strong>Where?</strong>" in made
    assert '<details><summary>run shell (error)</summary><pre dir="auto">\n&lt;no&gt;</pre><details>' in made
    assert "<details><summary>grep</summary><details><summary>notes.txt" in made
    assert '<a href="https://example.org">here</a>' in made
    assert "/help" not in made
    assert "hm</" not in made


@given(MARKDOWN | st.text())
def test_rendered_markdown_runs_and_fetches_nothing(text: str) -> None:
    """
    Whatever is said, no tag of it is a tag of the page, and no address is another thing than a page or a mail.
    """
    tags = Tags(rendered(text))

    assert {"script", "img", "iframe", "style", "form", "input", "b", "a" if not tags.links else ""}.isdisjoint(
        tags.names
    )
    assert not [each for each in tags.links if each.lower().startswith(("javascript:", "data:", "file:", "vbscript:"))]


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vbscript:x"])
def test_an_address_that_acts_is_no_link(address: str) -> None:
    """
    Nor is a picture fetched.
    """
    assert [] == Tags(rendered(f"[x]({address}) <script>x</script>")).links
    assert ["a"] == Tags(rendered("![x](https://example.org/a.png)")).names[1:]
