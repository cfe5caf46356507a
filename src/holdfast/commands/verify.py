"""`verify`, `repair`, `reindex`: whether everything is there, and making it so."""

import time
from typing import NamedTuple

from holdfast.commands.answers import Answers, Data, Note, PlainLines, Prose
from holdfast.commands.context import CommandContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import count, human_size
from holdfast.errors import NoSession, ReadOnly, Unreadable
from holdfast.ids import Position, SessionKey
from holdfast.log.store import Damaged, Repeated, Verdict
from holdfast.session.store import Store


class Checked(NamedTuple):
    """What became of checking one session."""

    verdict: Verdict
    unreadable: str = ""
    """Why it could not be checked."""

    @property
    def good(self) -> bool:
        """Whether everything is there."""
        return self.verdict.good and not self.unreadable


async def verify(given: Inputs, context: CommandContext) -> Answers:
    """Check sessions, changing nothing; each is told as soon as it is done."""
    wanted = given.names("keys")
    checked: list[Checked] = []
    if wanted or context.has_sessions():
        store = await context.opened()
        everything = not wanted or (wanted == ["all"] and not await store.exists("all"))
        for key in await store.keys() if everything else wanted:
            try:
                checked.append(await _checked(store, key))
            except NoSession:
                if not everything:
                    raise
                continue  # removed since it was listed
            context.progress(checked[-1])
    good = all(each.good for each in checked)
    data = Data(value=[_answer(each) for each in checked], outcome="good" if good else "damaged")
    lines = PlainLines(lines=tuple(line for each in checked for line in said_of(each)))
    return (lines, *_summary(context, checked), data)


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


def said_of(checked: Checked) -> list[str]:
    """What was found in one session: a line about all of it, and one for each thing that is wrong."""
    verdict = checked.verdict
    if checked.unreadable:
        return [f"unread   {verdict.key}", checked.unreadable]
    mark = "good    " if verdict.good else "damaged "
    first = f"{mark} {verdict.key}  {count(verdict.entries, 'entry', 'entries')}, {human_size(verdict.size)}"
    return [first, *wrong_in(verdict)]


def wrong_in(verdict: Verdict) -> list[str]:
    """Each thing that is wrong in a session."""
    blobs = [f"attachment {blob} is missing or damaged" for blob in verdict.blobs_missing]
    return [*map(damage, verdict.damaged), *blobs, *map(again, verdict.repeated)]


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


def _summary(context: CommandContext, checked: list[Checked]) -> tuple[Note, ...]:
    bad, unread = sum(not each.good for each in checked), sum(bool(each.unreadable) for each in checked)
    many = count(len(checked), "session")
    if not checked:
        return (Note(text=f"There are no sessions in {context.place}."),)
    if unread:
        return (Note(text=f"{unread:,} of {many} could not be read, {bad - unread:,} damaged."),)
    if bad:
        return (Note(text=f"{bad:,} of {many} damaged; every good entry is still there."),)
    return (Note(text=f"{many}, all good."),) if len(checked) > 1 else ()


async def repair(given: Inputs, context: CommandContext) -> Answers:
    """Mend the end of a log, and keep damaged bytes aside."""
    checked = Checked(await (await context.opened()).repair(given.text("key")))
    context.progress(checked)
    notes = () if checked.verdict.damaged else (Note(text="There was nothing to mend."),)
    data = Data(value=_answer(checked), outcome="good" if checked.good else "damaged")
    return (PlainLines(lines=tuple(said_of(checked))), *notes, data)


async def reindex(_: Inputs, context: CommandContext) -> Answers:
    """Make the list and the search index anew."""
    began, done = time.monotonic(), 0
    if context.has_sessions():
        async for progress in (await context.opened()).reindex():
            done = progress.done
            context.progress(progress)
    seconds = time.monotonic() - began
    said = f"Indexed {count(done, 'session')} in {seconds:.1f} s."
    return (Prose(markdown=said), Data(value={"sessions": done, "seconds": round(seconds, 3)}))
