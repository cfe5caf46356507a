"""The fold: what a log means is decided by its entries alone."""

import functools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.clock import ManualClock, at_time
from holdfast.ids import CallId, ClientId, SessionKey
from holdfast.records.codec import to_json
from holdfast.records.entries import (
    KINDS,
    Checkpointed,
    CommandRan,
    Compacted,
    CompactionUndone,
    Delivered,
    Described,
    Drafted,
    Entry,
    Fork,
    GoalEnded,
    GoalProgressed,
    GoalSet,
    ModelReplied,
    Opened,
    PermissionAsked,
    PermissionDecided,
    Pinned,
    QuestionAnswered,
    QuestionAsked,
    Rewound,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Unknown,
    Unpinned,
    UserSaid,
    WindowMoved,
    usage_of,
)
from holdfast.records.facts import Consolidated
from holdfast.records.parts import Usage
from holdfast.session.checkpoints import FORMAT, WITHOUT_GOALS, checkpoint, restored
from holdfast.session.goals import Goal, GoalStep
from holdfast.session.state import (
    CLIENT_IDS,
    LARGEST_RATIO,
    REMEMBERED,
    Move,
    OpenCall,
    OpenQuestion,
    Pin,
    SaidMessage,
    SessionState,
    Summary,
    Waiting,
    fold,
    on_path,
)
from tests.records.drawn import ENTRIES
from tests.session.talk import at, called, flat, folded, meaning, records_of, replied, said

OPENED = Opened(key=SessionKey("k"))
FACTS = st.lists(ENTRIES.filter(lambda entry: not isinstance(entry, Checkpointed)), min_size=1, max_size=12)


@given(FACTS)
def test_the_fold_is_pure(facts: list[Entry]) -> None:
    """
    The same entries mean the same, and a state is never changed by what comes after it.
    """
    records = records_of(*facts)
    before = folded(records[:-1])
    kept = to_json(before)

    assert folded(records) == fold(before, records[-1])
    assert kept == to_json(before)


@given(FACTS, st.data())
def test_a_checkpoint_and_what_came_after_mean_what_the_whole_log_means(
    facts: list[Entry], data: st.DataObject
) -> None:
    """
    Whatever a log says, and wherever a checkpoint stands in it, opening from there gives the same state.
    """
    cut = data.draw(st.integers(1, len(facts)))
    saved = checkpoint(meaning(*facts[:cut]))
    records = records_of(*facts[:cut], saved, *facts[cut:])
    state = restored(records[cut])

    assert state is not None
    assert folded(records) == folded(records[cut + 1 :], state)


@pytest.mark.parametrize("entry", [said("x"), Unknown(kind="acme.state"), OPENED])
def test_only_a_checkpoint_restores_a_state(entry: Entry) -> None:
    """
    Any other entry is one to read back over.
    """
    (record,) = records_of(entry)

    assert restored(record) is None


@pytest.mark.parametrize(
    ("version", "state"),
    [(FORMAT + 1, b"{}"), (FORMAT, b'{"last":"x"}'), (FORMAT, b"[]"), (FORMAT, b'{"title":5,"x":"\\ud800"}')],
)
def test_a_checkpoint_that_does_not_fit_is_not_used(version: int, state: bytes) -> None:
    """
    A state of another version or shape is passed over: the entries themselves are the truth.
    """
    (record,) = records_of(Checkpointed(format=version, state=msgspec.Raw(state)))

    assert restored(record) is None


def test_a_log_says_what_it_is_called_and_when_it_began() -> None:
    """
    The key and the origin are those of the last beginning, the time that of the first entry.
    """
    fork = Opened(key=SessionKey("copy"), origin=Fork(key=SessionKey("k"), pos=at(1)))
    state = meaning(OPENED, said("x"), fork)

    assert ("copy", fork.origin, at(2), at(2)) == (state.key, state.origin, state.last, state.head)
    assert at_time(ManualClock().now_ns()) == state.created


