"""A conversation as one page that needs nothing else and runs nothing.

Everything said is escaped text. The page forbids itself scripts, frames, forms
and every address; pictures are part of it.
"""

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import assert_never

from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.images import image_type
from holdfast.records.parts import Blob
from holdfast.records.printable import printable
from holdfast.session.export.content import Content, name_of, text_of
from holdfast.session.export.readable import Attached, Piece, ReadableDetail, ReadableMessage, ReadableText, shown
from holdfast.session.export.renderer import spoken
from holdfast.session.state import SessionState

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #6b6b6b; }
@media (prefers-color-scheme: dark) { :root { --soft: #a5a5a5; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
article { border-top: 1px solid var(--line); padding: .75rem 0; }
h2 { font-size: .9rem; margin: 0 0 .25rem; }
h2 small, .remark, dl, summary { color: var(--soft); font-weight: normal; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; font-size: .9rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.said, pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0; }
pre { font: .85rem/1.45 ui-monospace, monospace; }
pre { border-inline-start: 3px solid var(--line); padding-inline-start: .75rem; }
.rendered > :first-child { margin-top: 0; }
.rendered table { border-collapse: collapse; }
.rendered :is(td, th) { border: 1px solid var(--line); padding: .1rem .5rem; }
.rendered a { text-decoration: underline; }
.remark { font-size: .85rem; margin: .5rem 0; }
.damaged { border: 1px solid #c33; padding: .5rem; }
img { max-width: 100%; height: auto; }
a { color: inherit; text-decoration: none; }
"""
_HASH = b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; img-src data:; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"


class Html:
    """Renders a page."""

    def begin(self, state: SessionState) -> bytes:
        """The head of the page, and what is known about the session."""
        title = _escaped(state.title or state.key)
        facts = [("session", state.key), ("messages", f"{state.messages}"), ("tags", ", ".join(state.tags))]
        if state.created:
            facts.insert(1, ("since", f"{state.created:%Y-%m-%d %H:%M} UTC"))
        rows = "".join(f'<dt>{name}</dt><dd dir="auto">{_escaped(value)}</dd>' for name, value in facts if value)
        return _bytes(
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">',
            f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>",
            f'<h1 dir="auto">{title}</h1>\n<dl>{rows}</dl>',
        )

    def record(self, record: Record, content: Content) -> bytes:
        """A message, or a remark."""
        seen = shown(record.entry)
        if seen is None:
            return b""
        place = f'<a href="#p{record.pos}">{record.pos}</a> · {_time(record)}'
        if not seen.pieces:
            return _bytes(f'<p class="remark" id="p{record.pos}">{_name(seen)} · {place}</p>')
        pieces = "\n".join(_piece(piece, content) for piece in seen.pieces)
        heading = f"<h2>{_name(seen)} <small>· {place}</small></h2>"
        return _bytes(f'<article id="p{record.pos}">\n{heading}\n{pieces}\n</article>')

    def gap(self, first: Position, last: Position) -> bytes:
        """A remark that says what is missing."""
        return _bytes(f'<p class="damaged">Damaged here: {spoken(first, last)} cannot be read.</p>')

    def end(self) -> bytes:
        """The end of the page."""
        return _bytes("</main>\n</body>\n</html>")


def _bytes(*lines: str) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def _escaped(text: str) -> str:
    return escape(printable(text))


def _time(record: Record) -> str:
    return f'<time datetime="{record.when:%Y-%m-%dT%H:%M:%SZ}">{record.when:%Y-%m-%d %H:%M}</time>'


def _name(seen: ReadableMessage) -> str:
    note = f" <small>({_escaped(seen.note)})</small>" if seen.note else ""
    return f"{_escaped(seen.who)}{note}"


def _piece(piece: Piece, content: Content) -> str:
    match piece:
        case ReadableText():
            return f'<div class="said" dir="auto">{_escaped(piece.text)}</div>'
        case ReadableDetail():
            return _details(piece.title, piece.text)
        case Attached():
            return attachment(piece.blob, content)
        case _:
            assert_never(piece)


def _details(title: str, text: str) -> str:
    # A parser drops a line feed right after <pre>; giving it one of its own keeps the text's.
    return f'<details><summary>{_escaped(title)}</summary><pre dir="auto">\n{_escaped(text)}</pre></details>'


def attachment(blob: Blob, content: Content) -> str:
    """Content beside the log: a picture, a text that is folded, or a name."""
    name, text = name_of(blob, content), text_of(blob, content)
    if text:
        return _details(name, text)
    data = content.get(blob.blob, b"")
    kind = image_type(data)
    if not kind:
        return f'<p class="remark">{_escaped(name)}</p>'
    return f'<p><img src="data:{kind};base64,{b64encode(data).decode()}" alt="{_escaped(name)}"></p>'
