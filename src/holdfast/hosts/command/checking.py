"""`verify`, `repair`, `reindex`: whether everything is there, and making it so."""

import time
from typing import NamedTuple

from holdfast.commands.text.times import count, human_size
from holdfast.commands.text.width import clip
from holdfast.errors import NoSession, ReadOnly, Unreadable
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.console import Console, Styled, flat
from holdfast.hosts.command.exits import Exit
from holdfast.ids import Position, SessionKey
from holdfast.log.store import Damaged, Repeated, Verdict
from holdfast.session.catalog import Progress
from holdfast.session.store import Store

BAR = 24


class Checked(NamedTuple):
    """What became of checking one session."""

    verdict: Verdict
    unreadable: str = ""
    """Why it could not be checked."""

    @property
    def good(self) -> bool:
        """Whether everything is there."""
        return self.verdict.good and not self.unreadable


async def verify(call: Call) -> Exit:
    """Check sessions, changing nothing."""
    wanted = call.names("keys")
    checked: list[Checked] = []
    if wanted or call.has_sessions():
        async with call.open() as store:
            everything = not wanted or (wanted == ["all"] and not await store.exists("all"))
            for key in await store.keys() if everything else wanted:
                try:
                    checked.append(await _checked(store, key))
                except NoSession:
                    if not everything:
                        raise
                    continue  # removed since it was listed
                if not call.flag("json"):
                    _print_checked(call.console, checked[-1])
    if call.flag("json"):
        call.print_json([_answer(each) for each in checked])
    else:
        _print_sum(call, checked)
    return Exit.OK if all(each.good for each in checked) else Exit.DAMAGED


async def _checked(store: Store, key: str) -> Checked:
    """One session that cannot be read must not hide what the others are like."""
    try:
        return Checked(await store.verify(key))
    except (Unreadable, ReadOnly) as error:
        nothing = Position(-1)
        return Checked(Verdict(key=SessionKey(key), entries=0, first=nothing, last=nothing, size=0), str(error))


def _answer(checked: Checked) -> dict[str, object]:
    verdict = checked.verdict
    fields: dict[str, object] = {name: getattr(verdict, name) for name in verdict.__struct_fields__}
    return {**fields, "unreadable": checked.unreadable, "good": checked.good}


def _print_checked(console: Console, checked: Checked) -> None:
    if not checked.unreadable:
        _print_verdict(console, checked.verdict)
        return
    console.line(Styled("unread   ", "red"), Styled(flat(checked.verdict.key), "bold"))
    console.prose(checked.unreadable, indent=" " * 9)


def _print_verdict(console: Console, verdict: Verdict) -> None:
    mark = Styled("good     ", "green") if verdict.good else Styled("damaged  ", "red")
    facts = f"  {count(verdict.entries, 'entry', 'entries')}, {human_size(verdict.size)}"
    key = flat(verdict.key)
    if console.width is not None:
        key = clip(key, max(8, console.width - 9 - len(facts)))
    console.line(mark, Styled(key, "bold"), facts)
    for each in verdict.damaged:
        console.prose(damage(each), indent=" " * 9)
    for blob in verdict.blobs_missing:
        console.prose(f"attachment {blob} is missing or damaged", indent=" " * 9)
    for found in verdict.repeated:
        console.prose(again(found), indent=" " * 9)


def damage(found: Damaged) -> str:
    """One damaged stretch, in words."""
    are = "is" if found.length == 1 else "are"
    place = f"{found.where} at byte {found.offset:,}: {count(found.length, 'byte')} that {are} no entry"
    if not found.length:
        place = f"{found.where} at byte {found.offset:,}"
    if found.missing and found.after < 0:
        lost = f"at least {count(found.missing, 'entry', 'entries')} missing at the beginning"
    elif found.missing:
        lost = f"{count(found.missing, 'entry', 'entries')} missing after position {found.after}"
    else:
        lost = "nothing that was acknowledged is missing"
    kept = f"; copied to {found.aside}" if found.aside else ""
    return f"{place}; {lost}{kept}"


def again(found: Repeated) -> str:
    """Lines that do not count, in words."""
    lines = count(found.lines, "entry", "entries")
    if not found.differing:
        return f"{found.where}: {lines} that stand in another place too, and count once"
    places = f"positions {found.first} to {found.last}" if found.last > found.first else f"position {found.first}"
    return (
        f"{found.where}: {lines} of {places} that do not count, because a later segment goes on from there; "
        f"held nowhere else: {found.differing:,}"
    )


def _print_sum(call: Call, checked: list[Checked]) -> None:
    bad, unread = sum(not each.good for each in checked), sum(bool(each.unreadable) for each in checked)
    if not checked:
        call.console.note(f"There are no sessions in {call.store}.")
    elif unread:
        many = count(len(checked), "session")
        call.console.note(f"{unread:,} of {many} could not be read, {bad - unread:,} damaged.")
    elif bad:
        call.console.note(f"{bad:,} of {count(len(checked), 'session')} damaged; every good entry is still there.")
    elif len(checked) > 1:
        call.console.note(f"{count(len(checked), 'session')}, all good.")


async def repair(call: Call) -> Exit:
    """Mend the end of a log, and keep damaged bytes aside."""
    async with call.open() as store:
        verdict = await store.repair(call.text("key"))
    if call.flag("json"):
        call.print_json(_answer(Checked(verdict)))
    else:
        _print_verdict(call.console, verdict)
        if not verdict.damaged:
            call.console.note("There was nothing to mend.")
    return Exit.OK if verdict.good else Exit.DAMAGED


async def reindex(call: Call) -> Exit:
    """Make the list and the search index anew."""
    began, done = time.monotonic(), 0
    if call.has_sessions():
        async with call.open() as store:
            async for progress in store.reindex():
                done = progress.done
                if call.console.shows_progress:
                    call.console.redraw(bar(progress, call.console.width or 80))
    if done and call.console.shows_progress:
        call.console.redraw("")
    seconds = time.monotonic() - began
    if call.flag("json"):
        call.print_json({"sessions": done, "seconds": round(seconds, 3)})
    else:
        call.console.line(f"Indexed {count(done, 'session')} in {seconds:.1f} s.")
    return Exit.OK


def bar(progress: Progress, columns: int) -> str:
    """How far it has come, on one line."""
    share = progress.done / max(1, progress.total)
    drawn = "█" * round(share * BAR)
    text = f"{drawn:░<{BAR}} {progress.done:,}/{progress.total:,} "
    return text + clip(flat(progress.key), max(0, columns - len(text) - 1))
