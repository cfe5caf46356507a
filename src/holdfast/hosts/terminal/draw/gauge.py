"""The status line: who answers, in which session, how full the window is, what it cost, whether all is saved.

A pure function of what is known. At a narrow width the least important pieces are left out, never cut in the
middle of a number.
"""

from typing import Literal, NamedTuple, TypeAlias

import msgspec

from holdfast.agent.permissions import Mode
from holdfast.commands.text.width import clip
from holdfast.commands.text.width import width as cells
from holdfast.hosts.terminal.draw.numbers import lasted, money, short_count
from holdfast.hosts.terminal.draw.spans import Span, drawn
from holdfast.hosts.terminal.draw.theme import Role, Theme
from holdfast.records.printable import printable_line

BAR = 10
"""Cells of the bar."""
NEARLY, FULL = 70, 90
"""Percent of the window at which its colour warns."""
BETWEEN = " · "


Safe: TypeAlias = Literal["saving", "saved", "written", "unkept", "lost"]
"""What of a conversation is safe: not all that is shown yet; all of it, also from a power cut; all of it, but from a
power cut only once the disk has followed; nothing, as the settings say; nothing more, for another process has it."""
_SAFE: dict[Safe, tuple[str, int, str, Role]] = {
    "saved": ("saved ✓", 17, "✓", "status"),
    "written": ("written ✓", 17, "(✓)", "status"),
    "unkept": ("not kept", 17, "–", "warning"),
    "saving": ("saving …", 13, "…", "warning"),  # the short one is easily overlooked, so a bar gives way first
    "lost": ("taken over", 17, "✗", "error"),
}


_MODES: dict[Mode, tuple[str, str]] = {"edits": ("accept edits", "edits"), "plan": ("plan mode", "plan")}
"""The modes that are shown: the usual one is not."""


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
    safe: Safe = "saved"
    seconds: float | None = None
    """How long the turn has run; None while none runs."""
    queued: int = 0
    """Messages that wait."""
    mode: Mode = "ask"
    """The permission mode."""
    goal: str = ""
    """How far the goal is."""
    keys: str = ""
    """Keys that can be pressed now."""


class _Form(NamedTuple):
    text: str
    goes: int
    """The higher, the sooner it gives way to the next form of its piece, or, as the last one, is left out."""


class _Piece(NamedTuple):
    forms: tuple[_Form, ...]
    role: Role = "status"


def status_line(status: Status, width: int, theme: Theme) -> str:
    """The line, not wider than the terminal."""
    pieces = _pieces(status)
    while _width(pieces) > width and any(piece.forms[0].goes for piece in pieces):
        at = max(range(len(pieces)), key=lambda index: pieces[index].forms[0].goes)
        left = pieces[at].forms[1:]
        pieces[at : at + 1] = [pieces[at]._replace(forms=left)] if left else []
    spans: list[Span] = []
    for index, piece in enumerate(pieces):
        spans += [Span(BETWEEN, ("status",))] * bool(index) + [Span(piece.forms[0].text, (piece.role,))]
    return drawn(spans, theme)


def _width(pieces: list[_Piece]) -> int:
    return sum(cells(piece.forms[0].text) for piece in pieces) + len(BETWEEN) * (len(pieces) - 1)


def _pieces(status: Status) -> list[_Piece]:
    pieces = []
    if status.mode in _MODES:
        long, short = _MODES[status.mode]
        pieces.append(_Piece((_Form(long, 7), _Form(short, 0)), "strong"))
    if model := printable_line(status.model, 60):
        short = model.rpartition(":")[2].rpartition("/")[2] or model
        pieces.append(_Piece((_Form(model, 19), _Form(short, 8), _Form(clip(short, 16), 3))))
    if session := printable_line(status.session, 60):
        pieces.append(_Piece((_Form(clip(session, 32), 14), _Form(clip(session, 16), 12))))
    if status.room:
        pieces.append(_gauge(status))
    if status.tokens:
        pieces.append(_Piece((_Form(f"{short_count(status.tokens)} tokens", 16),)))
    if status.cost_micros:
        pieces.append(_Piece((_Form(money(status.cost_micros), 11),)))
    pieces += _work(status)
    pieces.append(_safe(status))
    if keys := printable_line(status.keys, 60):
        pieces.append(_Piece((_Form(keys, 20),)))
    return pieces


def _work(status: Status) -> list[_Piece]:
    """What goes on: the goal, what waits, how long the turn has run."""
    pieces = []
    if status.goal:
        pieces.append(_Piece((_Form(status.goal, 6), _Form(status.goal.partition(",")[0], 1)), "strong"))
    if status.queued:
        pieces.append(_Piece((_Form(f"{status.queued} queued", 9),)))
    if status.seconds is not None:
        spent = lasted(int(status.seconds))
        pieces.append(_Piece((_Form(f"working {spent}", 18), _Form(spent, 5))))
    return pieces


def _safe(status: Status) -> _Piece:
    """How safe all is, which is always said."""
    long, goes, short, role = _SAFE[status.safe]
    return _Piece((_Form(long, goes), _Form(short, 0)), role)


def _gauge(status: Status) -> _Piece:
    percent = min(100, status.used * 100 // status.room)
    filled = min(BAR, -(-status.used * BAR // status.room))
    bar = "█" * filled + "░" * (BAR - filled)
    counts = f"{short_count(status.used)}/{short_count(status.room)}"
    role: Role = "error" if percent >= FULL else "warning" if percent >= NEARLY else "status"
    forms = (_Form(f"{bar} {counts} {percent} %", 15), _Form(f"{counts} {percent} %", 10), _Form(f"{percent} %", 4))
    return _Piece(forms, role)