def test_messages_are_what_was_said() -> None:
    """
    Users, the model, and what the agent says unasked count; tools and commands do not.
    """
    facts: list[Entry] = [
        said("q"),
        called("1"),
        ToolStarted(call=CallId("1"), name="t"),
        ToolFinished(call=CallId("1"), name="t"),
    ]
    state = meaning(OPENED, *facts, replied("a"), TurnEnded(), Delivered(parts=()), CommandRan(command="/x"))

    assert (4, 1) == (state.messages, state.turns)


def test_a_turn_runs_from_the_reply_to_its_end() -> None:
    """
    A reply begins it or goes on with it, and only the end of the turn or a rewind ends it.
    """
    assert meaning(OPENED, said("q")).in_turn
    assert meaning(OPENED, said("q"), called("1")).in_turn
    assert not meaning(OPENED, said("q"), replied("a"), TurnEnded()).in_turn
    assert not meaning(OPENED, said("q"), replied("a"), Rewound(to=at(0))).in_turn


def test_calls_are_open_until_they_have_a_result() -> None:
    """
    It is known of each call whether it may have run.
    """
    one, two = CallId("1"), CallId("2")
    facts: list[Entry] = [called("1", "2"), ToolStarted(call=one, name="tool")]

    assert (OpenCall(call=one, name="tool", started=True), OpenCall(call=two, name="tool")) == meaning(
        *facts
    ).open_calls
    assert (OpenCall(call=two, name="tool"),) == meaning(*facts, ToolFinished(call=one, name="tool")).open_calls
    assert () == meaning(*facts, TurnEnded()).open_calls
    assert () == meaning(*facts, Rewound(to=at(0))).open_calls


def test_a_checkpoint_with_an_owner_is_for_programs_that_know_of_owners() -> None:
    """
    One that does not would write the next checkpoint without, and the session would be somebody else's.
    """
    owned, goal = meaning(Described(owner="alice")), meaning(GoalSet(objective="win"))

    assert "alice" == owned.owner
    assert [4, FORMAT, WITHOUT_GOALS] == [checkpoint(state).format for state in (owned, goal, meaning())]


def test_a_question_is_open_until_it_is_decided_or_its_call_is_over() -> None:
    """
    Also where nobody decided it: its turn ended, or was left behind.
    """
    asked = [
        PermissionAsked(call=CallId(name), question=f"1.{number}", tool="write", title="write")
        for number, name in enumerate("abc")
    ]
    decided = PermissionDecided(call=CallId("a"), question="1.0", allowed=True)
    finished = ToolFinished(call=CallId("b"), name="write", outcome="denied")

    which = QuestionAsked(call=CallId("d"), question="1.3.1", text="Which?")
    said = QuestionAnswered(call=CallId("d"), question="1.3.1", text="red")

    assert ("d",) == tuple(each.call for each in meaning(which).questions)
    assert () == meaning(which, said).questions
    assert ("a", "b", "c") == tuple(each.call for each in meaning(*asked).questions)
    assert (OpenQuestion(call=CallId("c"), pos=at(2)),) == meaning(*asked, decided, finished).questions
    assert () == meaning(*asked, TurnEnded()).questions == meaning(*asked, Rewound(to=at(0))).questions


def test_descriptions_are_joined_field_by_field() -> None:
    """
    The latest word on each field counts; a field that is not named stays, and can be emptied.
    """
    state = meaning(
        Described(title="t", tags=("a", "b"), model="m"), Described(title="u", archived=True), Described(tags=())
    )

    assert ("u", (), "m", True) == (state.title, state.tags, state.model, state.archived)


def test_usage_is_the_sum_of_what_models_were_asked_for() -> None:
    """
    Replies and summaries cost; the end of a turn only repeats what its replies have said.
    """
    usage = Usage(input_tokens=5, output_tokens=1)
    reply = ModelReplied(parts=(), usage=usage)
    summary = Compacted(summary="s", first=at(0), last=at(0), verbatim_from=at(1), usage=usage)

    assert usage.plus(usage) == meaning(reply, replied("free"), summary, TurnEnded(usage=usage)).usage


