"""What a broken-off writer still owes the log.

A reply that was streaming when its process died lies in the draft. It becomes a
reply marked as interrupted, so that nothing a person has seen is lost. Each piece
names the position of its reply; a draft whose reply is in the log already says
nothing twice.
"""

from holdfast.ids import Position
from holdfast.records.entries import Drafted, ModelReplied
from holdfast.records.parts import Part, Text, Thinking


def interrupted_reply(pieces: tuple[Drafted, ...], end: Position) -> ModelReplied | None:
    """The reply that a draft holds and the log does not; None when there is nothing to add."""
    owed = [piece for piece in pieces if piece.reply > end]
    thinking = "".join(piece.thinking for piece in owed)
    text = "".join(piece.text for piece in owed)
    parts: list[Part] = []
    if thinking:
        parts.append(Thinking(text=thinking))
    if text:
        parts.append(Text(text=text))
    return ModelReplied(parts=tuple(parts), stop="interrupted") if parts else None
