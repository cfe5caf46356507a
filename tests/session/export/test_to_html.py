"""A page that needs nothing else and runs nothing, whatever was said."""

from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from holdfast.ids import BlobId, CallId
from holdfast.records.entries import Described, Pinned, ToolFinished, TurnEnded, Unknown, UserSaid
from holdfast.records.parts import Blob, Source, Text
from holdfast.session.export.to_html import STYLE, Html
from holdfast.session.state import SessionState
from tests.session.export.documents import HOSTILE, document
from tests.session.talk import at, replied, said

TAGS = set(
    "html head meta title style body main h1 h2 dl dt dd article small a time p div details summary pre img".split()
)
ATTRIBUTES = set("lang charset http-equiv content name class id dir href datetime src alt".split())
PICTURE = BlobId("b" * 64)
TEXT = BlobId("c" * 64)


class Page(HTMLParser):
    """What a browser would see of a page."""

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text, self._open = "", [""]
        self.feed(page.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.text += "" if self._open[-1] == "style" else data

    def values(self, name: str) -> list[str]:
        """Every value that an attribute has somewhere."""
        return [attributes[name] or "" for _, attributes in self.tags if name in attributes]


def is_harmless(page: Page) -> bool:
    """Whether nothing on a page runs, or leads anywhere else."""
    return (
        {tag for tag, _ in page.tags} <= TAGS
        and {name for _, attributes in page.tags for name in attributes} <= ATTRIBUTES
        and all(value.startswith("#p") for value in page.values("href"))
        and all(value.startswith("data:image/") for value in page.values("src"))
    )


def test_nothing_said_leaves_its_place() -> None:
    """
    Scripts, styles, comments and ends of elements are words like any other, in every field there is.
    """
    name = HOSTILE.replace("\ud800", "")
    blob = Blob(blob=TEXT, media_type=name, size=3, name=name, preview=name)
    page = Page(
        document(
            Html(),
            said(HOSTILE),
            UserSaid(parts=(Text(text="x"), blob), source=Source(host=name, sender=name)),
            ToolFinished(call=CallId("c"), name=name, parts=(Text(text=HOSTILE),)),
            TurnEnded(why="failed", note=name),
            Unknown(kind="acme.x", fields={name: name}),
            described=Described(title=HOSTILE, tags=(HOSTILE,)),
        )
    )

    assert is_harmless(page)
    assert page.text.count("<script>alert(1)</script>") > 8
    assert set() == set("\x1b\x07\x9b\u202e\x00\u2028") & set(page.text)


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_text_again(text: str) -> None:
    """
    What a reader of the page sees is what was said, with control characters made visible.
    """
    page = Page(document(Html(), said(text), ToolFinished(call=CallId("c"), name="t", parts=(Text(text=text),))))

    assert is_harmless(page)
    shown = "".join(char for char in text if char.isprintable() and char not in "\r\n\t ")
    for wanted in shown[:50]:
        assert page.text.count(wanted) >= 2


def test_the_page_forbids_itself_everything() -> None:
    """
    Should an escape ever be missed, the browser still runs and fetches nothing.
    """
    (policy,) = [
        attributes["content"] or ""
        for _, attributes in Page(document(Html())).tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]

    assert policy.startswith("default-src 'none'; img-src data:; ")
    assert f"'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'" in policy
    assert "unsafe" not in policy
    assert "http" not in STYLE


def test_a_picture_is_part_of_the_page() -> None:
    """
    A page needs no other file.
    """
    blob = Blob(blob=PICTURE, media_type="image/png", size=12, name="sea.png")
    data = b"\x89PNG\r\n\x1a\nsea"
    page = Page(document(Html(), UserSaid(parts=(blob,)), content={PICTURE: data}))

    assert [f"data:image/png;base64,{b64encode(data).decode()}"] == page.values("src")
    assert ["sea.png, image/png, 12 bytes"] == page.values("alt")


def test_what_only_calls_itself_a_picture_is_named() -> None:
    """
    An SVG, which can carry a program, is never shown as a picture.
    """
    blob = Blob(blob=PICTURE, media_type="image/png", size=12, name="sea.png")
    page = Page(document(Html(), UserSaid(parts=(blob,)), content={PICTURE: b"<svg onload='x'/>"}))

    assert [] == page.values("src")
    assert "sea.png, image/png, 12 bytes" in page.text


def test_long_texts_are_folded_away_and_whole() -> None:
    """
    What a tool gave, and attached texts, are there in full, one click away; a first empty line too.
    """
    blob = Blob(blob=TEXT, media_type="text/plain", size=9, name="a.txt", preview="beg")
    page = document(Html(), UserSaid(parts=(blob,)), content={TEXT: b"\nbeginning"})

    expected = "<summary>a.txt, text/plain, 9 bytes</summary>"
    assert f'{expected}<pre dir="auto">\n\nbeginning</pre></details>'.encode() in page


def test_the_page_says_what_and_when() -> None:
    """
    Title, key, tags, date and positions are on the page; what only the program needs is not.
    """
    described = Described(title="The boat", tags=("a", "b"))
    page = Page(document(Html(), said("hello"), replied("hi"), Pinned(target=at(2)), TurnEnded(), described=described))

    for words in ("The boat", "notes", "a, b", "since", "UTC", "hello", "Pinned 2"):
        assert words in page.text
    assert ["#p0", "#p1", "#p2", "#p3", "#p4"] == page.values("href")


def test_a_session_of_nothing_is_a_page_too() -> None:
    """
    Where there is no date, none is made up.
    """
    assert b"since" not in Html().begin(SessionState())


def test_damage_is_said_aloud() -> None:
    """
    A page never passes for whole when it is not.
    """
    assert "Damaged here: positions 3 to 9 cannot be read." in Page(document(Html(), gap=(3, 9))).text
