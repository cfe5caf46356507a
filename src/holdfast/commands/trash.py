"""`trash`: what can still come back."""

from collections.abc import Sequence
from difflib import get_close_matches

from holdfast.commands.answers import Answers, Column, Confirm, Data, Note, Prose, Table
from holdfast.commands.context import CommandContext
from holdfast.commands.delete import forget_outside
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import ago, count, human_size
from holdfast.errors import NotThere
from holdfast.log.store import Trashed
from holdfast.session.catalog import Listed

_BACK = "`holdfast trash restore KEY` brings one back."
_USED = "`holdfast trash --help` says how it is used."


async def trash(given: Inputs, context: CommandContext) -> Answers:
    """List the trash, bring sessions back, empty it, or sweep old ones in."""
    action, name = given.text("action"), given.text("name")
    if name and action in {"list", "sweep"}:
        raise given.refuse(f"`trash {action}` takes no name.", hint=_USED)
    if action != "sweep" and (given.flag("dry_run") or given.text("days")):
        # Whoever tries something out must not lose what was only to be looked at.
        raise given.refuse("--days and --dry-run are for `trash sweep`.", hint=_USED)
    match action:
        case "restore":
            return await _restore(given, context)
        case "empty":
            return await _empty(given, context)
        case "sweep":
            return await _sweep(given, context)
        case _:
            return await _list(context)


async def _list(context: CommandContext) -> Answers:
    trashed = await (await context.opened()).trash()
    data = Data(value=trashed)
    if not trashed:
        return (Note(text="The trash is empty."), data)
    rows = tuple((ago(each.at, context.now()), human_size(each.size), label(each, trashed)) for each in trashed)
    columns = (Column(name="Since"), Column(name="Size", right=True), Column(name="Conversation"))
    return (Table(columns=columns, rows=rows, note=_BACK), data)


def label(one: Trashed, trashed: Sequence[Trashed]) -> str:
    """How one of several is called: those with one key can only be told apart by the name they have in the trash."""
    same = sum(each.key == one.key for each in trashed)
    return one.key if same == 1 else f"{one.key}  ({one.name})"


def _named(trashed: Sequence[Trashed], name: str) -> Trashed:
    """What lies in the trash under a name or a key; of several with one key, the newest."""
    for each in trashed:
        if name in {each.name, each.key}:
            return each
    near = get_close_matches(name, [each.key for each in trashed], 3)
    names = ", ".join(repr(each) for each in near)
    hint = f"Did you mean {names}?" if near else "`holdfast trash` lists what there is."
    raise NotThere(f"There is no {name!r} in the trash.", hint=hint)


async def _restore(given: Inputs, context: CommandContext) -> Answers:
    name, store = given.text("name"), await context.opened()
    if not name:
        raise given.refuse("What is to come back?", hint="`holdfast trash` lists what there is.")
    key = await store.bring_back(_named(await store.trash(), name).name)
    return (Prose(markdown=f"{key} is back."), Data(value={"key": key}))


async def _empty(given: Inputs, context: CommandContext) -> Answers:
    name, store = given.text("name"), await context.opened()
    trashed = await store.trash()
    chosen = [_named(trashed, name)] if name else list(trashed)
    if not chosen:
        return (Prose(markdown="The trash is empty."), Data(value={"removed": 0}))
    size = human_size(sum(each.size for each in chosen))
    what = f"{chosen[0].key}, {size}," if name else f"{count(len(chosen), 'session')}, {size},"
    if not given.flag("yes"):
        return (Confirm(question=f"Remove {what} for good?", then=given.again("--yes")),)
    for each in chosen:
        await store.empty_trash(each.name)
    forget_outside(context, [each.key for each in chosen])
    return (Prose(markdown=f"Removed {count(len(chosen), 'session')} for good."), Data(value={"removed": len(chosen)}))


async def _sweep(given: Inputs, context: CommandContext) -> Answers:
    days, dry = _days(given), given.flag("dry_run")
    store = await context.opened()
    moved: tuple[Listed, ...] = await (store.outdated(days) if dry else store.retain(days))
    told = f"{count(len(moved), 'session')} idle for more than {days:g} days"
    said = f"{told} would go to the trash." if dry else f"{told} went to the trash.{f' {_BACK}' if moved else ''}"
    rows = tuple((each.key, ago(each.updated, context.now())) for each in moved)
    table = Table(columns=(Column(name=""), Column(name="")), rows=rows)
    data = Data(value={"moved": () if dry else moved, "would_move": moved if dry else ()})
    return (table, Note(text=said), data) if rows else (Note(text=said), data)


def _days(given: Inputs) -> float:
    try:
        days = float(given.text("days"))
    except ValueError:
        days = 0.0
    if not 0 < days < 1e6:  # noqa: PLR2004
        raise given.refuse("After how many idle days?", hint="Give --days a number above 0.")
    return days
