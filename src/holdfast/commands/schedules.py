"""Schedules: reminders and loops, and what is listed, paused, deleted and told of them."""

from datetime import UTC

from holdfast.commands.answers import Answers, Column, Data, Note, Prose, Table
from holdfast.commands.context import WAIT, CommandContext, ConversationContext
from holdfast.commands.inputs import Inputs, number
from holdfast.errors import NotThere
from holdfast.goals import said_schedules, schedules
from holdfast.goals.slots import zone_of
from holdfast.records.entries import Entry, ScheduleChanged, ScheduleFired, ScheduleSet
from holdfast.records.parts import Source
from holdfast.records.printable import printable_line
from holdfast.session.schedules import Schedule
from holdfast.session.state import SessionState

PERSON = Source(host="command")
HISTORY = 60
ELSEWHERE = "It fires while this chat is open, or while a gateway runs (`holdfast serve`)."
NOWHERE = "A gateway (`holdfast serve`) fires it, or a chat of its workspace while that is open."


async def loop(given: Inputs, context: ConversationContext) -> Answers:
    """Say something again and again."""
    words = _words(given)
    made = said_schedules.looped(words, context.now(), schedules.local_zone(context.environment), by=PERSON)
    return await _added(made, given, context)


async def remind(given: Inputs, context: ConversationContext) -> Answers:
    """Say something once, at a time."""
    words = _words(given)
    made = said_schedules.reminded(words, context.now(), schedules.local_zone(context.environment), by=PERSON)
    return await _added(made, given, context)


async def schedule(given: Inputs, context: CommandContext) -> Answers:
    """List schedules, or make, pause, resume or delete one."""
    action, words = given.text("action") or "list", _words(given)
    if not given.in_chat and not given.text("key"):
        raise given.refuse("No session is named.", f"`holdfast schedule {action} KEY`; `holdfast sessions` lists them.")
    if action == "list":
        return _listed(await _state(given, context))
    if action == "history":
        return await _history(given, context)
    if action in {"loop", "remind"}:
        make = said_schedules.looped if action == "loop" else said_schedules.reminded
        zone = given.text("zone") or schedules.local_zone(context.environment)
        zone_of(zone)
        return await _added(make(words, context.now(), zone, by=PERSON), given, context)
    chosen = schedules.numbered(await _state(given, context), number(words))
    await _write(schedules.changed(chosen, action, context.now(), by=PERSON), given, context)
    done = {"pause": "paused", "resume": "resumed", "delete": "deleted"}[action]
    return (Prose(markdown=f"The schedule is {done}: {printable_line(chosen.text, 80)}"), Data(value={"done": done}))


def _words(given: Inputs) -> str:
    found = given.texts("words")
    return " ".join(found).strip() if found else given.text("words").strip()


async def _state(given: Inputs, context: CommandContext) -> SessionState:
    if isinstance(context, ConversationContext) and not given.text("key"):
        return context.conversation.state
    return await (await context.opened()).state(given.text("key"))


async def _write(fact: Entry, given: Inputs, context: CommandContext) -> None:
    if isinstance(context, ConversationContext) and not given.text("key"):
        await context.conversation.write(fact)
        return
    store = await context.opened()
    async with store.session(given.text("key"), create=False, doing="changing a schedule", wait=WAIT) as session:
        await session.append(fact)
        await session.commit()


async def _added(made: ScheduleSet, given: Inputs, context: CommandContext) -> Answers:
    made = schedules.checked(made, await _state(given, context), context.now())
    await _write(made, given, context)
    first = schedules.shown(made.due, made.zone)
    said = f"It comes {'first ' if made.every or made.cron else ''}on {first}: {printable_line(made.text, 80)}"
    note = Note(text=ELSEWHERE if given.in_chat else NOWHERE)
    return (Prose(markdown=said), note, Data(value={"due": made.due, "zone": made.zone, "text": made.text}))


def _listed(state: SessionState) -> Answers:
    known = schedules.alive(state)
    data = Data(value=[{"number": index, **_plain(each)} for index, each in enumerate(known, 1)])
    if not known:
        return (Prose(markdown="There are no schedules. `/remind WHEN TEXT` or `/loop EVERY TEXT` makes one."), data)
    rows = tuple(
        (
            str(index),
            schedules.shown(each.next, each.zone) if each.next and each.status == "active" else each.status,
            schedules.how_often(each),
            str(each.fired),
            printable_line(each.text, 200),
        )
        for index, each in enumerate(known, 1)
    )
    columns = (
        Column(name="#", right=True),
        Column(name="Next"),
        Column(name="How often"),
        Column(name="Fired", right=True),
        Column(name="What is said"),
    )
    return (Table(columns=columns, rows=rows, note="/schedule pause N, resume N, delete N, history"), data)


def _plain(each: Schedule) -> dict[str, object]:
    return {name: getattr(each, name) for name in each.__struct_fields__}


async def _history(given: Inputs, context: CommandContext) -> Answers:
    """What became of the schedules, the newest last: fired, late, skipped."""
    key = given.text("key")
    if isinstance(context, ConversationContext) and not key:
        key = context.conversation.key
    rows: list[tuple[str, str, str]] = []
    async for record in (await context.opened()).read_back(key):
        told = _told(record.entry)
        if told:
            at = f"{record.at.astimezone(UTC):%Y-%m-%d %H:%M}"
            rows.append((at, f"@{_of(record.entry, record.pos)}", printable_line(told, 200)))
        if len(rows) == HISTORY:
            break
    if not rows:
        raise NotThere("No schedule was made here yet.", hint="`/remind WHEN TEXT` makes one.")
    rows.reverse()
    columns = (Column(name="UTC"), Column(name="Schedule"), Column(name="What"))
    data = [{"at": at, "schedule": which, "what": what} for at, which, what in rows]
    return (Table(columns=columns, rows=tuple(rows)), Data(value=data))


def _of(entry: Entry, pos: int) -> int:
    return entry.schedule if isinstance(entry, ScheduleFired | ScheduleChanged) else pos


def _told(entry: Entry) -> str:
    match entry:
        case ScheduleSet():
            return f"made: {entry.text}"
        case ScheduleFired():
            late = f", {entry.late} s late" if entry.late else ""
            why = "" if entry.outcome == "said" else ": a turn was running"
            return f"{entry.outcome}{late}{why} (slot {entry.slot.astimezone(UTC):%Y-%m-%d %H:%M})"
        case ScheduleChanged():
            return entry.status
        case _:
            return ""
