"""Goals from beginning to end, with a scripted model."""

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from holdfast import Budget, ModelError, Request, ToolFinished, TurnEnded, Unavailable
from holdfast.agent.tool import Output, ToolContext
from holdfast.clock import at_time
from holdfast.errors import Refused
from holdfast.goals.changes import amended, paused, resumed, with_budget, with_check
from holdfast.goals.goal_settings import GoalSettings
from holdfast.goals.snapshot import goal_state
from holdfast.model.protocol import ToolMessage
from holdfast.providers.scripted.model import Cue
from holdfast.records.entries import (
    Delivered,
    Described,
    Entry,
    GoalAmended,
    GoalEnded,
    GoalSet,
    GoalStatusChanged,
    GoalVerified,
)
from holdfast.records.parts import plain_text
from tests.agent.troupe import PlainTool, calling
from tests.goals.work import PERSON, FakeShell, Worker, claim, complete, log_of, quiet, report, steps_in, verdict, work


def statuses(log: list[Entry]) -> list[tuple[str, str]]:
    """How the status of the goal changed."""
    return [(each.status, each.why) for each in log if isinstance(each, GoalStatusChanged)]


def verdicts(log: list[Entry]) -> list[str]:
    """What verifications said."""
    return [each.verdict for each in log if isinstance(each, GoalVerified)]


async def test_a_goal_goes_on_by_itself_until_it_is_reached() -> None:
    """
    Each goal step is a turn; the claim is judged by a separate request, and the recap is given to the person.
    """
    script = (work("a"), report("Half."), "One.", work("b"), report(), claim, verdict("met"))
    async with Worker(*script) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        log = await log_of(conversation)
        state = conversation.state

    assert 2 == len(steps_in(log))
    assert "Half." in steps_in(log)[1]
    assert [("reached", "seen")] == [(each.verdict, each.notes) for each in log if isinstance(each, GoalEnded)]
    assert ["All done."] == [plain_text(each.parts) for each in log if isinstance(each, Delivered)]
    assert state.goal is None
    assert ["answered", "answered"] == [each.why for each in log if isinstance(each, TurnEnded)]


async def test_a_red_check_refuses_before_any_model_is_asked() -> None:
    """
    The agent is told what the check wrote, and goes on; when it is green, the goal is judged.
    """
    shell = FakeShell(False, True)
    script = (work(), report(), claim, work("b"), report(), claim, verdict("met"))
    async with Worker(*script, tools=[shell]) as worker:
        conversation = await worker.begin(checks=("make test",))
        await quiet(conversation)
        log = await log_of(conversation)

    assert ["make test", "make test"] == shell.ran
    assert ["not_met", "met"] == verdicts(log)
    (refused,) = [each for each in log if isinstance(each, ToolFinished) and each.outcome == "error"]
    assert "exit code 1" in plain_text(refused.parts)
    assert 1 == len(steps_in(log))


async def test_a_refused_completion_tells_why_and_three_ask_a_person() -> None:
    """
    Not met is told to the agent, which goes on; the third refusal pauses the goal.
    """
    each = (report(), claim, verdict("not_met", "no tests"))
    async with Worker(work(), *each, *each, *each) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        log = await log_of(conversation)

    assert ["not_met"] * 3 == verdicts(log)
    assert [("paused", "refused")] == statuses(log)


@pytest.mark.parametrize(
    "judge", [lambda _: "I think so.", lambda _: '{"token":"x","verdict":"met"}', lambda _: Refused("down")]
)
async def test_what_could_not_be_judged_never_counts_as_reached(judge: Callable[[object], str | ModelError]) -> None:
    """
    It is tried again after a while, costs no goal step, and after three times a person is asked.
    """
    async with Worker(work(), report(), claim, judge, judge, judge) as worker:
        before = worker.clock.now_ns()
        conversation = await worker.begin()
        await quiet(conversation)
        log = await log_of(conversation)
        waited = worker.clock.now_ns() - before

    assert ["unjudged"] * 3 == verdicts(log)
    assert [("paused", "unjudged")] == statuses(log)
    assert 1 == len(steps_in(log))
    assert waited >= 12 * 10**9


async def test_what_is_impossible_waits_for_the_person() -> None:
    """
    It is never done; a message of the person is answered, and then the goal goes on.
    """
    script = (work(), report(), claim, verdict("impossible", "no such file"), "I see.", work("b"), report(), claim)
    async with Worker(*script, verdict("met")) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        assert "blocked" == conversation.state.goal.doing  # type: ignore[union-attr]
        await conversation.send("Take the other file.", source=PERSON)
        await quiet(conversation)
        log = await log_of(conversation)

    assert ["impossible", "met"] == verdicts(log)


