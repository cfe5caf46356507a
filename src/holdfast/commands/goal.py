"""The goal of a conversation: set it, look at it, change it, pause it, end it."""

from collections.abc import Callable
from datetime import UTC

from holdfast.commands.answers import Answers, Column, Confirm, Data, Fact, Facts, Note, Prose, Table
from holdfast.commands.context import WAIT, CommandContext, ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import clock, count
from holdfast.errors import AlreadyThere, ModelError, NotThere
from holdfast.goals import changes
from holdfast.goals.snapshot import GoalState, goal_state
from holdfast.records.entries import (
    Entry,
    GoalAmended,
    GoalEnded,
    GoalProgressed,
    GoalSet,
    GoalStatusChanged,
    GoalVerified,
)
from holdfast.records.parts import Source
from holdfast.records.printable import printable_line
from holdfast.session.state import SessionState

PERSON = Source(host="command")
SHOWN = 200
HISTORY = 60
"""So many of the newest changes are listed."""
ALONE = frozenset({"pause", "resume", "cancel", "history", "show"})
"""What takes no words: with some, they are an objective that begins so."""

Made = Callable[[SessionState], tuple[Entry, ...]]
"""Makes facts of the state."""


async def goal(given: Inputs, context: CommandContext) -> Answers:
    """Show the goal, or change it."""
    action, words = given.text("action"), _words(given)
    if given.in_chat and words and (not action or action in ALONE):
        words, action = f"{action} {words}".strip(), "set"
    action = action or "show"
    if not given.in_chat and not given.text("key"):
        raise given.refuse(
            "No session is named.", hint=f"`holdfast goal {action} KEY`; `holdfast sessions` lists them."
        )
    if action == "show":
        return _shown(await _state(given, context), given)
    if action == "history":
        return await _history(given, context)
    if action == "set":
        return await _set(words, given, context)
    return await _changed(action, words, given, context)


def _words(given: Inputs) -> str:
    found = given.texts("words")
    return " ".join(found).strip() if found else given.text("words").strip()


async def _state(given: Inputs, context: CommandContext) -> SessionState:
    if isinstance(context, ConversationContext) and not given.text("key"):
        return context.conversation.state
    return await (await context.opened()).state(given.text("key"))


async def _written(
    make: Callable[[SessionState], tuple[Entry, ...]], given: Inputs, context: CommandContext
) -> SessionState:
    """Write down what is made of the state; gives the state after it."""
    if isinstance(context, ConversationContext) and not given.text("key"):
        await context.conversation.write(*make(context.conversation.state))
        return context.conversation.state
    store = await context.opened()
    async with store.session(given.text("key"), create=False, doing="changing a goal", wait=WAIT) as session:
        await session.append(*make(session.state))
        await session.commit()
        return session.state


async def _set(words: str, given: Inputs, context: CommandContext) -> Answers:
    title, checks = given.text("title"), tuple(given.texts("check"))
    named = GoalSet(objective=words, title=title, checks=checks)
    replacing = given.flag("replace")

    def make(state: SessionState) -> tuple[Entry, ...]:
        return changes.set_goal(state, words, context.settings.goals, by=PERSON, given=named, replacing=replacing)

    try:
        state = await _written(make, given, context)
    except AlreadyThere as error:
        if not given.in_chat:
            raise
        note = Note(text=f"{error.message}. `/goal edit TEXT` adds to it; Enter keeps it as it is.")
        return (note, Confirm(question="End that goal, and begin this one?", then=given.again("--replace")))
    notes = [Note(text=f"{check}: {why}") for check in checks if (why := changes.warning(check))]
    if isinstance(context, ConversationContext) and not given.text("key"):
        notes += await _without_tools(context)
        await context.conversation.go_on()
        said = "The goal is set: I work on it by myself now. `/goal` shows how far it is, `/goal pause` stops it."
    else:
        said = f"The goal is set. `{context.line('goal run', given.text('key'))}` works on it."
    return (Prose(markdown=said), *notes, Data(value=goal_state(state)))


async def _without_tools(context: ConversationContext) -> list[Note]:
    """A warning where the model that answers has no tools."""
    try:
        chat_model = await context.conversation.chat_model()
    except ModelError:
        return []  # the goal step says it, with what to do
    if chat_model.takes_tools:
        return []
    text = f"{chat_model.name} has no tools, so it cannot reach a goal. `/model` names models that have them."
    return [Note(text=text)]


