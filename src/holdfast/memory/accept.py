"""Which proposed changes of memory are accepted: code decides, never a model.

A proposal stands on a quote from what a person said themselves, and says no more than that. One that does not is
dropped alone, with its reason. What was said before in other words becomes a confirmation.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal

import msgspec

from holdfast.ids import FactId, Position, SessionKey
from holdfast.memory.content_words import (
    content_words,
    denies,
    is_date,
    is_exact,
    is_negative,
    missing,
    says_the_same,
    weights,
)
from holdfast.memory.own_words import OwnWords, by_person
from holdfast.records.codec import Record
from holdfast.records.facts import (
    AddFact,
    ConfirmFact,
    FactOperation,
    Forgotten,
    ForgottenWords,
    RefusedFact,
    ReplaceFact,
    RetractFact,
    Section,
)
from holdfast.records.parts import Value
from holdfast.session.facts import MemoryFact, keyed_hash

LONGEST = 300
"""Characters that a fact may have."""
LONGEST_QUOTE = 600
MOST = 32
"""So many changes are looked at in one answer."""
SUPPORTED = 0.34
"""So large a share of a fact's words must be in what the person said."""

IsSecret = Callable[[str], bool]
"""Whether a text holds what looks like a secret."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A change of memory, as a model asks for it."""

    op: Literal["add", "replace", "retract", "confirm"]
    section: Section = "person"
    text: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    quote: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    at: Annotated[tuple[int, ...], msgspec.Meta(max_length=64)] = ()
    fact: str = ""


class SaidByPerson(Value, frozen=True, kw_only=True):
    """An entry that a fact may stand on."""

    pos: Position
    at: datetime
    sender: str
    words: OwnWords


class AcceptedFacts(Value, frozen=True, kw_only=True):
    """What came of some proposals."""

    facts: tuple[FactOperation, ...] = ()
    refused: tuple[RefusedFact, ...] = ()


def said_by_person(records: Iterable[Record]) -> dict[Position, SaidByPerson]:
    """The entries among some that are a person's."""
    return {
        record.pos: SaidByPerson(
            pos=record.pos,
            at=record.when,
            sender=record.entry.source.sender if record.entry.source else "",
            words=OwnWords(record.entry),
        )
        for record in records
        if by_person(record.entry)
    }


