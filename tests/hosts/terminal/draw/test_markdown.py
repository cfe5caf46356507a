"""Markdown as it streams."""

import re
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from holdfast.hosts.terminal.draw.markdown import MarkdownStream, markdown_lines, warm
from holdfast.hosts.terminal.draw.theme import DARK, LIGHT, NONE, Theme

_COLOUR = re.compile(r"\x1b\[[0-9;]+m")
_HOSTILE = (
    "\x1b]52;c;aGk=\x07",
    "\x1b]0;title\x07",
    "\x1b[2J\x1b[H",
    "\x9b31m",
    "\u202eevil",
    "\u2066",
    "\x00\x08\x7f",
    "&#27;[31m",
    "&#x1b;]0;x&#7;",
    "&#x202e;",
    "[a](\x1b]8;;http://x)",
    "\ud83d",
    "\r",
    "\r\n",
)
_WORDS = (
    *("# ", "## ", "- ", "  - ", "1. ", "   ", "    ", "> ", ">> ", "```", "```python\n", "~~~", "\n", "\n\n", "\t"),
    *("| a | b |\n", "|---|--:|\n", "**", "*", "_", "`", "~~", "[x](http://e.org/y)", "![i](p.png)", "<http://e.org>"),
    *(
        "---\n",
        "===\n",
        "- [ ] ",
        "- [x] ",
        "$$\n",
        "\\[\n",
        "\\]\n",
        "$a_b$",
        "\\(",
        "\\)",
        "&amp;",
        "word ",
        "日本語",
        "👩‍👩‍👧",
        "❤️",
        "e\u0301",
    ),
    *("def f(x):\n    return 1\n", '"""', "x" * 90, "a long line of several words that has to be broken "),
)

texts = st.lists(st.one_of(st.sampled_from(_WORDS + _HOSTILE), st.text(max_size=12)), max_size=30).map("".join)
widths = st.integers(min_value=20, max_value=100)
themes = st.sampled_from((DARK, LIGHT, NONE))


def _whole(text: str, width: int, theme: Theme = NONE) -> str:
    stream = MarkdownStream(width, theme)
    return stream.feed(text) + stream.end()


def _shown(text: str, width: int = 40) -> list[str]:
    return _whole(text, width).splitlines()


@given(texts, widths, themes, st.data())
def test_the_cut_makes_no_difference(text: str, width: int, theme: Theme, data: st.DataObject) -> None:
    """
    However a reply is cut into pieces, what is given out is the same, and never changes.
    """
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    stream, given_out = MarkdownStream(width, theme), ""
    for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True):
        given_out += stream.feed(text[start:stop])
        stream.tail(5)

    assert _whole(text, width, theme) == given_out + stream.end()


@given(texts, widths, themes)
def test_nothing_of_the_content_is_obeyed(text: str, width: int, theme: Theme) -> None:
    """
    No sequence of a reply reaches the terminal: what is written holds colours of ours, and nothing else to obey.
    """
    stream = MarkdownStream(width, theme)
    out = stream.feed(text) + "\n".join(stream.tail(10)) + stream.end()
    bare = _COLOUR.sub("", out)

    assert [] == re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\ud800-\udfff]", bare)
    assert theme is not NONE or bare == out


@given(texts, widths, themes)
def test_every_line_fits(text: str, width: int, theme: Theme) -> None:
    """
    No line is wider than the terminal, whatever it holds, finished or not.
    """
    stream = MarkdownStream(width, theme)
    lines = stream.feed(text).splitlines() + stream.tail(20) + stream.end().splitlines()
    too_wide = [line for line in lines if wcswidth(_COLOUR.sub("", line)) > width]

    assert [] == too_wide


@given(texts, widths)
def test_the_tail_is_what_the_end_would_be(text: str, width: int) -> None:
    """
    What is shown as unfinished is what would stand there if the reply ended now, so nothing jumps.
    """
    stream = MarkdownStream(width, NONE)
    stream.feed(text)
    tail = stream.tail(10_000)

    assert tail == stream.end().splitlines()


@given(texts, widths)
def test_no_word_is_lost(text: str, width: int) -> None:
    """
    Every word of a reply is shown, whatever stands around it.
    """
    marked = f"{text}\n\nzebra\n"

    assert "zebra" in _whole(marked, width).replace("\n", "").replace(" ", "")


