"""Where the conversation goes on: going back, taking that back, copies, and the branches there are."""

from holdfast.commands.text.times import count
from holdfast.commands.workspace_sessions import new_key
from holdfast.errors import BadInput, NotThere
from holdfast.hosts.slash.answer import (
    Answers,
    BranchChoice,
    Confirm,
    Moved,
    PickBranch,
    SwitchTo,
    Typed,
    Words,
)
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.drawing import draw
from holdfast.hosts.slash.past import PastTurn, said_since, turns_back
from holdfast.hosts.slash.run import misused, number
from holdfast.records.safe import safe_line

LINE = 60
"""How much of what was said stands in a question."""


async def rewind(rest: str, desk: SlashDesk) -> Answers:
    """Go back some turns, or to a position."""
    wanted = number(rest.removeprefix("@") or "1")
    if wanted is None or rest == "@":
        raise misused("rewind", f"{rest!r} is no number of turns and no position.")
    if rest.startswith("@"):
        return (await _go_to(wanted, desk),)
    turn = await _turn(wanted, desk)
    moved = await _go_to(turn.before, desk)
    return (moved, Typed(text=turn.said)) if turn.said else (moved,)


async def _turn(wanted: int, desk: SlashDesk) -> PastTurn:
    """A turn, counted from the last, which is 1."""
    known = 0
    if wanted:
        async for turn in turns_back(desk.session):
            known += 1
            if known == wanted:
                return turn
    had = f"This conversation has {count(known, 'turn')}." if known else "Nothing was said here yet."
    raise BadInput(f"There is nothing to go back to. {had}" if wanted else "Going back 0 turns changes nothing.")


async def _go_to(position: int, desk: SlashDesk) -> Moved:
    await desk.conversation.rewind(position)
    head = desk.conversation.state.head
    return Moved(head=head, said=f"Back at position {head}. What came after is kept: /undo goes there again.")


async def undo(rest: str, desk: SlashDesk) -> Answers:
    """Take the last rewind back, or offer one."""
    if rest:
        raise misused("undo", "/undo takes nothing; /rewind goes back further.")
    jumps = desk.conversation.state.jumps
    if jumps and not await said_since(desk.session, jumps[-1].at):
        await desk.conversation.undo_rewind()
        head = desk.conversation.state.head
        return (Moved(head=head, said=f"The rewind is taken back: the conversation is at position {head} again."),)
    turn = await _turn(1, desk)
    last = f"“{safe_line(turn.said, LINE)}”" if turn.said else "the last turn"
    return (Confirm(question=f"Nothing is rewound. Go back before {last}?", then="/rewind 1"),)


async def fork(rest: str, desk: SlashDesk) -> Answers:
    """Copy this conversation, and go on in the copy."""
    at = number(rest.removeprefix("@"))
    if rest and at is None:
        raise misused("fork", f"{rest!r} is no position.")
    key = new_key(desk.agent.root, desk.now())
    await desk.session.commit()
    await desk.store.fork(desk.conversation.key, key, at=at)
    upto = "" if at is None else f" up to position {at}"
    return (Words(markdown=f"{key} begins as a copy of this conversation{upto}."), SwitchTo(key=key))


async def tree(rest: str, desk: SlashDesk) -> Answers:
    """Show the branches, or go to one."""
    wanted = number(rest)
    if rest and wanted is None:
        raise misused("tree", f"{rest!r} is no number of a branch.")
    drawn = await draw(desk.session)
    if wanted is None:
        if len(drawn.leaves) == 1:
            return (Words(markdown="The conversation went one way only. `/rewind` goes back, `/fork` makes a copy."),)
        choices = tuple(
            BranchChoice(number=index, line=leaf.line, current=leaf.branch.current)
            for index, leaf in enumerate(drawn.leaves, 1)
        )
        return (PickBranch(drawing=drawn.text, choices=choices),)
    if not 0 < wanted <= len(drawn.leaves):
        known = count(len(drawn.leaves), "branch", "branches")
        raise NotThere(f"There is no branch {rest}; the conversation has {known}.", hint="/tree shows them.")
    branch = drawn.leaves[wanted - 1].branch
    if branch.current:
        return (Words(markdown="That is the branch you are on."),)
    await desk.conversation.rewind(branch.tip)
    head = desk.conversation.state.head
    return (Moved(head=head, said=f"On branch {rest}, at position {head}. /undo goes back to where you were."),)
