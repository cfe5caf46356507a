"""`delete`: a conversation goes into the trash, or for good."""

from collections.abc import Sequence

from holdfast.commands.answers import Answers, Confirm, Data, Prose, SwitchTo
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.sessions import fresh
from holdfast.commands.text.times import count
from holdfast.commands.typed_lines import old_drafts, remove_shared
from holdfast.config.places import state_folder
from holdfast.errors import HoldfastError
from holdfast.session.facts import Scope
from holdfast.session.state import SessionState
from holdfast.session.store import Store


async def delete(given: Inputs, context: CommandContext) -> Answers:
    """Remove sessions for good, or into the trash; without a key, the conversation one is in goes into the trash."""
    keys, trash = given.names("key"), given.flag("trash")
    if isinstance(context, ConversationContext) and not keys:
        return await _this(given, context)
    store = await context.opened()
    found = [await store.state(key) for key in keys]
    if not trash and not given.flag("yes"):
        said = [f"{each.key} ({count(each.messages, 'message')})" for each in found]
        facts = await _facts_of(store, found) if not given.flag("keep_memory") else []
        told = f" These facts go with it: {' '.join(facts)}" if facts else ""
        return (Confirm(question=f"Remove {', '.join(said)} for good?{told}", then=given.again("--yes")),)
    await _removed(store, keys, trash=trash, keep_memory=given.flag("keep_memory"))
    if not trash:
        forget_outside(context, keys)
    names, data = ", ".join(keys), Data(value={"keys": keys, "trash": trash})
    if trash:
        return (Prose(markdown=f"{names}: in the trash. `holdfast trash restore KEY` brings it back."), data)
    return (Prose(markdown=f"Removed {names} for good."), data)


async def _this(given: Inputs, context: ConversationContext) -> Answers:
    """Move the conversation one is in into the trash, once that was confirmed; another one begins in its place."""
    state = context.conversation.state
    if not given.flag("yes"):
        name = state.title or state.key
        question = f"Move {name} ({count(state.messages, 'message')}) into the trash?"
        return (Confirm(question=question, then=given.again("--yes")),)
    await context.agent.engine.leave(state.key)
    try:
        await context.store.throw_away(state.key)
    except HoldfastError as error:
        return (Prose(markdown=f"It was not deleted. {error}"), SwitchTo(key=state.key))
    back = f"`holdfast trash restore {state.key}` brings it back."
    data = Data(value={"keys": [state.key], "trash": True})
    return (Prose(markdown=f"{state.key} is in the trash. {back}"), fresh(context), data)


async def _facts_of(store: Store, states: Sequence[SessionState]) -> list[str]:
    """The facts that were written down in some sessions."""
    keys = {state.key for state in states if state.remembered}
    scopes = {state.owner for state in states if state.remembered}
    known = [fact for owner in sorted(scopes) for fact in (await store.memory(Scope(owner=owner))).current]
    return [fact.text for fact in known if fact.key in keys]


async def _removed(store: Store, keys: Sequence[str], *, trash: bool, keep_memory: bool) -> None:
    """Remove one after the other; where one cannot be, say which are gone."""
    for index, key in enumerate(keys):
        try:
            await (store.throw_away(key) if trash else store.delete(key, keep_memory=keep_memory))
        except HoldfastError as error:
            if index:
                gone = "In the trash" if trash else "Removed for good"
                error.add_note(f"{gone} before this: {', '.join(keys[:index])}.")
            raise


def forget_outside(context: CommandContext, keys: Sequence[str]) -> None:
    """Remove what earlier versions kept of these sessions outside of the store."""
    state = state_folder(context.environment)
    remove_shared(state)
    for key in keys:
        for file in old_drafts(state, context.place, key):
            file.unlink(missing_ok=True)