def test_a_paragraph_is_given_out_when_it_is_finished() -> None:
    """
    Words are unfinished until a blank line ends them.
    """
    stream = MarkdownStream(40, NONE)

    assert ("", ["Hello"]) == (stream.feed("Hel") + stream.feed("lo"), stream.tail(5))
    assert "Hello\n" == stream.feed("\n\n")
    assert ([], "") == (stream.tail(5), stream.end())


def test_items_are_given_out_one_by_one() -> None:
    """
    A long list flows: an item is finished when the next one begins.
    """
    stream = MarkdownStream(40, NONE)

    assert "" == stream.feed("- one\n- tw")
    assert "• one\n" == stream.feed("o\n")
    assert "• two\n" == stream.feed("- three\n")
    assert ["• three"] == stream.tail(3)


def test_code_is_given_out_in_stretches() -> None:
    """
    Code that goes on for long is not held back until its end, and has its fences once.
    """
    stream = MarkdownStream(40, NONE)
    out = stream.feed("```python\n" + "".join(f"x = {n}\n" for n in range(40)))

    assert ["```python", "x = 0"] == out.splitlines()[:2]
    assert 33 == len(out.splitlines())
    assert ["x = 38", "x = 39", "```"] == stream.end().splitlines()[-3:]


def test_colours_go_on_from_stretch_to_stretch() -> None:
    """
    A text in the code that began before a stretch is still a text in it.
    """
    stream = MarkdownStream(40, DARK)
    lines = stream.feed('```python\nx = """\n' + "word\n" * 30 + '"""\n```\n').splitlines()

    assert 30 == lines.count(DARK.painted("word", "string"))


def test_the_tail_is_bounded() -> None:
    """
    However much is unfinished, only as many lines are drawn as there is room for: the last ones.
    """
    stream = MarkdownStream(40, NONE)
    stream.feed("\n".join(f"line {n}" for n in range(30)))

    assert ["line 28", "line 29"] == stream.tail(2)
    assert [] == stream.tail(0)


def test_a_window_that_is_resized_gets_lines_that_fit() -> None:
    """
    What comes after a change of the width is drawn for the new one.
    """
    stream = MarkdownStream(80, NONE)
    words = "some words that go on and on, and on again"
    first = stream.feed(f"{words}\n\n")
    stream.resize(20)

    assert f"{words}\n" == first
    assert ["", "some words that go", "on and on, and on", "again"] == stream.feed(f"{words}\n\n").splitlines()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title", ["# Title"]),
        ("Title\n=====\nwords", ["# Title", "words"]),
        ("a\n***\nb", ["a", "─" * 40, "b"]),
        ("- a\n  - b\n    - c\n- d", ["• a", "  • b", "    • c", "• d"]),
        ("1. a\n  - b\n2. c", ["1. a", "   • b", "2. c"]),
        ("1) a\n2) b", ["1) a", "2) b"]),
        ("- [ ] a\n- [x] b", ["☐ a", "☑ b"]),
        ("- a\n\n  b\n\n- c", ["• a", "", "  b", "", "• c"]),
        ("- a\nlazy", ["• a", "  lazy"]),
        ("- \n- a", ["•", "• a"]),
        ("> a\n> - b\n>\n> c\nd", ["│ a", "│ • b", "│", "│ c", "│ d"]),
        ("> a\n\nb", ["│ a", "", "b"]),
        ("one\n\n\n\ntwo", ["one", "", "two"]),
        ("one\ntwo", ["one", "two"]),
        ("In 1986. a\n1986. b", ["In 1986. a", "1986. b"]),
        ("`a` **b** *c* ~~d~~", ["`a` b c d"]),
        ("[x](http://e.org)", ["x (http://e.org)"]),
        ("[http://e.org](http://e.org) <a@e.org>", ["http://e.org a@e.org"]),
        ("![a cat](cat.png)", ["[image: a cat] (cat.png)"]),
        ("[x](javascript:alert)", ["[x](javascript:alert)"]),
        ("<b>bold</b> &lt;", ["<b>bold</b> <"]),
        ("\\(a_b*c*d\\) $x*y*z$ \\[q\\]", ["\\(a_b*c*d\\) $x*y*z$ \\[q\\]"]),
        ("$5 and *six* $7", ["$5 and six $7"]),
        ("$$\n- x_i\n# y\n$$\n*z*", ["$$", "- x_i", "# y", "$$", "z"]),
        ("    code *as is*", ["    code *as is*"]),
        ("```\n*a*\n\n  b\n```\nc", ["```", "*a*", "", "  b", "```", "c"]),
        ("~~~~\n~~~\n~~~~", ["~~~~", "~~~", "~~~~"]),
        ("````md\n```py\nx\n```\n````\ny", ["````md", "```py", "x", "```", "````", "y"]),
        ("- a\n  ```\n  b\n\n  c\n  ```\n- d", ["• a", "  ```", "  b", "", "  c", "  ```", "• d"]),
        ("a\r\nb", ["a", "b"]),
        ("a\rb", ["a␍b"]),
        ("\ud83d\ude00", ["😀"]),
    ],
)
def test_what_markdown_looks_like(text: str, expected: list[str]) -> None:
    """
    Each kind of block and mark is drawn as one would expect it.
    """
    assert expected == _shown(text)


