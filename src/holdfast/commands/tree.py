"""The branches of a conversation as a tree of what was said on each.

Branches share how they begin, so they are put together message by message; a stretch on which nothing parts is
one line. A branch on which nothing was said of its own, as after going back and forth, is not drawn.
"""

from bisect import bisect_left, bisect_right

from msgspec import Struct, field

from holdfast.commands.text.times import count
from holdfast.ids import Position
from holdfast.records.entries import ModelReplied, UserSaid
from holdfast.records.parts import Value, plain_text
from holdfast.records.printable import printable_line
from holdfast.session.branch import Branch, branches
from holdfast.session.state import SessionState, path_to
from holdfast.session.writer import Session

MOST = 50
"""How many branches are drawn: the newest."""
LINE = 48
"""How much of what was said stands on a line."""
HERE = " (here)"
"""What marks the branch that one is on; it stands in front, where no narrow screen cuts it."""


class Leaf(Value, frozen=True, kw_only=True):
    """Where a branch ends."""

    branch: Branch
    line: str


class Drawn(Value, frozen=True, kw_only=True):
    """A tree, and the branches in it in the order of their numbers."""

    text: str
    leaves: tuple[Leaf, ...]


class _Said(Value, frozen=True, kw_only=True):
    pos: Position
    user: bool
    text: str


class _Node(Struct):
    """A message, what was said after it on each branch, and the branches that end with it."""

    said: _Said | None = None
    after: dict[Position, "_Node"] = field(default_factory=dict)
    ends: list[Branch] = field(default_factory=list)


async def draw(session: Session) -> Drawn:
    """Draw all branches of a session."""
    said = [
        _Said(pos=record.pos, user=isinstance(record.entry, UserSaid), text=plain_text(record.entry.parts)[: 4 * LINE])
        async for record in session.read()
        if isinstance(record.entry, UserSaid | ModelReplied)
    ]
    root = _grown(session.state, said)
    leaves: list[Leaf] = []
    lines = _lines(root, leaves, "", "")
    return Drawn(text="\n".join(lines), leaves=tuple(leaves))


def _grown(state: SessionState, said: list[_Said]) -> _Node:
    """The tree of the newest branches."""
    root, places = _Node(), [each.pos for each in said]
    for branch in branches(state)[-MOST:]:
        node = root
        for span in path_to(branch.tip, state.jumps):
            for each in said[bisect_left(places, span.first) : bisect_right(places, span.last)]:
                node = node.after.setdefault(each.pos, _Node(said=each))
        # Of branches that say the same, the current one counts, and it comes last.
        node.ends = [branch]
    _prune(root)
    return root


def _prune(node: _Node) -> None:
    """Forget ends of old branches from which another branch went on: they say nothing of their own."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.after:
            node.ends = [each for each in node.ends if each.current]
        waiting += node.after.values()


def _lines(node: _Node, leaves: list[Leaf], first: str, rest: str) -> list[str]:
    """The lines of a node and all that follows, behind what is drawn to their left."""
    stretch, end = _stretch(node)
    lines = [f"{first}{_label(stretch)}"] if stretch else []
    if end.ends:
        leaves.append(Leaf(branch=end.ends[0], line=_label(stretch)))
        number = f"{len(leaves)}{HERE if end.ends[0].current else ''}  "
        if end.after or not lines:
            lines.append(f"{rest}{'├─ ' if end.after else ''}{number}nothing more was said")
        else:
            lines[-1] = f"{first}{number}{_label(stretch)}"
    following = [each for _, each in sorted(end.after.items())]
    for index, each in enumerate(following):
        last = index == len(following) - 1
        lines += _lines(each, leaves, f"{rest}{'└─ ' if last else '├─ '}", f"{rest}{'   ' if last else '│  '}")
    return lines


def _stretch(node: _Node) -> tuple[list[_Said], _Node]:
    """What was said from a node on until branches part or end, and the node where they do."""
    stretch = [node.said] if node.said else []
    while len(node.after) == 1 and not node.ends:
        node = next(iter(node.after.values()))
        if node.said:
            stretch.append(node.said)
    return stretch, node


def _label(stretch: list[_Said]) -> str:
    """What a stretch is about: the first thing that a person said on it, or else the model."""
    if not stretch:
        return "(nothing was said)"
    about = next((each for each in stretch if each.user), stretch[0])
    words = printable_line(about.text, LINE) or "(no words)"
    return f"{words if about.user else f'answered: {words}'}  (@{about.pos}, {count(len(stretch), 'message')})"