class Judge:
    """Decides about the proposals of one answer, one after the other."""

    def __init__(
        self,
        said: Mapping[Position, SaidByPerson],
        facts: Sequence[MemoryFact],
        forgotten: Sequence[Forgotten],
        key: SessionKey,
        is_secret: IsSecret,
        *,
        asked: bool = False,
    ) -> None:
        """Judge by what was said in a session, the facts that hold, and what was forgotten.

        Where the person `asked` for it in so many words, also what they wrote themselves changes.
        """
        self._asked = asked
        self._said, self._forgotten, self._is_secret = said, forgotten, is_secret
        self._facts = {fact.id: fact for fact in facts}
        self._words = {fact.id: content_words(fact.text) for fact in facts}
        self._new: list[frozenset[str]] = []
        self._gone = {ForgottenWords(key=key, pos=pos) for pos in said}.intersection(
            words for entry in forgotten for words in entry.words
        )
        self._touched: set[FactId] = set()

    def judge(self, proposals: Sequence[Proposal]) -> AcceptedFacts:
        """Decide about all of them."""
        facts, refused = list[FactOperation](), list[RefusedFact]()
        for proposal in proposals[:MOST]:
            operation, why = self._decided(proposal)
            facts += [operation] if operation is not None else []
            if why:
                hidden = self._is_secret(proposal.text) or self._is_secret(proposal.quote)
                refused.append(RefusedFact(why=why, text="" if hidden else proposal.text[:LONGEST]))
        if len(proposals) > MOST:
            refused.append(RefusedFact(why=f"more than {MOST} changes at once: {len(proposals) - MOST} were left out"))
        return AcceptedFacts(facts=tuple(facts), refused=tuple(refused))

    def _decided(self, proposal: Proposal) -> tuple[FactOperation | None, str]:
        why = self._fault(proposal)
        if why:
            return None, why
        positions = tuple(sorted({Position(each) for each in proposal.at}))
        said = max(self._said[pos].at for pos in positions)
        quote, fact = proposal.quote.strip(), FactId(proposal.fact)
        if proposal.op in {"add", "replace"}:
            return self._added(proposal, quote, positions, said)
        self._touched.add(fact)
        if proposal.op == "confirm":
            return ConfirmFact(fact=fact, quote=quote, at=positions, said=said), ""
        if not self._may_change(fact):
            return None, f"the person wrote {fact} themselves, so only they take it back"
        return RetractFact(fact=fact, quote=quote, at=positions, said=said), ""

    def _may_change(self, fact: FactId) -> bool:
        return self._asked or self._facts[fact].made == "consolidated"

    def _added(
        self, proposal: Proposal, quote: str, positions: tuple[Position, ...], said: datetime
    ) -> tuple[FactOperation | None, str]:
        text, words = _tidy(proposal.text), content_words(proposal.text)
        replaced = FactId(proposal.fact) if proposal.op == "replace" else None
        tells = weights([*self._words.values(), *self._new])
        same = self._same(words, tells, but=replaced)
        if any(says_the_same(words, each, tells) for each in self._new):
            return None, "it says the same as another one of this answer"
        self._new.append(words)
        if replaced is not None and self._may_change(replaced):
            self._touched.add(replaced)
            if says_the_same(words, self._words[replaced], tells):
                return ConfirmFact(fact=replaced, quote=quote, at=positions, said=said), ""
            operation = ReplaceFact(
                fact=replaced, section=proposal.section, text=text, quote=quote, at=positions, said=said
            )
            return operation, ""
        # What the person wrote themselves stands; the new fact stands beside it, and they are told.
        why = f"the person wrote {replaced} themselves, so this stands beside it" if replaced is not None else ""
        if same is not None:
            self._touched.add(same)
            return ConfirmFact(fact=same, quote=quote, at=positions, said=said), why
        return AddFact(section=proposal.section, text=text, quote=quote, at=positions, said=said), why

    def _same(self, words: frozenset[str], tells: Mapping[str, float], *, but: FactId | None) -> FactId | None:
        """The fact that says the same already."""
        return next(
            (id_ for id_, known in self._words.items() if id_ != but and says_the_same(words, known, tells)), None
        )

    def _fault(self, proposal: Proposal) -> str:
        """Why a proposal is not accepted; '' if it is."""
        if proposal.op != "add":
            if FactId(proposal.fact) not in self._facts:
                return f"there is no fact {proposal.fact[:12] or 'without an id'}"
            if FactId(proposal.fact) in self._touched:
                return f"another change of this answer is about {proposal.fact}"
        return self._fault_of_source(proposal) or (
            self._fault_of_text(proposal) if proposal.op in {"add", "replace"} else self._unrelated(proposal)
        )

    def _fault_of_source(self, proposal: Proposal) -> str:
        cited = [self._said.get(Position(each)) for each in proposal.at]
        said = [each for each in cited if each is not None]
        if not said or len(said) < len(cited):
            return "it cites no words of a person" if not said else "it cites entries that are no words of a person"
        if len({each.sender for each in said}) > 1:
            return "it cites more than one person"
        if len(proposal.quote) > LONGEST_QUOTE:
            return f"its quote has more than {LONGEST_QUOTE} characters"
        if self._is_secret(proposal.text) or self._is_secret(proposal.quote):
            return "it holds what looks like a secret"
        whys = [each.words.state(proposal.quote) for each in said]
        if all(whys):
            return whys[0]
        if self._gone and any(each.pos in {gone.pos for gone in self._gone} for each in said):
            return "it stands on words that were forgotten"
        return ""

    def _fault_of_text(self, proposal: Proposal) -> str:
        text = _tidy(proposal.text)
        if not text:
            return "it says nothing"
        if len(text) > LONGEST:
            return f"it has more than {LONGEST} characters"
        if any(
            keyed_hash(each, gone.salt) in gone.hashes for gone in self._forgotten for each in (text, proposal.quote)
        ):
            return "it was forgotten"
        return self._unsupported(proposal, content_words(text))

    def _unsupported(self, proposal: Proposal, words: frozenset[str]) -> str:
        """Why what the person said does not say that: it would be somebody else's words in their mouth."""
        said = content_words(proposal.quote)
        cited = said.union(*(content_words(self._said[Position(each)].words.text) for each in proposal.at))
        lacking = [word for word in missing(words, cited) if not is_date(word)]
        if any(is_exact(word) for word in lacking):
            return "it names what the person did not say"
        if "not" in lacking or (denies(proposal.quote, words) and not is_negative(proposal.text)):
            return "it says the opposite of the quote"
        stating = [word for word in words if not is_date(word)]
        if stating and 1 - len(missing(stating, said)) / len(stating) < SUPPORTED:
            return "its quote does not say that"
        return ""

    def _unrelated(self, proposal: Proposal) -> str:
        """Why a quote does not confirm a fact, or take it back."""
        known, said = self._words[FactId(proposal.fact)], content_words(proposal.quote)
        related = self._asked or not known or len(missing(known, said)) < len(known)
        return "" if related else "its quote is about something else"


def _tidy(text: str) -> str:
    """One sentence on one line, without control characters and half characters."""
    shown = "".join(each if each.isprintable() else " " for each in text)
    return " ".join(shown.split())
