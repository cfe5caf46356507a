"""What somebody says about memory outright: remember this, that is wrong, this changed.

Code checks the same as when facts are drawn. It is written to the session it was said in, if there is one, and to the
log of the scope otherwise.
"""

from collections.abc import Sequence
from datetime import datetime

from holdfast.errors import BadInput, NotThere
from holdfast.ids import FactId, Position
from holdfast.memory.accept import LONGEST, IsSecret
from holdfast.memory.content_words import content_words, says_the_same, weights
from holdfast.records.facts import (
    AddFact,
    ConfirmFact,
    Consolidated,
    FactOperation,
    Made,
    ReplaceFact,
    RetractFact,
    Section,
)
from holdfast.records.parts import Value
from holdfast.session.facts import MemoryFact, Scope, ScopeFacts, fact_id
from holdfast.session.store import Store
from holdfast.session.writer import Session

SHORTEST_ID = 2
"""Characters of an id that may stand for all of it, if only one begins so."""


class Remembered(Value, frozen=True, kw_only=True):
    """What came of saying something about memory."""

    fact: FactId
    text: str
    operation: str
    """add, replace, retract or confirm."""


class Notebook:
    """The facts of one scope, as a person changes them."""

    def __init__(self, store: Store, scope: Scope, is_secret: IsSecret) -> None:
        """Write into a scope of a store."""
        self._store, self.scope, self._is_secret = store, scope, is_secret

    async def facts(self) -> ScopeFacts:
        """All that is remembered."""
        return await self._store.memory(self.scope)

    async def named(self, name: str) -> MemoryFact:
        """The fact of an id, or of its beginning. Raises `NotThere`, and `BadInput` if several begin so."""
        wanted = name.strip().lower()
        found = [fact for fact in (await self.facts()).facts if fact.id.lower().startswith(wanted)]
        exact = [fact for fact in found if fact.id.lower() == wanted]
        if len(exact or found) > 1:
            ids = ", ".join(fact.id for fact in found[:5])
            raise BadInput(f"{name} is the beginning of {len(found)} facts.", hint=f"Give more of it: {ids}.")
        if not found or len(wanted) < SHORTEST_ID:
            raise NotThere(
                f"There is no fact {name!r}.", hint="`/memory` and `holdfast memory` list the facts with their ids."
            )
        return (exact or found)[0]

    def checked(self, text: str) -> str:
        """A fact on one line. Raises `BadInput` for one that cannot be kept."""
        shown = " ".join("".join(each if each.isprintable() else " " for each in text).split())
        if not shown:
            raise BadInput("There is nothing to remember.", hint="Write one sentence: /remember I am allergic to nuts.")
        if len(shown) > LONGEST:
            raise BadInput(
                f"A fact has at most {LONGEST} characters, and this has {len(shown):,}.",
                hint="Say it in one sentence, or in several facts.",
            )
        if self._is_secret(shown):
            raise BadInput(
                "This holds what looks like a password or a key, and is not remembered.",
                hint="Keep it where secrets belong, such as `holdfast key add`.",
            )
        return shown

    async def remember(
        self,
        text: str,
        *,
        section: Section = "person",
        session: Session | None = None,
        made: Made = "remembered",
        at: tuple[Position, ...] = (),
        quote: str = "",
    ) -> Remembered:
        """Remember a fact; one that is known in other words is confirmed."""
        shown = self.checked(text)
        current = (await self.facts()).current
        words = {fact.id: content_words(fact.text) for fact in current}
        tells, wanted = weights(words.values()), content_words(shown)
        same = next((fact for fact in current if says_the_same(words[fact.id], wanted, tells)), None)
        if same is not None and made != "edited":
            await self.write([ConfirmFact(fact=same.id, quote=quote or shown, at=at)], session=session, made=made)
            return Remembered(fact=same.id, text=same.text, operation="confirm")
        operation = AddFact(section=section, text=shown, quote=quote or shown, at=at)
        (id_,) = await self.write([operation], session=session, made=made)
        return Remembered(fact=id_, text=shown, operation="add")

    async def replace(
        self, fact: MemoryFact, text: str, *, session: Session | None = None, made: Made = "remembered"
    ) -> Remembered:
        """Let something take the place of a fact."""
        shown = self.checked(text)
        operation = ReplaceFact(fact=fact.id, section=fact.section, text=shown, quote=shown)
        (id_,) = await self.write([operation], session=session, made=made)
        return Remembered(fact=id_, text=shown, operation="replace")

    async def retract(
        self, fact: MemoryFact, *, session: Session | None = None, made: Made = "remembered", quote: str = ""
    ) -> Remembered:
        """Take a fact back; its history stays."""
        await self.write([RetractFact(fact=fact.id, quote=quote)], session=session, made=made)
        return Remembered(fact=fact.id, text=fact.text, operation="retract")

    async def undo(self, *, since: datetime | None = None, session: Session | None = None) -> tuple[MemoryFact, ...]:
        """Take the newest facts back, those of one entry, and put back what they replaced; gives those taken back."""
        known = await self.facts()
        newest = max(
            (fact for fact in known.current if since is None or fact.confirmed >= since),
            key=lambda fact: (fact.said, fact.pos),
            default=None,
        )
        if newest is None:
            raise NotThere("There is nothing to take back.", hint="`/memory` shows what is remembered.")
        gone = [fact for fact in known.current if (fact.key, fact.pos) == (newest.key, newest.pos)]
        before = {fact.successor: fact for fact in known.facts if fact.successor is not None}
        operations: list[FactOperation] = []
        for fact in gone:
            old = before.get(fact.id)
            operations.append(
                RetractFact(fact=fact.id)
                if old is None
                else ReplaceFact(fact=fact.id, section=old.section, text=old.text, quote=old.quote, at=())
            )
        await self.write(operations, session=session)
        return tuple(gone)

    async def write(
        self, operations: Sequence[FactOperation], *, session: Session | None = None, made: Made = "remembered"
    ) -> list[FactId]:
        """Write operations down, durably; gives the ids that new facts have by them."""
        upto = Position(-1) if session is None else session.state.consolidated
        entry = Consolidated(upto=upto, facts=tuple(operations), made=made)
        if session is None:
            pos, key = await self._store.note(self.scope, entry), self.scope.name
        else:
            pos, key = await session.append(entry), session.key
            await session.commit()
        return [
            fact_id(key, pos, number)  # type: ignore[arg-type]
            for number, operation in enumerate(operations)
            if isinstance(operation, AddFact | ReplaceFact)
        ]
