"""Pages as text: what is kept, what is left out, and that no page can keep the reader busy."""

import time

import pytest

from holdfast.errors import ToolFailed
from holdfast.tools.web.by_type import decoded, words
from holdfast.tools.web.html import readable

URL = "https://example.org/a/page"


def test_a_page_reads_as_markdown() -> None:
    """
    Headings, paragraphs, lists, links, code, quotes and tables keep their shape.
    """
    html = """<!doctype html><title>The  Page</title><body><h1>Top &amp; more</h1>
    <p>Hello <b>world</b>, see <a href="../x y">this <i>link</i></a>.<br>Second line.
    <ul><li>one<li>two<ul><li>deep</ul></ul><ol><li>a</li><li>b</li></ol>
    <pre><code>def f():
    return 1
</code></pre><p>Use <code>f()</code>.
    <table><tr><th>A<th>B</tr><tr><td>1</td><td>x|y</td></tr></table>
    <blockquote>quoted</blockquote><h2>Next</h2><img src=c.png alt="A cat"><hr><dl><dt>Term<dd>Meaning</dl>"""

    assert """\
# The Page

# Top & more

Hello world, see [this link](https://example.org/x%20y).
Second line.

- one
- two
  - deep

1. a
2. b

```
def f():
    return 1
```

Use `f()`.

A | B
1 | x\\|y

> quoted

## Next

[image: A cat]

---

Term
Meaning""" == readable(html, URL)


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>no</script>",
        "<script>'<p>no</p>'</script>",
        "<style>no</style>",
        "<noscript>no</noscript>",
        "<template><p>no</p></template>",
        "<svg><text>no</text></svg>",
        "<p hidden>no<p>",
        "<ul><li hidden>no<li>yes</ul>",
        "<div hidden>no<div>no</div>no</div>",
        '<span aria-hidden="true">no</span>',
        '<div style="color: red; DISPLAY : none">no</div>',
        '<div style="visibility:hidden">no</div>',
        '<div style="opacity:0">no</div>',
        "<!-- no -->",
        "<input type=hidden value=no>",
        "<select><option>no</select>",
    ],
)
def test_what_a_person_does_not_see_is_left_out(hidden: str) -> None:
    """
    Words that are hidden from people are a way to talk to models behind their backs.
    """
    found = readable(f"<p>before</p>{hidden}<p>after</p>", URL)

    assert "no" not in found
    assert found.startswith("before")
    assert found.endswith("after")


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("/x", "[go](https://example.org/x)"),
        ("b", "[go](https://example.org/a/b)"),
        ("//other.org", "[go](https://other.org)"),
        ("https://o.org/a(b)", "[go](https://o.org/a(b%29)"),
        ("#part", "go"),
        ("javascript:alert(1)", "go"),
        ("data:text/html,x", "go"),
        ("mailto:a@b.c", "go"),
        ("http://[bad", "go"),
        ("", "go"),
    ],
)
def test_links_lead_to_pages(href: str, expected: str) -> None:
    """
    A link is a whole address of the web, or only its words.
    """
    assert expected == readable(f'<a href="{href}">go</a>', URL)


def test_a_page_that_a_script_would_show_is_read() -> None:
    """
    The whole of a page is never hidden; some are, until they have loaded.
    """
    assert "yes" == readable('<html hidden><body style="opacity:0"><p>yes', URL)


def test_the_base_of_a_page_counts() -> None:
    """
    Links start from where the page says they do.
    """
    assert "[go](https://cdn.org/x)" == readable('<base href="https://cdn.org/"><a href="x">go</a>', URL)


def test_links_within_links_and_without_words() -> None:
    """
    A link that is not closed, nested or empty does not lose the words around it.
    """
    assert "a [b](https://example.org/2) c" == readable('a <a href="/1"><a href="/2">b</a> c', URL)
    assert "a c" == readable('a <a href="/1"></a>c', URL)