def test_client_ids_are_remembered_the_newest_first_to_stay() -> None:
    """
    A resend comes soon or never, so a bounded number of ids is enough.
    """
    many = [UserSaid(parts=(), client_id=ClientId(f"{number}")) for number in range(CLIENT_IDS + 2)]
    state = meaning(said("without"), *many)

    assert CLIENT_IDS == len(state.said)
    assert SaidMessage(client_id=ClientId("2"), pos=at(3)) == state.said[0]


def test_what_waits_for_its_moment_is_queued() -> None:
    """
    What was said for the next step or after the turn is known by its position, until the conversation goes elsewhere.
    """
    facts: list[Entry] = [said("now"), UserSaid(parts=(), enters="step"), UserSaid(parts=(), enters="after")]
    both = (Waiting(pos=at(1), enters="step"), Waiting(pos=at(2), enters="after"))

    assert both == meaning(*facts).queued
    assert () == meaning(*facts, Rewound(to=at(0))).queued


def test_what_a_reply_heard_waits_no_longer() -> None:
    """
    Words for the next step enter with the next reply, unless they were said while it spoke.
    """
    facts: list[Entry] = [said("now"), UserSaid(parts=(), enters="step"), UserSaid(parts=(), enters="after")]
    step, after = (Waiting(pos=at(1), enters="step"), Waiting(pos=at(2), enters="after"))

    assert (after,) == meaning(*facts, ModelReplied(parts=())).queued
    assert (after,) == meaning(*facts, ModelReplied(parts=(), heard=at(1))).queued
    assert (step, after) == meaning(*facts, ModelReplied(parts=(), heard=at(0))).queued


def test_what_waits_for_the_end_of_a_turn_begins_the_next() -> None:
    """
    So a process that dies between the two knows that an answer is owed.
    """
    facts: list[Entry] = [said("now"), UserSaid(parts=(), enters="after"), replied("done"), TurnEnded()]

    assert meaning(*facts).in_turn
    assert () == meaning(*facts).queued
    assert not meaning(*facts, replied("that too"), TurnEnded()).in_turn


def test_the_steps_of_a_turn_are_counted() -> None:
    """
    So that one can tell where a turn was broken off.
    """
    assert 2 == meaning(OPENED, said("q"), called("1"), replied("a")).steps
    assert 0 == meaning(OPENED, said("q"), called("1"), replied("a"), TurnEnded()).steps


def test_compactions_are_kept_with_their_undoing() -> None:
    """
    Which summary counts depends on the branch, so none is forgotten.
    """
    compacted = Compacted(summary="s", first=at(0), last=at(1), verbatim_from=at(2))
    first = Summary(pos=at(0), first=at(0), last=at(1), verbatim_from=at(2), undone=(at(2),))
    second = Summary(pos=at(1), first=at(0), last=at(1), verbatim_from=at(2))

    assert (first, second) == meaning(compacted, compacted, CompactionUndone(compaction=at(0))).compactions


def test_pins_hold_until_they_are_taken_out() -> None:
    """
    Taking a pin out ends all that hold the same entry, and leaves others alone.
    """
    facts: list[Entry] = [Pinned(target=at(9)), Unpinned(target=at(9)), Pinned(target=at(9)), Pinned(target=at(8))]
    pins = meaning(*facts, Unpinned(target=at(9))).pins

    assert (
        Pin(pos=at(0), target=at(9), unpinned=(at(1), at(4))),
        Pin(pos=at(2), target=at(9), unpinned=(at(4),)),
        Pin(pos=at(3), target=at(8)),
    ) == pins


def test_where_the_window_began_is_remembered_up_to_a_bound() -> None:
    """
    The newest moves of the window are known by their position, and the state stays small.
    """
    moves = [WindowMoved(start=at(number), keep=(at(0),)) for number in range(REMEMBERED + 2)]
    found = meaning(*moves).moves

    assert REMEMBERED == len(found)
    assert Move(pos=at(REMEMBERED + 1), start=at(REMEMBERED + 1), keep=(at(0),)) == found[-1]


