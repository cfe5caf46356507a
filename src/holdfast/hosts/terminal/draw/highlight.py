"""Code in colours."""

from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import Protocol, cast

from holdfast.hosts.terminal.draw.spans import Span
from holdfast.hosts.terminal.draw.theme import Role

LONGEST = 2_000
"""Characters of a line beyond which code stays plain: such a line was not written by hand."""

_ROLES: tuple[tuple[str, Role], ...] = (
    ("Token.Comment", "comment"),
    ("Token.Keyword", "keyword"),
    ("Token.Operator.Word", "keyword"),
    ("Token.Name.Tag", "keyword"),
    ("Token.Name.Function", "name"),
    ("Token.Name.Class", "name"),
    ("Token.Name.Decorator", "name"),
    ("Token.Name.Attribute", "name"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Generic.Inserted", "added"),
    ("Token.Generic.Deleted", "removed"),
    ("Token.Generic.Subheading", "hunk"),
    ("Token.Generic.Heading", "heading"),
)


class _Lexer(Protocol):
    """What we use of a lexer of Pygments, which has no types of its own."""

    def get_tokens(self, text: str) -> Iterable[tuple[object, str]]: ...


def highlighted(lines: tuple[str, ...], before: tuple[str, ...], language: str) -> list[list[Span]]:
    """Lines of code, coloured as if the lines before stood in front of them."""
    plain = [[Span(line)] for line in lines]
    name = language.split(maxsplit=1)[0].strip("{}.").lower() if language.strip() else ""
    lexer = _lexer(name) if name else None
    if lexer is None or any(len(line) > LONGEST for line in (*before, *lines)):
        return plain
    try:
        tokens = [(str(kind), text) for kind, text in lexer.get_tokens("\n".join((*before, *lines)) + "\n")]
    except Exception:  # noqa: BLE001 # boundary: there are hundreds of lexers, and none may break a reply
        return plain
    coloured = _by_line(tokens)
    same = ["".join(span.text for span in line) for line in coloured] == [*before, *lines]
    return coloured[len(before) :] if same else plain


def _by_line(tokens: list[tuple[str, str]]) -> list[list[Span]]:
    coloured: list[list[Span]] = [[]]
    for kind, text in tokens:
        role = _role(kind)
        first, *rest = text.split("\n")
        coloured[-1].append(Span(first, role))
        coloured += [[Span(each, role)] for each in rest]
    return coloured[:-1]


@lru_cache(maxsize=512)
def _role(kind: str) -> tuple[Role, ...]:
    return next(((role,) for prefix, role in _ROLES if kind.startswith(prefix)), ())


@lru_cache(maxsize=32)
def _lexer(name: str) -> _Lexer | None:
    try:
        return cast("_Lexer", import_module("pygments.lexers").get_lexer_by_name(name, stripnl=False))
    except ValueError:  # nobody knows the language
        return None