async def test_evidence_is_what_the_log_has_since_the_goal() -> None:
    """
    A result from before the goal, none at all, one of a goal tool and one that failed are refused.
    """
    failing = PlainTool("break", lambda *_: 1 / 0)
    wrong: list[Cue] = [complete(2), complete(), complete(9_999), lambda r: complete(*positions(r, "break"))]
    script = (work("old"), "Done.", calling(("break", "{}")), report(), *wrong, "Enough.")
    async with Worker(*script, *["Hm."] * 9, tools=[failing]) as worker:
        conversation = await worker.engine.open("talk")
        await conversation.send("Work.", source=PERSON)
        await quiet(conversation)
        await worker.begin()
        await quiet(conversation)
        log = await log_of(conversation)

    refused = [each for each in log if isinstance(each, ToolFinished) and each.name == "complete_goal"]
    assert ["error"] * 4 == [each.outcome for each in refused]
    assert [] == verdicts(log)
    said = [plain_text(each.parts) for each in refused]
    for words, text in zip(
        ("older than", "No evidence", "not in this conversation", "came to nothing"), said, strict=True
    ):
        assert words in text


def positions(request: Request, name: str) -> list[int]:
    """The positions of results that a request shows."""
    return [each.pos for each in request.messages if isinstance(each, ToolMessage) and each.name == name]


async def test_waiting_for_a_time_asks_no_model_until_it_comes() -> None:
    """
    The goal step ends with it; the time wakes the session, and a late one is told.
    """
    wait = calling(("wait_for", '{"on":"time","seconds":86400,"note":"the tide"}'))
    async with Worker(work(), wait, work("b"), report(), claim, verdict("met")) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        await conversation.go_on()
        await quiet(conversation)
        assert not await worker.engine.wake("talk")
        assert 2 == len(worker.model.requests)
        assert [at_time(worker.clock.now_ns()) + timedelta(days=1)] == [
            each.at for each in await worker.engine.store.due()
        ]
        worker.clock.advance(86_400 + 7_200)
        assert await worker.engine.wake("talk")
        await quiet(conversation)
        log = await log_of(conversation)

    assert [("waiting", "wait"), ("active", "late")] == statuses(log)
    assert "2:00:00 late" in steps_in(log)[1]
    assert "the tide" in steps_in(log)[1]
    assert ["met"] == verdicts(log)


async def test_waiting_for_a_command_costs_nothing_until_it_ends() -> None:
    """
    What happened is told in the next goal step.
    """

    async def ended(job: str) -> str:
        return f"{job} has ended"

    wait = calling(("wait_for", '{"on":"command","subject":"job-1"}'))
    async with Worker(work(), wait, work("b"), report(), claim, verdict("met"), ended=ended) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        log = await log_of(conversation)

    assert [("waiting", "wait"), ("active", "wait")] == statuses(log)
    assert "job-1 has ended" in steps_in(log)[1]


async def test_what_is_noted_while_a_goal_waits_does_not_stop_it() -> None:
    """
    A title, a fact that is drawn, a command that shows something: nobody asks again after these.
    """
    over, waiting = asyncio.Event(), asyncio.Event()

    async def ended(job: str) -> str:
        waiting.set()
        await over.wait()
        return f"{job} has ended"

    wait = calling(("wait_for", '{"on":"command","subject":"job-1"}'))
    async with Worker(work(), wait, work("b"), report(), claim, verdict("met"), ended=ended) as worker:
        conversation = await worker.begin()
        async with asyncio.timeout(30):
            await waiting.wait()
        await conversation.describe(Described(title="A job"))
        over.set()
        await quiet(conversation)
        log = await log_of(conversation)

    assert [("waiting", "wait"), ("active", "wait")] == statuses(log)
    assert "job-1 has ended" in steps_in(log)[1]


async def test_the_budget_binds_before_the_request() -> None:
    """
    The reply's bound comes down to what is left; what does not fit is not asked, and raising it goes on.
    """
    steps = [work(str(number)) for number in range(40)]
    settings = GoalSettings(tokens=6_000)
    async with Worker(*steps, settings=settings) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        goal = conversation.state.goal
        assert goal is not None
        assert ("paused", "budget") == statuses(await log_of(conversation))[-1]
        assert goal.tokens <= 6_000
        before = len(worker.model.requests)
        await conversation.session.append(
            *with_budget(conversation.state, "+3000", by=PERSON), *resumed(conversation.state, by=PERSON)
        )
        await conversation.go_on()
        await quiet(conversation)
        assert before < len(worker.model.requests)
        assert conversation.state.goal.tokens <= 9_000  # type: ignore[union-attr]