def test_the_main_part_is_enough() -> None:
    """
    Where a page says which part is its main one, menus and footers are left out; a tiny one does not count.
    """
    long = "word " * 100

    assert long.strip() == readable(f"<nav>menu</nav><main><p>{long}</main><footer>foot</footer>", URL)
    assert "menu" in readable("<nav>menu</nav><main><p>short</main>", URL)


def test_the_title_is_not_said_twice() -> None:
    """
    A page whose heading is its title has one of them.
    """
    assert "# Same\n\ntext" == readable("<title>Same</title><h1>Same</h1><p>text", URL)


def test_the_last_words_are_kept() -> None:
    """
    A page that breaks off loses no words, only the tag it was in.
    """
    assert "the end &" == readable("<p>the end &", URL)
    assert "the end" == readable("<p>the end<a href='x", URL)
    assert "" == readable("", URL)


@pytest.mark.parametrize(
    "bad",
    ["<a ", "<!", "<!--", "<![CDATA[", "</", '<x y="', "a<b ", "<ul><li>", "<a href=x>", "&", "<script>", "<p hidden>"],
)
def test_no_page_keeps_the_reader_busy(bad: str) -> None:
    """
    Reading takes time in proportion to the page, whatever is begun and never ended.
    """
    began = time.thread_time()
    readable(bad * (600_000 // len(bad)), URL)

    assert time.thread_time() - began < 20


@pytest.mark.parametrize(
    ("body", "charset", "expected"),
    [
        ("grün".encode(), "", "grün"),
        ("grün".encode("latin-1"), "iso-8859-1", "grün"),
        ("grün".encode("utf-16"), "utf-8", "grün"),
        ("\ufeffgrün".encode(), "latin-1", "grün"),
        (b'<meta charset="latin-1">gr\xfcn', "", '<meta charset="latin-1">grün'),
        (b'<?xml version="1.0" encoding="latin-1"?>gr\xfcn', "", '<?xml version="1.0" encoding="latin-1"?>grün'),
        (b"gr\xfcn", "", "gr\ufffdn"),
        (b"plain", "no-such-set", "plain"),
        (b"706c61696e", "hex", "706c61696e"),
        (b"plain", "zlib", "plain"),
    ],
)
def test_bytes_become_text(body: bytes, charset: str, expected: str) -> None:
    """
    The first bytes, the header and the page name the character set, and a wrong name is no error.
    """
    assert expected == decoded(body, charset)


@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        ("application/json", b'{"a": 1}', '{"a": 1}'),
        ("application/ld+json; charset=utf-8", b"[]", "[]"),
        ("text/csv", b"a,b", "a,b"),
        ("application/rss+xml", b"<rss/>", "<rss/>"),
        ("application/xhtml+xml", b"<p>x</p>", "x"),
        ("", b"  <!DOCTYPE html><p>x</p>", "x"),
        ("", b"just words", "just words"),
        ("nonsense", b"just words", "just words"),
    ],
)
async def test_the_kind_of_a_page_decides(content_type: str, body: bytes, expected: str) -> None:
    """
    HTML is made readable, other text is what it is, and a page that does not say is looked at.
    """
    assert expected == await words(body, content_type, URL)


@pytest.mark.parametrize("content_type", ["image/png", "application/zip", "video/mp4", ""])
async def test_bytes_that_are_no_words_are_refused(content_type: str) -> None:
    """
    What has no words is not poured out as if it had.
    """
    with pytest.raises(ToolFailed, match="no text to read"):
        await words(b"\0\1\2", content_type, URL)


async def test_a_pdf_has_words() -> None:
    """
    A PDF is read page by page, and a broken one is an error for the model.
    """
    content = b"BT /F1 12 Tf 20 100 Td (Hello from a PDF) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body = b"%PDF-1.4\n"
    places = []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    body += b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        *(size, table, size),
        len(body),
    )

    assert "[page 1 of 1]\nHello from a PDF" == (await words(body, "application/pdf", URL)).strip()
    assert "Hello from a PDF" in await words(body, "", URL)
    with pytest.raises(ToolFailed, match="PDF cannot be read"):
        await words(b"%PDF-1.4 broken", "application/pdf", URL)
