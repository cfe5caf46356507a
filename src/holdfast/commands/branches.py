"""Where a conversation goes on: going back, taking that back, copies, and the branches there are."""

from holdfast.commands.answers import (
    Answers,
    BranchChoice,
    Data,
    Moved,
    PickBranch,
    Prose,
    SwitchTo,
)
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.past import PastTurn, said_since, turns_back
from holdfast.commands.rewind import Rewinding
from holdfast.commands.text.times import count
from holdfast.commands.tree import draw
from holdfast.commands.workspace_sessions import new_key
from holdfast.errors import BadInput, NotThere


async def rewind(given: Inputs, context: CommandContext) -> Answers:
    """Go back to a position, or some turns, with the files that were changed since; or take the last rewind back."""
    key, position, undo = given.text("key"), given.number("position"), given.flag("undo")
    if key and undo == (position is not None):
        raise given.refuse("A rewind goes to a position, or takes the last one back.", hint="Give POSITION or --undo.")
    if given.flag("files") and given.flag("no_files"):
        raise given.refuse("--files and --no-files exclude each other.")
    async with context.held(key, "rewinding") as session:
        rewinding = Rewinding(given, context, session)
        if isinstance(context, ConversationContext) and not key:
            if given.flag("finish"):
                return await rewinding.finish()
            if position is None:
                turns = given.number("turns")
                return await rewinding.before(await _turn(1 if turns is None else turns, context))
        return await rewinding.undo() if position is None else await rewinding.to(position)


async def _turn(wanted: int, context: ConversationContext) -> PastTurn:
    """A turn, counted from the last, which is 1."""
    known = 0
    if wanted:
        async for turn in turns_back(context.session):
            known += 1
            if known == wanted:
                return turn
    had = f"This conversation has {count(known, 'turn')}." if known else "Nothing was said here yet."
    raise BadInput(f"There is nothing to go back to. {had}" if wanted else "Going back 0 turns changes nothing.")


async def undo(given: Inputs, context: ConversationContext) -> Answers:
    """Take the last rewind back, or offer one."""
    jumps = context.conversation.state.jumps
    rewinding = Rewinding(given, context, context.conversation)
    if jumps and not await said_since(context.session, jumps[-1].at):
        return await rewinding.undo()
    return await rewinding.offer(await _turn(1, context))


async def fork(given: Inputs, context: CommandContext) -> Answers:
    """Begin a session as a copy of another one, or of the conversation one is in, and go on in it."""
    key, new, at = given.text("key"), given.text("new"), given.number("at")
    inside = isinstance(context, ConversationContext) and not key
    if isinstance(context, ConversationContext) and inside:
        key, new = context.conversation.key, new_key(context.agent.root, context.now())
        await context.session.commit()
    store = await context.opened()
    await store.fork(key, new, at=at)
    shared = (await store.state(new)).last - 1
    data = Data(value={"key": new, "forked_from": key, "at": shared})
    if not inside:
        return (Prose(markdown=f"{new} begins as {key} up to {shared}."), data)
    upto = "" if at is None else f" up to position {at}"
    return (Prose(markdown=f"{new} begins as a copy of this conversation{upto}."), SwitchTo(key=new), data)


async def tree(given: Inputs, context: ConversationContext) -> Answers:
    """Show the branches, or go to one."""
    wanted = given.number("branch")
    drawn = await draw(context.session)
    if wanted is None:
        if len(drawn.leaves) == 1:
            return (Prose(markdown="The conversation went one way only. `/rewind` goes back, `/fork` makes a copy."),)
        choices = tuple(
            BranchChoice(number=index, line=leaf.line, current=leaf.branch.current)
            for index, leaf in enumerate(drawn.leaves, 1)
        )
        return (PickBranch(drawing=drawn.text, choices=choices),)
    if not 0 < wanted <= len(drawn.leaves):
        known = count(len(drawn.leaves), "branch", "branches")
        raise NotThere(f"There is no branch {wanted}; the conversation has {known}.", hint="/tree shows them.")
    branch = drawn.leaves[wanted - 1].branch
    if branch.current:
        return (Prose(markdown="That is the branch you are on."),)
    await context.conversation.rewind(branch.tip)
    head = context.conversation.state.head
    return (Moved(head=head, said=f"On branch {wanted}, at position {head}. /undo goes back to where you were."),)