async def test_goal_steps_are_a_budget_too() -> None:
    """
    The last two are told to wrap up; then the goal pauses.
    """
    steps = [each for number in range(3) for each in (work(str(number)), "Done.")]
    async with Worker(*steps, settings=GoalSettings(turns=3)) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        log = await log_of(conversation)

    assert 3 == len(steps_in(log))
    assert ["wrap up" in each for each in steps_in(log)] == [False, True, True]
    assert [("paused", "budget")] == statuses(log)


async def test_a_stop_leaves_the_goal_waiting_for_the_person() -> None:
    """
    Nothing goes on by itself; the next message is answered, then the goal goes on.
    """
    script = (work("slow"), "Yes?", work("b"), report(), claim, verdict("met"))

    async def slow(text: str, _: object) -> str:
        if text == "slow":
            await conversation.cancel()
        return text

    async with Worker(*script, does=slow) as worker:
        conversation = await worker.engine.open("talk")
        await worker.begin()
        await quiet(conversation)
        assert [("waiting", "stopped")] == statuses(await log_of(conversation))
        await conversation.send("Go on.", source=PERSON)
        await quiet(conversation)
        log = await log_of(conversation)

    assert ["met"] == verdicts(log)


async def test_a_pause_holds_until_it_is_resumed() -> None:
    """
    It stops the turn that runs, a message does not let it go on, and resuming does.
    """

    async def halt(text: str, _: object) -> str:
        if text == "first":
            await conversation.halt(paused(conversation.state, by=PERSON))
        return text

    script = (work("first"), "Hello.", work("b"), report(), claim, verdict("met"))
    async with Worker(*script, does=halt) as worker:
        conversation = await worker.engine.open("talk")
        await worker.begin()
        await quiet(conversation)
        await conversation.send("Hello?", source=PERSON)
        await quiet(conversation)
        assert [("paused", "user")] == statuses(await log_of(conversation))
        assert 2 == len(worker.model.requests)
        await conversation.session.append(*resumed(conversation.state, by=PERSON))
        await conversation.go_on()
        await quiet(conversation)
        log = await log_of(conversation)

    assert ["met"] == verdicts(log)


@pytest.mark.parametrize(
    "step",
    [
        ["I am thinking."],
        [work("same"), "Hm."],
        [calling(("todo", '{"items":[]}')), "Hm."],
        [calling(("break", "{}")), "Hm."],
    ],
    ids=["text only", "same call", "a tool of lists", "all errors"],
)
async def test_a_stall_pauses_the_goal_within_five_steps(step: list[Cue]) -> None:
    """
    Goal steps in which nothing new comes of a tool that does work pause the goal with the reason.
    """
    tools = [PlainTool("break", lambda *_: 1 / 0), PlainTool("todo")]
    async with Worker(*(each for _ in range(5) for each in step), tools=tools) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        log = await log_of(conversation)

    assert [("paused", "guard")] == statuses(log)
    assert len(steps_in(log)) <= 5


async def test_a_failed_step_is_tried_once_more() -> None:
    """
    Then the goal pauses with the reason.
    """
    async with Worker(Refused("no"), Refused("no")) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        log = await log_of(conversation)

    assert 2 == len(steps_in(log))
    assert [("paused", "failed")] == statuses(log)


async def test_a_rate_limit_is_a_wait() -> None:
    """
    The service said when to come back, so that is when the goal goes on; it is no failure.
    """
    async with Worker(Unavailable("busy", retry_after=600), work(), report(), claim, verdict("met")) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        assert [("waiting", "rate")] == statuses(await log_of(conversation))
        worker.clock.advance(600)
        await worker.engine.wake("talk")
        await quiet(conversation)
        log = await log_of(conversation)

    assert ["met"] == verdicts(log)


async def test_a_message_is_answered_and_the_goal_goes_on() -> None:
    """
    In the middle of a goal step it is heard at the next request, and the goal stays active.
    """

    async def steer(text: str, _: object) -> str:
        if text == "a":
            await conversation.send("Use blue.", source=PERSON)
        return text

    script = (work("a"), "Blue it is.", work("b"), report(), claim, verdict("met"))
    async with Worker(*script, does=steer) as worker:
        conversation = await worker.engine.open("talk")
        await worker.begin()
        await quiet(conversation)
        log = await log_of(conversation)

    heard = [plain_text(each.parts) for each in worker.model.requests[1].messages]
    assert "Use blue." in heard
    assert ["met"] == verdicts(log)


