"""Goals in the fold: their account, their status, and what counts on a branch."""

from datetime import UTC, datetime

from holdfast.ids import CallId, SessionKey
from holdfast.records.entries import (
    Checkpointed,
    Compacted,
    Entry,
    Fork,
    GoalAmended,
    GoalEnded,
    GoalProgressed,
    GoalSet,
    GoalStatusChanged,
    GoalVerified,
    ModelReplied,
    Opened,
    Rewound,
    TurnEnded,
    UserSaid,
)
from holdfast.records.parts import Blob, Source, Text, Thinking, ToolCall, Usage
from holdfast.session.checkpoints import checkpoint, restored
from holdfast.session.goals import ALWAYS, Goal
from tests.session.talk import at, meaning, records_of, said

OPENED = Opened(key=SessionKey("k"))
SET = GoalSet(objective="Win.", token_budget=100, checks=("make",))
STEP = UserSaid(parts=(Text(text="Go on."),), source=Source(host="goal"))
PERSON = Source(host="terminal")
USED = Usage(input_tokens=10, output_tokens=5)


def goal(*facts: Entry) -> Goal:
    """The goal after some facts."""
    found = meaning(OPENED, SET, *facts).goal
    assert found is not None
    return found


def test_only_goal_steps_and_what_is_asked_besides_are_charged() -> None:
    """
    Not the turns that a person began; a reply whose service said nothing is counted.
    """
    reply = ModelReplied(parts=(Text(text="x"),), usage=USED)
    call = ToolCall(id=CallId("1"), name="t", arguments="{}" * 3)
    blob = Blob(blob="b", media_type="x/y", size=1)  # type: ignore[arg-type]
    silent = ModelReplied(parts=(Text(text="x" * 30), Thinking(text="y" * 24), call, blob), asked_tokens=7)

    assert 0 == goal(said("Hello."), reply, TurnEnded()).tokens
    assert 15 == goal(STEP, reply, TurnEnded(), said("Hello."), reply).tokens
    assert 7 + 20 == goal(STEP, silent).tokens
    summary = Compacted(summary="s", first=at(0), last=at(0), verbatim_from=at(1), usage=USED)
    assert 30 == goal(summary, GoalVerified(verdict="met", usage=USED)).tokens


def test_goal_steps_are_counted_with_their_time_and_their_failures() -> None:
    """
    A step that ends well ends the row of failures; a wait that the service asked for is none.
    """
    failed = TurnEnded(why="failed", milliseconds=5)

    assert (1, True, 0) == (goal(STEP).steps, goal(STEP).stepping, goal(STEP).failures)
    assert (2, 10) == (goal(STEP, failed, STEP, failed).failures, goal(STEP, failed, STEP, failed).milliseconds)
    assert 0 == goal(STEP, failed, STEP, TurnEnded()).failures
    assert 0 == goal(STEP, TurnEnded(why="failed", retry_after=9)).failures
    assert 0 == goal(said("x"), failed).failures
    crashed = GoalStatusChanged(status="active", why="crashed")
    assert (2, 0) == (goal(STEP, crashed, crashed).crashes, goal(STEP, crashed, TurnEnded()).crashes)


def test_a_person_who_looks_after_it_begins_the_rows_anew() -> None:
    """
    By a message, or by having it go on.
    """
    refused = GoalVerified(verdict="not_met")
    resumed = GoalStatusChanged(status="active", by=PERSON)

    assert 2 == goal(refused, refused).refusals
    assert 0 == goal(refused, said("x")).refusals
    assert 1 == goal(refused, UserSaid(parts=(Text(text="t"),), source=Source(host="timer"))).refusals
    assert (0, 0) == (goal(refused, resumed).refusals, goal(STEP, TurnEnded(why="failed"), resumed).failures)


