"""What stands inside a line of Markdown: bold, code, links.

Everything is made safe once more after it was parsed, because an entity such as `&#27;` becomes a control character
only there. A link is shown as its text and its address; the terminal is told of no link that it does not see.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from holdfast.hosts.terminal.draw.spans import Span
from holdfast.hosts.terminal.draw.theme import Role
from holdfast.records.printable import printable

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

LONGEST, MOST_BRACKETS = 10_000, 200
"""Characters and brackets of a text beyond which it is shown as written: for each bracket all the rest is searched."""

_ROLES: dict[str, Role] = {"strong": "strong", "em": "emphasis", "s": "struck", "link": "link"}
_PAIRS = (("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"), ("$", "$"))


def spans_of(text: str, *roles: Role) -> list[Span]:
    """A text in Markdown as spans; line ends stay."""
    if len(text) > LONGEST or text.count("[") > MOST_BRACKETS:
        return [Span(printable(text), roles)]
    tokens = _parser().parseInline(text)[0].children or []
    return [Span(printable(span.text), span.roles) for span in _spans(tokens, roles)]


def _spans(tokens: "list[Token]", roles: tuple[Role, ...]) -> list[Span]:
    spans: list[Span] = []
    links: list[tuple[str, int]] = []
    for token in tokens:
        kind, _, side = token.type.rpartition("_")
        if side == "open":
            roles = (*roles, _ROLES[kind])
            if kind == "link":
                links.append((str(token.attrs.get("href", "")), len(spans)))
        elif side == "close":
            roles = roles[:-1]
            if kind == "link":
                address, first = links.pop()
                spans += _address(address, "".join(span.text for span in spans[first:]))
        elif token.type in {"softbreak", "hardbreak"}:
            spans.append(Span("\n"))
        elif token.type == "code_inline":
            spans.append(Span(token.content, (*roles, "code")))
        elif token.type == "image":
            spans.append(Span(f"[image: {token.content or 'without a name'}]", roles))
            spans += _address(str(token.attrs.get("src", "")), token.content)
        else:
            spans.append(Span(token.content, roles))
    return spans


def _address(address: str, text: str) -> list[Span]:
    shown = text.replace("\n", " ").strip()
    if not address or shown in {address, address.removeprefix("mailto:")}:
        return []
    return [Span(f" ({address})", ("dim",))]


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").disable("html_inline")
    parser.inline.ruler.before("escape", "math", _math)
    return parser


def _math(state: "StateInline", silent: bool) -> bool:  # noqa: FBT001 # as the parser calls it
    """Take a formula as it is, with its marks: its backslashes and stars are no Markdown."""
    if state.src[state.pos] not in "$\\":
        return False
    for opening, closing in _PAIRS:
        if not state.src.startswith(opening, state.pos):
            continue
        begin = state.pos + len(opening)
        end = state.src.find(closing, begin, min(state.posMax, begin + 2_000))
        if end <= begin or (opening == "$" and not _is_formula(state.src, begin, end)):
            continue
        if not silent:
            state.push("math", "", 0).content = state.src[state.pos : end + len(closing)]
        state.pos = end + len(closing)
        return True
    return False


def _is_formula(text: str, begin: int, end: int) -> bool:
    """Whether dollars stand around a formula, and not before two prices."""
    inside, after = text[begin:end], text[end + 1 : end + 2]
    return not (inside[0].isspace() or inside[-1].isspace() or "\n" in inside or after.isdigit())
