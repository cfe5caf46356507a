"""Forgetting: what matches some words, and a tombstone that keeps it from coming back.

The tombstone says where something stands, and has a keyed hash of it; it never says what. The log keeps the words.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from secrets import token_hex

from holdfast.errors import BadInput, Held, LogError
from holdfast.ids import FactId, SessionKey
from holdfast.records.codec import Record
from holdfast.records.entries import Compacted, Described
from holdfast.records.facts import Consolidated, Forgotten, ForgottenWords, MemoryShown
from holdfast.records.parts import Value
from holdfast.session.facts import MemoryFact, Scope, ScopeFacts, folded, keyed_hash
from holdfast.session.search_text import words
from holdfast.session.store import Store

SHORTEST = 2
"""Characters that must be given: fewer match nearly everything."""
LISTED = 200
"""Sessions that are looked at together."""


class Matches(Value, frozen=True, kw_only=True):
    """What is to be forgotten."""

    facts: tuple[MemoryFact, ...] = ()
    days: tuple[ForgottenWords, ...] = ()
    summaries: tuple[ForgottenWords, ...] = ()
    titles: tuple[SessionKey, ...] = ()
    titled: tuple[ForgottenWords, ...] = ()
    """Where these titles stand."""
    passages: tuple[ForgottenWords, ...] = ()
    texts: tuple[str, ...] = ()
    """What the hashes of the tombstone are made of."""
    unread: tuple[SessionKey, ...] = ()
    """Sessions that could not be read."""

    @property
    def total(self) -> int:
        """How many things."""
        return sum(map(len, (self.facts, self.days, self.summaries, self.titles, self.passages)))


Wanted = Callable[[Record, str], bool]
"""Whether an entry with these words is to be forgotten."""


async def matching(store: Store, scope: Scope, text: str) -> Matches:
    """Everything of a scope that has some words in it, whatever their case, width and white space."""
    wanted = folded(text)
    if len(wanted) < SHORTEST:
        raise BadInput(
            "That is too short to forget: nearly everything has it.", hint="Give some words, or a fact's id."
        )
    memory = await store.memory(scope)
    facts = tuple(each for each in memory.facts if wanted in folded(f"{each.text}\n{each.quote}"))
    places = await _places(store, memory, await _sessions(store, scope), lambda _, said: wanted in folded(said))
    return _matches(facts, (text,), places)


async def matching_fact(store: Store, scope: Scope, fact: MemoryFact) -> Matches:
    """A fact, what it replaced, and the words it stands on."""
    memory = await store.memory(scope)
    chain = {fact.id}
    for each in reversed(memory.facts):
        if each.successor in chain:
            chain.add(each.id)
    facts = tuple(each for each in memory.facts if each.id in chain)
    wanted = [folded(text) for each in facts for text in {each.text, each.quote} if len(folded(text)) >= SHORTEST]
    places = await _places(
        store, memory, await _sessions(store, scope), lambda _, said: any(each in folded(said) for each in wanted)
    )
    return _matches(facts, (), places)


async def matching_session(store: Store, scope: Scope, key: str) -> Matches:
    """Everything that was drawn from a session, and all that was said in it."""
    memory, state = await store.memory(scope), await store.state(key)
    facts = tuple(each for each in memory.facts if each.key == state.key)
    return _matches(facts, (), await _places(store, memory, [state.key], lambda *_: True))


async def matching_before(store: Store, scope: Scope, before: datetime) -> Matches:
    """Everything that was said before a time."""
    memory = await store.memory(scope)
    facts = tuple(each for each in memory.facts if each.confirmed < before)
    places = await _places(store, memory, await _sessions(store, scope), lambda record, _: record.when < before)
    return _matches(facts, (), places)


class _Places:
    """Where something was said, by kind."""

    def __init__(self) -> None:
        self.days, self.summaries, self.passages = (
            list[ForgottenWords](),
            list[ForgottenWords](),
            list[ForgottenWords](),
        )
        self.titled, self.unread = list[ForgottenWords](), list[SessionKey]()

    def take(self, key: SessionKey, record: Record) -> None:
        place = ForgottenWords(key=key, pos=record.pos)
        match record.entry:
            case Consolidated():
                self.days.append(place)
            case Compacted():
                self.summaries.append(place)
            case Described():
                self.titled.append(place)
            case _:
                self.passages.append(place)


async def _places(store: Store, memory: ScopeFacts, keys: Sequence[SessionKey], wanted: Wanted) -> _Places:
    known, found = set(memory.words), _Places()
    for key in keys:
        try:
            async for record in store.read(key):
                said, place = _said(record), ForgottenWords(key=key, pos=record.pos)
                if place not in known and said.strip() and wanted(record, said):
                    found.take(key, record)
        except LogError:
            found.unread.append(key)
    return found


def _matches(facts: Sequence[MemoryFact], texts: Sequence[str], places: _Places) -> Matches:
    return Matches(
        facts=tuple(facts),
        days=tuple(places.days),
        summaries=tuple(places.summaries),
        titles=tuple(dict.fromkeys(each.key for each in places.titled)),
        titled=tuple(places.titled),
        passages=tuple(places.passages),
        texts=tuple(dict.fromkeys([*texts, *(text for fact in facts for text in (fact.text, fact.quote) if text)])),
        unread=tuple(places.unread),
    )


def _said(record: Record) -> str:
    match record.entry:
        case Consolidated():
            return record.entry.day
        case MemoryShown():
            return ""
        case _:
            found = words(record.entry)
            return "" if found is None else found.text


async def _sessions(store: Store, scope: Scope) -> list[SessionKey]:
    keys, cursor = list[SessionKey](), ""
    while True:
        page = await store.list(limit=LISTED, cursor=cursor, archived=None, owner=scope.owner)
        keys += [each.key for each in page.sessions]
        cursor = page.cursor
        if not cursor:
            return keys


Describe = Callable[[SessionKey, Described], Awaitable[None]]
"""Writes down what is known about a session. Raises `Held` if another process has it."""


async def forget(
    store: Store, scope: Scope, matches: Matches, describe: Describe | None = None
) -> tuple[Forgotten, tuple[SessionKey, ...]]:
    """Forget what was found: a tombstone in the log of the scope, and titles are taken away.

    Gives the tombstone, and the sessions whose titles stay because others have them open: they are found again.
    """
    if not matches.total:
        raise BadInput("There is nothing to forget.", hint="`/memory` lists the facts.")
    held = await _untitled(store, matches, describe)
    titled = tuple(each for each in matches.titled if each.key not in held)
    salt = token_hex(16)
    entry = Forgotten(
        facts=tuple(FactId(fact.id) for fact in matches.facts),
        words=(*matches.days, *matches.summaries, *matches.passages, *titled),
        salt=salt,
        hashes=tuple(keyed_hash(text, salt) for text in matches.texts),
    )
    await store.note(scope, entry)
    return entry, held


async def _untitled(store: Store, matches: Matches, describe: Describe | None) -> tuple[SessionKey, ...]:
    """Take titles away; gives the sessions that others have open."""
    held = list[SessionKey]()
    for key in matches.titles:
        try:
            if describe is not None:
                await describe(key, Described(title=""))
                continue
            async with store.session(key, create=False, doing="forgetting") as session:
                await session.append(Described(title=""))
                await session.commit()
        except Held:
            held.append(key)
    return tuple(held)
