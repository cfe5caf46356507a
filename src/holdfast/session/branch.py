"""Where a conversation may go on: rewinding, taking a rewind back, and the branches there are."""

from holdfast.errors import BadInput, BeyondEnd
from holdfast.ids import Position
from holdfast.records.entries import Rewound
from holdfast.records.parts import Value
from holdfast.session.state import PositionSpan, SessionState, on_path, path_to


class Branch(Value, frozen=True, kw_only=True):
    """One way the conversation went."""

    tip: Position
    """Its last position."""
    left_at: Position
    """Where it parts from the branch it shares its beginning with; -1 for the first."""
    current: bool


def rewind(state: SessionState, to: Position) -> Rewound:
    """The entry that takes the conversation back to a position."""
    if to > state.last:
        raise BeyondEnd(to, state.last)
    if to < 0:
        raise no_position(to)
    return Rewound(to=to)


def no_position(number: int) -> BadInput:
    """What is said of a number below 0."""
    return BadInput(f"There is no position {number}.", hint="Positions count from 0; `holdfast show` lists them.")


def undo_rewind(state: SessionState) -> Rewound:
    """The entry that takes the last rewind back: the conversation goes on where it was before."""
    if not state.jumps:
        raise BadInput("Nothing was rewound.", hint="`holdfast rewind KEY POSITION` goes back to a position.")
    before = path_to(Position(state.jumps[-1].at - 1), state.jumps[:-1])
    return Rewound(to=before[-1].last if before else Position(-1))


def branches(state: SessionState) -> tuple[Branch, ...]:
    """Every branch that says what the current one does not, in the order they were left; the current one is last."""
    tips: dict[Position, Position] = {}
    for index, jump in enumerate(state.jumps):
        spans = path_to(Position(jump.at - 1), state.jumps[:index])
        if spans:
            tips[spans[-1].last] = _left_at(spans)
    here = state.path
    old = (Branch(tip=tip, left_at=left, current=False) for tip, left in tips.items() if not on_path(tip, here))
    return (*old, Branch(tip=state.head, left_at=_left_at(here), current=True))


def _left_at(spans: tuple[PositionSpan, ...]) -> Position:
    return spans[-2].last if len(spans) > 1 else Position(-1)