def test_a_message_ends_the_wait_for_one() -> None:
    """
    And no other wait: that goes on after the message is answered.
    """
    waits = GoalStatusChanged(status="waiting", on="message")
    until = GoalStatusChanged(status="waiting", on="time", until=datetime(2026, 11, 20, tzinfo=UTC))

    assert "active" == goal(waits, said("x")).doing
    assert (
        "paused"
        == meaning(OPENED, SET, Opened(key=SessionKey("f"), origin=Fork(key=SessionKey("k"), pos=at(1)))).goals[0].doing
    )
    assert "waiting" == goal(until, said("x")).doing
    assert "active" == goal(GoalStatusChanged(status="blocked", on="message"), said("x")).doing
    assert "paused" == goal(GoalStatusChanged(status="paused"), said("x")).doing


def test_amendments_and_checks_count_on_their_branch_and_budgets_everywhere() -> None:
    """
    A rewind takes back what was added to the goal; what was granted to be spent stays granted.
    """
    added = (
        GoalAmended(text="In blue.", check="make test"),
        GoalAmended(without="make"),
        GoalAmended(check="make test", tokens=50, turns=3, seconds=1, cost=1),
    )

    assert (("make test",), 150, None) == (goal(*added).checks, goal(*added).token_budget, goal(*added).turn_budget)
    left = goal(*added, Rewound(to=at(2)))
    assert (("make", "make test"), 150, 1) == (left.checks, left.token_budget, len(left.amendments))
    assert ("make",) == goal(*added, Rewound(to=at(1))).checks


def test_a_rewind_lets_nothing_go_on_that_a_person_stopped() -> None:
    """
    Only a wait ends with the branch it was said on, as nothing wakes it there.
    """
    assert "paused" == goal(GoalStatusChanged(status="paused"), Rewound(to=at(1))).doing
    assert "active" == goal(GoalStatusChanged(status="waiting", on="time"), Rewound(to=at(1))).doing
    assert not goal(STEP, Rewound(to=at(1))).stepping


def test_a_session_with_an_active_goal_is_always_due() -> None:
    """
    So whichever process may go on with it finds it; a pause and the end take that away.
    """

    def due(*facts: Entry) -> list[datetime]:
        return [each.at for each in meaning(OPENED, SET, *facts).wakes]

    assert [ALWAYS] == due() == due(GoalStatusChanged(status="active"))
    assert [] == due(GoalStatusChanged(status="paused")) == due(GoalEnded(verdict="stopped"))
    assert [ALWAYS] == due(GoalStatusChanged(status="paused"), GoalStatusChanged(status="active"))


def test_a_report_names_files_and_the_next_step() -> None:
    """
    Files add up, each once.
    """
    found = goal(
        GoalProgressed(notes="a", files=("x", "y"), verified="v", next_step="n"),
        GoalProgressed(notes="b", files=("x",)),
    )

    assert (("x", "y"), "b") == (found.files, found.notes)
    assert ("v", "n") == (found.progress[0].verified, found.progress[0].next_step)


def test_a_goal_is_called_by_its_title() -> None:
    """
    Or by its objective in one line.
    """
    assert ("Win.", "T") == (goal().said, Goal(pos=at(0), objective="o", title="T").said)


def test_who_began_a_turn_is_known() -> None:
    """
    A person, or Holdfast itself; what is said into a turn begins none, and what waited for its end does.
    """
    later = UserSaid(parts=(Text(text="x"),), enters="after")

    assert meaning(OPENED, said("x")).by_person
    assert not meaning(OPENED, said("x"), TurnEnded()).by_person
    assert not meaning(OPENED, STEP).by_person
    assert not meaning(OPENED, STEP, UserSaid(parts=(Text(text="x"),), enters="step")).by_person
    assert meaning(OPENED, STEP, later, TurnEnded()).by_person
    assert meaning(OPENED, said("x"), UserSaid(parts=(Text(text="x"),), enters="step", source=STEP.source)).by_person


def test_a_checkpoint_that_knew_no_status_is_folded_again() -> None:
    """
    A program that did not know of it may have written one behind entries that say it.
    """
    state = checkpoint(meaning(OPENED, SET)).state
    (older,) = records_of(Checkpointed(format=4, state=state))
    (newest,) = records_of(Checkpointed(format=5, state=state))

    assert restored(older) is None
    assert restored(newest) is not None
