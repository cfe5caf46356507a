"""`delete` and `trash`: what goes away, and what can still come back."""

import os
from collections.abc import Sequence
from difflib import get_close_matches

from holdfast.commands.text.times import ago, count, human_size
from holdfast.commands.text.width import clip, pad, width
from holdfast.config.places import state_folder
from holdfast.errors import BadInput, HoldfastError, NotThere
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.console import Styled, flat
from holdfast.hosts.command.exits import Exit
from holdfast.hosts.typed_lines import old_drafts, remove_shared
from holdfast.log.store import Trashed
from holdfast.session.store import Store


async def delete(call: Call) -> Exit:
    """Remove sessions for good, or into the trash."""
    keys, trash = call.names("key"), call.flag("trash")
    async with call.open() as store:
        found = [await store.state(key) for key in keys]
        if not trash:
            said = [f"{each.key} ({count(each.messages, 'message')})" for each in found]
            if not _confirmed(call, f"Remove {', '.join(said)} for good?"):
                return Exit.DECLINED
        await _removed(call, store, keys, trash=trash)
    if not trash:
        _forget(call, keys)
    answer = {"keys": keys, "trash": trash}
    names = ", ".join(keys)
    if trash:
        return _done(call, answer, f"{names}: in the trash. `holdfast trash restore KEY` brings it back.")
    return _done(call, answer, f"Removed {names} for good.")


async def _removed(call: Call, store: Store, keys: Sequence[str], *, trash: bool) -> None:
    """Remove one after the other; where one cannot be, say which are gone."""
    for index, key in enumerate(keys):
        try:
            await (store.throw_away(key) if trash else store.delete(key))
        except HoldfastError:
            if index:
                gone = "In the trash" if trash else "Removed for good"
                call.console.note(f"{gone} before this: {', '.join(keys[:index])}.")
            raise


def _forget(call: Call, keys: Sequence[str]) -> None:
    """Remove what earlier versions kept of these sessions outside of the store."""
    state = state_folder(os.environ)
    remove_shared(state)
    for key in keys:
        for file in old_drafts(state, call.store, key):
            file.unlink(missing_ok=True)


def _confirmed(call: Call, question: str) -> bool:
    if call.flag("yes"):
        return True
    if not call.console.can_ask:
        call.console.note("Nothing was removed: there is no terminal to ask on. --yes removes without asking.")
        return False
    if call.console.ask(question):
        return True
    call.console.note("Nothing was removed.")
    return False


def _done(call: Call, answer: dict[str, object], said: str) -> Exit:
    if call.flag("json"):
        call.print_json(answer)
    else:
        call.console.prose(said)
    return Exit.OK


async def trash(call: Call) -> Exit:
    """List the trash, bring sessions back, empty it, or sweep old ones in."""
    action, name = call.text("action"), call.text("name")
    if name and action in {"list", "sweep"}:
        raise BadInput(f"`trash {action}` takes no name.", hint="`holdfast trash --help` says how it is used.")
    if action != "sweep" and (call.flag("dry_run") or call.text("days")):
        # Whoever tries something out must not lose what was only to be looked at.
        raise BadInput(
            "--days and --dry-run are for `trash sweep`.", hint="`holdfast trash --help` says how it is used."
        )
    async with call.open() as store:
        if action == "restore":
            return await _restore(call, store, name)
        if action == "empty":
            return await _empty(call, store, name)
        if action == "sweep":
            return await _sweep(call, store)
        return _list(call, await store.trash())


def _list(call: Call, trashed: Sequence[Trashed]) -> Exit:
    if call.flag("json"):
        call.print_json(trashed)
        return Exit.OK
    if not trashed:
        call.console.note("The trash is empty.")
        return Exit.OK
    keys = [each.key for each in trashed]
    room = None if call.console.width is None else max(8, call.console.width - 24)
    # Two with one key can only be told apart by the name they have in the trash.
    labels = [each.key if keys.count(each.key) == 1 else f"{each.key}  ({each.name})" for each in trashed]
    flats = [flat(label) if room is None else clip(flat(label), room) for label in labels]
    longest = max(map(width, flats))
    for each, label in zip(trashed, flats, strict=True):
        size = human_size(each.size)
        call.console.line(Styled(pad(label, longest), "bold"), f"  {ago(each.at, call.now):<10}  {size:>6}")
    call.console.note("`holdfast trash restore KEY` brings one back.", style="dim")
    return Exit.OK


def _named(trashed: Sequence[Trashed], name: str) -> Trashed:
    """What lies in the trash under a name or a key; of several with one key, the newest."""
    for each in trashed:
        if name in {each.name, each.key}:
            return each
    near = get_close_matches(name, [each.key for each in trashed], 3)
    names = ", ".join(repr(each) for each in near)
    hint = f"Did you mean {names}?" if near else "`holdfast trash` lists what there is."
    raise NotThere(f"There is no {name!r} in the trash.", hint=hint)


async def _restore(call: Call, store: Store, name: str) -> Exit:
    if not name:
        raise BadInput("What is to come back?", hint="`holdfast trash` lists what there is.")
    key = await store.bring_back(_named(await store.trash(), name).name)
    return _done(call, {"key": key}, f"{key} is back.")


async def _empty(call: Call, store: Store, name: str) -> Exit:
    trashed = await store.trash()
    chosen = [_named(trashed, name)] if name else list(trashed)
    if not chosen:
        return _done(call, {"removed": 0}, "The trash is empty.")
    size = human_size(sum(each.size for each in chosen))
    what = f"{chosen[0].key}, {size}," if name else f"{count(len(chosen), 'session')}, {size},"
    if not _confirmed(call, f"Remove {what} for good?"):
        return Exit.DECLINED
    for each in chosen:
        await store.empty_trash(each.name)
    _forget(call, [each.key for each in chosen])
    return _done(call, {"removed": len(chosen)}, f"Removed {count(len(chosen), 'session')} for good.")


async def _sweep(call: Call, store: Store) -> Exit:
    days = _days(call.text("days"))
    dry = call.flag("dry_run")
    moved = await (store.outdated(days) if dry else store.retain(days))
    if call.flag("json"):
        call.print_json({"moved": [] if dry else moved, "would_move": moved if dry else []})
        return Exit.OK
    for each in moved:
        call.console.line(Styled(each.key, "bold"), f"  {ago(each.updated, call.now)}")
    told = f"{count(len(moved), 'session')} idle for more than {days:g} days"
    back = " `holdfast trash restore KEY` brings one back." if moved else ""
    call.console.note(f"{told} would go to the trash." if dry else f"{told} went to the trash.{back}")
    return Exit.OK


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = 0.0
    if not 0 < days < 1e6:  # noqa: PLR2004
        raise BadInput("After how many idle days?", hint="Give --days a number above 0.")
    return days
