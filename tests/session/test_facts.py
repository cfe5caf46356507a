"""Facts: what entries about memory come to, in whatever order they are read."""

from datetime import timedelta
from random import Random

from holdfast.ids import FactId, Position, SessionKey
from holdfast.records.facts import ConfirmFact, Consolidated, Forgotten, ForgottenWords, RefusedFact, RetractFact
from holdfast.records.parts import Usage
from holdfast.session.facts import Scope, core_of, fold_facts, keyed_hash
from tests.session.remembering import BEGAN, adds, at, changes, named, replaces


def test_a_fact_that_is_replaced_is_kept_with_what_took_its_place() -> None:
    """
    A correction ends what it corrects, and names it.
    """
    old, new = fold_facts([at(adds("Lives in Rome."), 1), at(changes(replaces(named(1), "Lives in Bern.")), 2)]).facts

    assert ("Lives in Rome.", BEGAN + timedelta(minutes=2), new.id) == (old.text, old.until, old.successor)
    assert ("Lives in Bern.", None) == (new.text, new.until)


def test_facts_are_retracted_and_confirmed() -> None:
    """
    What is said again is known better, and what was taken back holds no longer; ids that are not known change nothing.
    """
    records = [
        at(adds("Has a boat.", "Has a cat."), 1),
        at(changes(ConfirmFact(fact=named(1)), RetractFact(fact=named(1, 1))), 2),
        at(changes(ConfirmFact(fact=FactId("F0")), RetractFact(fact=FactId("F0")), RetractFact(fact=named(1, 1))), 3),
    ]

    boat, cat = fold_facts(records).facts

    assert (2, BEGAN + timedelta(minutes=2), None) == (boat.times, boat.confirmed, boat.until)
    assert BEGAN + timedelta(minutes=2) == cat.until


def test_the_order_of_reading_changes_nothing() -> None:
    """
    A rebuild gives the same facts, and one entry that two sessions share counts once.
    """
    records = [
        at(adds("One."), 1),
        at(adds("Two."), 2, key="b"),
        at(changes(replaces(named(1), "Three.")), 3, key="b"),
        at(changes(ConfirmFact(fact=named(3, key="b"))), 4),
    ]
    expected = fold_facts(records)

    for seed in range(20):
        mixed = [*records, *records]
        Random(seed).shuffle(mixed)
        assert expected == fold_facts(mixed)
    assert ["Two.", "Three."] == [fact.text for fact in expected.current]


def test_what_is_forgotten_does_not_come_back() -> None:
    """
    Neither by its id, nor by where it was said, nor by its words in a copy that says it was said earlier.
    """
    gone = Forgotten(
        facts=(named(1),),
        words=(ForgottenWords(key=SessionKey("a"), pos=Position(2)),),
        salt="salt",
        hashes=(keyed_hash("Has a debt", "salt"),),
    )
    day = Consolidated(upto=Position(0), day="Spoke of debts.", refused=(RefusedFact(why="long", text="has a DEBT"),))
    records = [at(adds("Is ill."), 1), at(day, 2), at(adds("Has a  debt."), 3, key="copy"), at(gone, 9, key="me")]

    facts = fold_facts(records)

    assert ((), (), ()) == (facts.facts, facts.days, facts.refusals)
    assert gone.words == facts.words


def test_what_was_forgotten_may_be_said_anew() -> None:
    """
    Forgetting is about the past: who says it again wants it remembered.
    """
    gone = Forgotten(salt="salt", hashes=(keyed_hash("Has a debt", "salt"),))

    assert ["Has a debt."] == [fact.text for fact in fold_facts([at(gone, 1), at(adds("Has a debt."), 2)]).facts]


def test_what_consolidation_said_and_used_is_known_by_day() -> None:
    """
    The lines of the days, what was not accepted, and the tokens of each day.
    """
    entry = Consolidated(
        upto=Position(0),
        day="Planned a trip.",
        refused=(RefusedFact(why="too long"),),
        usage=Usage(input_tokens=90, output_tokens=10),
    )
    facts = fold_facts([at(entry, 1), at(entry, 2)])

    assert ["Planned a trip."] * 2 == [each.text for each in facts.days]
    assert ["too long"] * 2 == [each.refused.why for each in facts.refusals]
    assert (200, 0) == (facts.used_on(BEGAN.date()), facts.used_on(BEGAN.date() + timedelta(days=1)))


def test_the_core_has_what_was_said_most_often_and_last() -> None:
    """
    Where not all have room, these are the ones that a person would miss.
    """
    records = [at(adds("Old."), 1), at(adds("New."), 2), at(changes(ConfirmFact(fact=named(1))), 3)]
    core = core_of(fold_facts(records), 1)

    assert (["Old."], 2) == ([fact.text for fact in core.facts], core.total)


def test_a_scope_always_has_a_name() -> None:
    """
    Nobody's memory is found under an empty name, nor under that of the person of this machine.
    """
    assert ("me", "of:me", "of:ann") == tuple(Scope(owner=owner).name for owner in ("", "me", "ann"))
