"""The status line: who answers, in which session, how full the window is, what it cost, whether all is saved.

A pure function of what is known. At a narrow width the least important pieces are left out, never cut in the
middle of a number.
"""

import msgspec

from holdfast.hosts.terminal.spans import Span, cells, clip, drawn
from holdfast.hosts.terminal.theme import Role, Theme
from holdfast.hosts.terminal.words import lasted, money, short_count
from holdfast.records.safe import safe_line

BAR = 10
"""Cells of the bar."""
NEARLY, FULL = 70, 90
"""Percent of the window at which its colour warns."""
BETWEEN = " · "


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """What the status line says."""

    model: str = ""
    session: str = ""
    """Its title, or its key."""
    used: int = 0
    """Tokens of the last request."""
    room: int = 0
    """Tokens that a request may have; 0 while it is not known."""
    tokens: int = 0
    """Tokens that the session used so far."""
    cost_micros: int = 0
    saved: bool = True
    """Whether everything that is shown is committed."""
    seconds: float | None = None
    """How long the turn has run; None while none runs."""
    queued: int = 0
    """Messages that wait."""
    keys: str = ""
    """Keys that can be pressed now."""


class _Piece(msgspec.Struct, frozen=True):
    rank: int
    """The lower it is, the longer the piece stays."""
    forms: tuple[str, ...]
    """The same in fewer and fewer cells."""
    role: Role = "status"


def status_line(status: Status, width: int, theme: Theme) -> str:
    """The line, not wider than the terminal."""
    pieces = [(piece, 0) for piece in _pieces(status)]
    while _width(pieces) > width:
        shorter = [at for at, (piece, form) in enumerate(pieces) if form + 1 < len(piece.forms)]
        if shorter:
            at = max(shorter, key=lambda index: pieces[index][0].rank)
            pieces[at] = (pieces[at][0], pieces[at][1] + 1)
        elif len(pieces) > 1:
            pieces.remove(max(pieces, key=lambda each: each[0].rank))
        else:
            only, form = pieces[0]
            return theme.painted(clip(only.forms[form], width), only.role)
    spans: list[Span] = []
    for index, (piece, form) in enumerate(pieces):
        spans += [Span(BETWEEN, ("status",))] * bool(index) + [Span(piece.forms[form], (piece.role,))]
    return drawn(spans, theme)


def _width(pieces: list[tuple[_Piece, int]]) -> int:
    return sum(cells(piece.forms[form]) for piece, form in pieces) + len(BETWEEN) * (len(pieces) - 1)


def _pieces(status: Status) -> list[_Piece]:
    pieces = []
    if status.model:
        whole = safe_line(status.model, 60)
        short = whole.rpartition(":")[2].rpartition("/")[2]
        pieces.append(_Piece(2, (whole, short, clip(short, 16))))
    if status.session:
        whole = safe_line(status.session, 60)
        pieces.append(_Piece(5, (clip(whole, 32), clip(whole, 16))))
    if status.room:
        pieces.append(_gauge(status))
    if status.tokens:
        pieces.append(_Piece(6, (f"{short_count(status.tokens)} tokens",)))
    if status.cost_micros:
        pieces.append(_Piece(4, (money(status.cost_micros),)))
    if status.queued:
        pieces.append(_Piece(3, (f"{status.queued} queued",)))
    if status.seconds is not None:
        pieces.append(_Piece(1, (f"working {lasted(int(status.seconds))}", lasted(int(status.seconds)))))
    pieces.append(_Piece(0, ("saved ✓", "✓")) if status.saved else _Piece(0, ("saving …", "…"), "warning"))
    if status.keys:
        pieces.append(_Piece(7, (safe_line(status.keys, 60),)))
    return pieces


def _gauge(status: Status) -> _Piece:
    percent = min(100, -(-status.used * 100 // status.room))
    filled = min(BAR, -(-status.used * BAR // status.room))
    bar = "█" * filled + "░" * (BAR - filled)
    counts = f"{short_count(status.used)}/{short_count(status.room)}"
    role: Role = "error" if percent >= FULL else "warning" if percent >= NEARLY else "status"
    return _Piece(1, (f"{bar} {counts} {percent} %", f"{counts} {percent} %", f"{percent} %"), role)