async def _changed(action: str, words: str, given: Inputs, context: CommandContext) -> Answers:
    """Change the goal; what stops it takes effect at once, whatever runs."""
    here = context.conversation if isinstance(context, ConversationContext) and not given.text("key") else None
    if here is not None and action in {"pause", "cancel"}:
        await here.halt(_made(action, here.state, words), note=f"/goal {action}")
        state = here.state
    else:
        state = await _written(lambda state: _made(action, state, words), given, context)
        if here is not None:
            await here.go_on()
    said = {
        "pause": "The goal is paused. `/goal resume` goes on with it.",
        "resume": "The goal goes on.",
        "edit": "Added. The next goal step is told.",
        "check": "The checks are changed; `/goal` lists them.",
        "budget": "The budget is raised. A goal that was paused for it goes on.",
        "cancel": "The goal is ended.",
    }[action]
    warned = changes.warning(words) if action == "check" and not words.startswith("-") else ""
    notes = (Note(text=warned),) if warned else ()
    return (Prose(markdown=said), *notes, Data(value=goal_state(state)))


def _made(action: str, state: SessionState, words: str) -> tuple[Entry, ...]:
    match action:
        case "pause":
            return changes.paused(state, by=PERSON)
        case "resume":
            return changes.resumed(state, by=PERSON)
        case "edit":
            return changes.amended(state, words, by=PERSON)
        case "check":
            return changes.with_check(state, words, by=PERSON)
        case "budget":
            status = changes.goal_of(state).status
            goes_on = changes.resumed(state, by=PERSON) if status is not None and status.why == "budget" else ()
            return (*changes.with_budget(state, words, by=PERSON), *goes_on)
        case _:
            return changes.cancelled(state)


def _shown(state: SessionState, given: Inputs) -> Answers:
    found = goal_state(state)
    if found is None:
        said = "There is no goal. `/goal OBJECTIVE` sets one." if given.in_chat else "There is no goal."
        return (Prose(markdown=said), Data(value=None))
    return (Facts(facts=tuple(Fact(name=name, value=value) for name, value in _facts(found))), Data(value=found))


def _facts(found: GoalState) -> list[tuple[str, str]]:
    status = f"{found.status}: {found.reason}" if found.reason else found.status
    until = f", until {clock(found.waits_until)}" if found.waits_until else ""
    used = f"{found.tokens:,} tokens, ${found.cost_micros / 1_000_000:.2f}, {count(found.step, 'goal step')}"
    left = [
        f"{max(0, found.tokens_left):,} tokens" if found.tokens_left is not None else "",
        count(max(0, found.steps_left), "goal step") if found.steps_left is not None else "",
        f"{max(0, round(found.seconds_left / 60))} min" if found.seconds_left is not None else "",
        f"${max(0, found.cost_left_micros) / 1_000_000:.2f}" if found.cost_left_micros is not None else "",
    ]
    rows = [
        ("Goal", found.objective),
        ("Status", f"{status}{until}"),
        ("Progress", f"{found.items_met} of {found.items} items" if found.items else ""),
        ("Last report", found.report),
        ("Next", found.next_step),
        *((f"Check {number}", check) for number, check in enumerate(found.checks, 1)),
        ("Last look", f"{found.verdict.replace('_', ' ')}: {found.verdict_why}" if found.verdict else ""),
        ("Used", used),
        ("Left", ", ".join(each for each in left if each)),
    ]
    return [(name, printable_line(value, 400)) for name, value in rows if value]


async def _history(given: Inputs, context: CommandContext) -> Answers:
    """All that happened to the goals of the session, the newest last."""
    key = given.text("key")
    if isinstance(context, ConversationContext) and not key:
        key = context.conversation.key
    rows: list[tuple[str, str, str]] = []
    async for record in (await context.opened()).read_back(key):
        told = _told(record.entry)
        if told is not None:
            rows.append((f"{record.at.astimezone(UTC):%Y-%m-%d %H:%M}", told[0], printable_line(told[1], SHOWN)))
        if len(rows) == HISTORY:
            break
    if not rows:
        raise NotThere("There was no goal here yet.", hint="`/goal OBJECTIVE` sets one.")
    table = Table(columns=(Column(name="UTC"), Column(name="What"), Column(name="More")), rows=tuple(reversed(rows)))
    return (table, Data(value=[{"at": at, "what": what, "more": more} for at, what, more in reversed(rows)]))


def _told(entry: Entry) -> tuple[str, str] | None:
    match entry:
        case GoalSet():
            return "set", entry.objective
        case GoalAmended():
            grown = [("tokens", entry.tokens), ("goal steps", entry.turns), ("seconds", entry.seconds)]
            more = ", ".join(f"+{number} {name}" for name, number in grown if number)
            return "amended", entry.text or entry.check or (f"without {entry.without}" if entry.without else more)
        case GoalStatusChanged():
            return entry.status, entry.note or entry.why
        case GoalProgressed():
            return "report", entry.notes
        case GoalVerified():
            return entry.verdict.replace("_", " "), entry.why
        case GoalEnded():
            return f"ended: {entry.verdict.replace('_', ' ')}", entry.notes
        case _:
            return None