def test_each_branch_has_a_first_thing_that_was_said() -> None:
    """
    A branch that leaves before the first message has one of its own; one that leaves later shares it.
    """
    facts: list[Entry] = [replied("hello"), said("first"), said("second")]

    assert (1,) == meaning(*facts, Rewound(to=at(1)), said("third")).firsts
    assert (1, 4) == meaning(*facts, Rewound(to=at(0)), said("third"), said("fourth")).firsts


def test_our_counting_is_corrected_by_what_a_provider_reports() -> None:
    """
    The newest report weighs half; one that says nothing, or is absurd, corrects little or nothing.
    """
    reply = ModelReplied(parts=(), usage=Usage(input_tokens=150), asked_tokens=100)
    silent = ModelReplied(parts=(), usage=Usage(output_tokens=3), asked_tokens=100)
    absurd = ModelReplied(parts=(), usage=Usage(input_tokens=10**9), asked_tokens=1)

    assert 1000 == meaning(replied("no usage"), silent).ratio
    assert 1250 == meaning(reply).ratio
    assert 1375 == meaning(reply, reply).ratio
    assert LARGEST_RATIO == meaning(absurd).ratio


def test_what_titles_and_memory_use_is_counted_too() -> None:
    """
    Whatever asked a model for the session's sake adds to what the session used.
    """
    usage = Usage(input_tokens=5, cost_micros=1)
    compacted = Compacted(summary="s", first=at(0), last=at(1), verbatim_from=at(2), usage=usage)
    facts: list[Entry] = [Described(title="t", usage=usage), Consolidated(upto=at(0), usage=usage), compacted]

    assert Usage(input_tokens=15, cost_micros=3) == meaning(*facts).usage


def test_usage_is_counted_once_for_every_kind_that_has_one() -> None:
    """
    What each entry used adds up to what the session used, and a kind whose usage repeats others' is named here.
    """
    usage = Usage(input_tokens=2, output_tokens=3, cost_micros=1)
    repeats = {"turn_ended", "goal_progressed"}
    having = {name: kind for name, kind in KINDS.items() if "usage" in kind.__struct_fields__}
    needed = {"why": "answered", "notes": "n", "summary": "s", "first": 0, "last": 0, "verbatim_from": 1, "upto": 0}
    needed["verdict"] = "met"
    facts: list[Entry] = [GoalSet(objective="o")]
    for name, kind in having.items():
        required = {each.name: needed.get(each.name, ()) for each in msgspec.structs.fields(kind) if each.required}
        entry = msgspec.convert({"kind": name, **required, "usage": msgspec.to_builtins(usage)}, kind)
        facts.append(entry)
        assert (None if name in repeats else usage) == usage_of(entry)

    assert repeats < set(having)
    counted = [used for entry in facts if (used := usage_of(entry)) is not None]
    assert functools.reduce(Usage.plus, counted) == meaning(*facts).usage


def test_a_goal_gathers_notes_and_costs_until_it_ends() -> None:
    """
    The newest notes hand over; what was used adds up; progress without a goal is no goal.
    """
    usage = Usage(output_tokens=3)
    facts: list[Entry] = [
        GoalSet(objective="o", token_budget=9, turn_budget=2),
        GoalProgressed(notes="one", usage=usage),
        GoalProgressed(notes="two"),
    ]

    goal = meaning(*facts).goal
    assert goal is not None
    steps = (GoalStep(pos=at(1), notes="one"), GoalStep(pos=at(2), notes="two"))
    expected = Goal(pos=at(0), objective="o", token_budget=9, turn_budget=2, progress=steps, used=usage)
    assert (expected, "two") == (msgspec.structs.replace(goal, since=None), goal.notes)
    assert meaning(*facts, GoalEnded(verdict="reached")).goal is None
    assert meaning(GoalProgressed(notes="lost"), GoalEnded(verdict="stopped")).goal is None
    assert "" == Goal(pos=at(0), objective="o").notes