def test_a_table_has_columns() -> None:
    """
    Cells stand below each other, numbers to the right, long cells in several lines.
    """
    table = "| name | n |\n|:---|---:|\n| a | 1 |\n| *b* | 22 |\n| many words to be broken | 333 |\n| x |\nafter"

    assert [
        "name               n",
        "───────────────  ───",
        "a                  1",
        "b                 22",
        "many words to    333",
        "be broken",
        "x",
        "after",
    ] == _shown(table, 20)


def test_a_table_has_its_sides_and_all_of_its_words() -> None:
    """
    What is to stand in the middle does; a row with more cells than the head keeps what they say.
    """
    table = "| a long name | middle |\n|:---|:------:|\n| or | `x|y` |\n| z | one | two | |\n"

    assert [
        "a long name   middle",
        "───────────  ─────────",
        "or             `x|y`",
        "z            one | two",
    ] == _shown(table, 30)


def test_a_table_without_room_is_a_list() -> None:
    """
    Where columns would be too narrow to read, each row says what its cells are.
    """
    table = "| a | bb | ccc | d |\n|---|---|---|---|\n" + "| one long | two long | three long | four |\n" * 2
    record = ["a: one long", "bb: two long", "ccc: three long", "d: four"]

    assert [*record, "", *record] == _shown(table, 20)


def test_a_long_table_is_given_out_in_stretches() -> None:
    """
    A table without end is not held back for ever; each stretch has its head.
    """
    stream = MarkdownStream(40, NONE)
    out = stream.feed("| n |\n|---|\n" + "".join(f"| {n} |\n" for n in range(100)))

    assert ["n", "──"] == out.splitlines()[:2]
    assert ["n", "──", "60"] == stream.end().splitlines()[:3]


def test_wide_characters_are_broken_where_they_do_not_fit() -> None:
    """
    A text without spaces fills its lines, and no character is cut in two.
    """
    assert ["日本語日本語日本語日", "本語"] == _shown("日本語" * 4, 20)


def test_feeding_costs_the_same_however_long_the_reply_is() -> None:
    """
    A reply ten times as long takes about ten times as long, even where nothing is ever finished.
    """
    warm()

    def spent(pieces: int) -> float:
        stream, began = MarkdownStream(80, DARK), thread_time()
        for _ in range(pieces):
            stream.feed("word and **more** [[ ")
        stream.end()
        return thread_time() - began

    spent(200)
    assert 40 * max(0.002, spent(1_000)) > spent(10_000)


@pytest.mark.parametrize("piece", ["[", "![", "*a ", "``a ", "<a", "$a ", "&a", "~~", "> ", "- ", "|", "\\(", "_"])
def test_no_text_takes_for_ever(piece: str) -> None:
    """
    A line made to be hard to parse is drawn in about the time of any other.
    """
    warm()
    began = thread_time()
    _whole(piece * (20_000 // len(piece)) + "\n", 80)

    assert 5 > thread_time() - began


def test_a_whole_text_is_drawn_at_once() -> None:
    """
    What is not streamed looks the same.
    """
    assert ["# a", "• b"] == markdown_lines("# a\n- b", 40, NONE)
