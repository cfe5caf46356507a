"""Up to where a conversation may be summarized.

Only whole turns are: a summary ends where a person begins to speak. The newest turns stay as
they were said, and so does a question of the agent's that the user has not answered,
or is just answering: an answer means nothing without its question.
"""

import re
from collections.abc import Sequence

from holdfast.context.timeline import Timeline
from holdfast.context.units import Unit
from holdfast.model.protocol import AssistantMessage
from holdfast.records.parts import plain_text

_QUESTION = re.compile(r"""[?\u061f\u055e]["'*_`)\]\u201d\u2019\u00bb]*(?:\s|$)|\uff1f""")
"""A question mark at the end of a sentence, in Latin, Arabic, Armenian and Chinese writing."""
ANSWERED = 2
"""So many turns after it, a question is no longer open."""


def boundary(timeline: Timeline, turns: int) -> int | None:
    """The unit up to which, not including it, everything may be summarized; None if nothing may."""
    units = timeline.units()
    starts = turn_starts(units)
    if len(starts) < turns:
        return None
    question = open_question(units, starts)
    newest = starts[-turns] if question is None else min(starts[-turns], question)
    lawful = set(timeline.cuts())
    return max((start for start in starts if start in lawful and start <= newest), default=None)


def turn_starts(units: Sequence[Unit]) -> list[int]:
    """Where a person begins to speak: what they say in a row is one turn."""
    return [
        index
        for index, unit in enumerate(units)
        if unit.kind == "user" and not (index and units[index - 1].kind == "user")
    ]


def open_question(units: Sequence[Unit], starts: Sequence[int]) -> int | None:
    """The last thing the agent asked, if it still waits for an answer or the newest turn is the answer."""
    for index in range(len(units) - 1, -1, -1):
        if sum(start > index for start in starts) >= ANSWERED:
            return None
        if any(isinstance(message, AssistantMessage) and asks(message) for message in units[index].messages):
            return index
    return None


def asks(message: AssistantMessage) -> bool:
    """Whether there is a question in the last paragraph of the model's words."""
    return _QUESTION.search(plain_text(message.parts).strip().rpartition("\n\n")[2]) is not None