def test_a_goal_counts_on_the_branch_it_was_set_on() -> None:
    """
    Rewinding behind a goal removes it, undoing the rewind brings it back, and its end counts on its branch alone.
    """
    facts: list[Entry] = [said("hello"), GoalSet(objective="o"), GoalProgressed(notes="one")]
    behind, after_end = Rewound(to=at(0)), GoalEnded(verdict="stopped")

    assert meaning(*facts, behind).goal is None
    assert meaning(*facts, behind, Rewound(to=at(2))).goal == meaning(*facts).goal
    assert meaning(*facts, behind, GoalProgressed(notes="x"), after_end, Rewound(to=at(2))).goal == meaning(*facts).goal
    assert meaning(*facts, after_end).goal is None
    assert meaning(*facts, after_end, Rewound(to=at(2))).goal == meaning(*facts).goal
    other = meaning(*facts, behind, GoalSet(objective="another"))
    assert other.goal is not None
    assert "another" == other.goal.objective


def test_what_was_spent_on_a_branch_that_was_left_stays_spent() -> None:
    """
    A rewind behind a step towards a goal takes its notes away, not its cost.
    """
    usage = Usage(output_tokens=3)
    facts: list[Entry] = [GoalSet(objective="o"), GoalProgressed(notes="one", usage=usage), Rewound(to=at(0))]
    goal = meaning(*facts).goal

    assert goal is not None
    assert (usage, "") == (goal.used, goal.notes)


def test_a_fork_carries_its_goal_paused() -> None:
    """
    Two sessions never work towards one goal because one of them was forked.
    """
    forked = Opened(key=SessionKey("f"), origin=Fork(key=SessionKey("k"), pos=at(1)))
    goal = meaning(OPENED, GoalSet(objective="o"), forked).goal

    assert goal is not None
    assert goal.paused
    assert meaning(OPENED, forked).goal is None


def test_a_checkpoint_of_an_older_fold_that_holds_a_goal_is_folded_again() -> None:
    """
    It does not say on which branch the goal was set, so the entries are asked; one without a goal is used.
    """
    with_goal = msgspec.Raw(b'{"title":"t","goal":{"pos":1,"objective":"o"}}')
    (older,) = records_of(Checkpointed(format=WITHOUT_GOALS, state=with_goal))
    (plain,) = records_of(Checkpointed(format=WITHOUT_GOALS, state=msgspec.Raw(b'{"title":"t"}')))

    assert restored(older) is None
    state = restored(plain)
    assert state is not None
    assert "t" == state.title
    assert WITHOUT_GOALS == checkpoint(meaning(OPENED)).format
    assert FORMAT == checkpoint(meaning(OPENED, GoalSet(objective="o"))).format


def test_memory_never_goes_back() -> None:
    """
    What memory has been drawn from stays drawn from.
    """
    assert 7 == meaning(Consolidated(upto=at(7)), Consolidated(upto=at(3))).consolidated


@pytest.mark.parametrize("entry", [CommandRan(command="/x"), Unknown(kind="acme.vote"), Drafted(reply=at(0))])
def test_what_says_nothing_about_the_session_changes_only_its_end(entry: Entry) -> None:
    """
    Commands and kinds from elsewhere are on the timeline and nothing more.
    """
    state = meaning(OPENED)

    assert msgspec.structs.replace(state, last=at(1), head=at(1)) == meaning(OPENED, entry)


@st.composite
def rewinding(draw: st.DrawFn) -> list[Entry]:
    """Entries of which some go back to any place before them."""
    targets = [draw(st.none() | st.integers(0, pos - 1)) for pos in range(1, draw(st.integers(1, 14)))]
    return [said("0"), *(said("more") if to is None else Rewound(to=at(to)) for to in targets)]


@given(rewinding())
def test_the_path_is_what_was_said_on_the_way_here(facts: list[Entry]) -> None:
    """
    Each entry follows the one the conversation was at; going back to a rewind is going back to where it led.
    """
    paths: list[list[int]] = []
    here: list[int] = []
    for pos, fact in enumerate(facts):
        here = paths[fact.to] if isinstance(fact, Rewound) else [*here, pos]
        paths.append(here)
        state = meaning(*facts[: pos + 1])

        assert here == flat(state.path)
        assert here == [each for each in range(pos + 1) if on_path(at(each), state.path)]


def test_an_empty_log_has_no_path() -> None:
    """
    Nothing was said, so nothing is on the way here.
    """
    assert () == SessionState().path
