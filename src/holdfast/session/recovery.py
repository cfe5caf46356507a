"""What a broken-off writer, or a broken-off turn, still owes the log.

A reply that was streaming when its process died lies in the draft. It becomes a
reply marked as interrupted, so that nothing a person has seen is lost. Each piece
names the earliest position its reply can have; if a reply stands there or later,
the draft has been written down already and says nothing twice. A call without a
result gets one that says so: it may have run, and is never run again by itself.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from holdfast.records.codec import Record
from holdfast.records.entries import Drafted, ModelReplied, ToolFinished
from holdfast.records.parts import Text, Thinking
from holdfast.session.state import OpenCall

MAY_HAVE_RUN = "[interrupted: this call had begun and may have run; what came of it is not known]"
NOT_RUN = "[interrupted: this call was not begun]"


def interrupted_calls(calls: Iterable[OpenCall]) -> tuple[ToolFinished, ...]:
    """The results of calls that have none and will get no other."""
    return tuple(
        ToolFinished(
            call=each.call,
            name=each.name,
            outcome="interrupted",
            parts=(Text(text=MAY_HAVE_RUN if each.started else NOT_RUN),),
        )
        for each in calls
    )


def interrupted_reply(pieces: Sequence[Drafted], since: Sequence[Record]) -> ModelReplied | None:
    """The reply that a draft holds and the records from its position on do not; None if there is none."""
    replied = max((record.pos for record in since if isinstance(record.entry, ModelReplied)), default=-1)
    owed = [piece for piece in pieces if piece.reply > replied]
    words = ((kind, text) for piece in owed for kind, text in ((Thinking, piece.thinking), (Text, piece.text)) if text)
    # In the order in which it was shown, so that it goes on where those are who watched.
    runs = groupby(words, key=itemgetter(0))
    parts = tuple(kind(text=joined(text for _, text in run)) for kind, run in runs)
    # What was said for the next step while it spoke waits for that step still.
    return ModelReplied(parts=parts, stop="interrupted", heard=owed[-1].heard) if parts else None


def joined(pieces: Iterable[str]) -> str:
    """Pieces as one text: a stream may be cut inside a character, and its two halves become one again."""
    return "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