async def test_amendments_are_shown_and_the_objective_stays() -> None:
    """
    The next goal step and the judge see both.
    """
    async with Worker(work(), report(), claim, verdict("met")) as worker:
        conversation = await worker.engine.open("talk")
        await conversation.session.append(GoalSet(objective="Win."))
        await conversation.session.append(*amended(conversation.state, "In blue.", by=PERSON))
        await conversation.session.append(*with_check(conversation.state, "make", by=PERSON))
        await conversation.go_on()
        await quiet(conversation)
        log = await log_of(conversation)

    assert "In blue." in steps_in(log)[0]
    assert "- make" in steps_in(log)[0]


async def test_a_rewind_leaves_the_cost_and_takes_the_reports() -> None:
    """
    What was spent on a branch that was left stays spent; a goal that was set behind the rewind is gone.
    """
    async with Worker(work(), report("Half."), "One.", *["Hm."] * 9) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        spent = conversation.state.goal.tokens  # type: ignore[union-attr]
        await conversation.rewind(1)
        goal = conversation.state.goal
        assert goal is not None
        assert (spent, ()) == (goal.tokens, goal.progress)
        await conversation.rewind(0)
        assert conversation.state.goal is None


async def test_the_agent_sets_a_goal_only_where_a_person_asked() -> None:
    """
    In a turn that a person began it works; in a goal step, or in one that a timer began, it is refused.
    """
    ask = calling(("set_goal", '{"objective":"Sail."}'))
    async with Worker(ask, "Set.", ask, "Hm.", *["Hm."] * 9) as worker:
        conversation = await worker.engine.open("talk")
        await conversation.send("Make it your goal.", source=PERSON)
        await quiet(conversation)
        log = await log_of(conversation)
        goal = conversation.state.goal

    assert goal is not None
    assert "Sail." == goal.objective
    results = [each for each in log if isinstance(each, ToolFinished) and each.name == "set_goal"]
    assert ["ok", "error"] == [each.outcome for each in results]
    assert "no person began" in plain_text(results[1].parts)


async def test_hosts_are_shown_a_bounded_snapshot() -> None:
    """
    It comes from the state alone.
    """
    async with Worker(work(), report("Half. " * 500), "One.", *["Hm."] * 9) as worker:
        conversation = await worker.begin("Win. " * 500)
        await quiet(conversation)
        shown = goal_state(conversation.state)

    assert shown is not None
    assert ("paused", "guard", False) == (shown.status, shown.why, shown.running)
    assert len(json.dumps(shown.objective + shown.report + shown.reason)) < 2_000
    assert shown.tokens > 0
    assert shown.steps_left == 100 - shown.step


async def test_block_goal_tells_the_person_and_waits() -> None:
    """
    The answer of the person lets it go on.
    """
    block = calling(("block_goal", '{"needs":"The key."}'))
    async with Worker(work(), block, "Thanks.", work("b"), report(), claim, verdict("met")) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        assert "blocked" == conversation.state.goal.doing  # type: ignore[union-attr]
        await conversation.send("It is 7.", source=PERSON)
        await quiet(conversation)
        log = await log_of(conversation)

    assert any("The key." in plain_text(each.parts) for each in log if isinstance(each, Delivered))
    assert ["met"] == verdicts(log)


async def test_a_summary_is_paid_by_the_goal_and_bound_by_it() -> None:
    """
    It is reserved before it is asked for: where it does not fit, the goal pauses and nothing is asked.
    """
    settings = GoalSettings(tokens=9_000)
    lines = [work(f"{number} {'word ' * 900}") for number in range(20)]
    async with Worker(*lines, settings=settings, budget=Budget(tokens=6_000, output=600)) as worker:
        conversation = await worker.begin()
        await quiet(conversation)
        goal = conversation.state.goal

    assert goal is not None
    assert "budget" == goal.status.why  # type: ignore[union-attr]
    assert goal.tokens <= 9_000


async def test_what_is_added_during_a_claim_is_not_passed_over() -> None:
    """
    The checks that ran and whoever judged did not know of it, so the goal goes on.
    """

    class Amending(FakeShell):
        async def do(self, text: str, context: ToolContext) -> Output:
            if not self.ran:
                await context.write(GoalAmended(check="make lint", by=PERSON))
            return await super().do(text, context)

    shell = Amending()
    async with Worker(work(), complete(5), verdict("met"), complete(5), verdict("met"), tools=(shell,)) as worker:
        conversation = await worker.begin(checks=("make test",))
        await quiet(conversation)
        log = await log_of(conversation)

    assert ["make test", "make test", "make lint"] == shell.ran
    assert ["unjudged", "met"] == verdicts(log)
    assert 1 == sum(isinstance(each, GoalEnded) for each in log)
