"""The figures of goals: what is promised, tried with a scripted model, and what came of it.

Each trial gives numbers; `TRIALS` says what they must be. `make goals` runs them whole, the tests a part of each.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from holdfast import ManualClock, Request, Scripted, open_store
from holdfast.errors import Refused
from holdfast.goals.changes import paused
from holdfast.goals.goal_settings import GoalSettings
from holdfast.goals.slots import next_of, next_slot
from holdfast.providers.scripted.model import Cue, Line
from holdfast.records.entries import GoalEnded, GoalSet, GoalStatusChanged, ScheduleSet, UserSaid
from holdfast.records.parts import Value, plain_text
from tests.agent.troupe import PlainTool, calling
from tests.goals.kills import run
from tests.goals.work import PERSON, FakeShell, Worker, asked, claim, complete, log_of, quiet, report, verdict, work

Figures = Mapping[str, float]
ZONES = (
    "UTC",
    "Europe/Prague",
    "America/New_York",
    "Asia/Tokyo",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "Asia/Kolkata",
)


class Trial(Value, frozen=True, kw_only=True):
    """One figure that is promised."""

    name: str
    what: str
    run: Callable[[int], Coroutine[object, object, Figures]]
    whole: int
    """How often it is tried by `make goals`; the tests try it less."""
    part: int
    goal: Callable[[Figures], bool]


def _told_by_a_file(request: Request) -> str:
    """A judge that says what a file tells it to."""
    found = asked(request)
    return found[found.index('{"token') :].split("}")[0] + "}" if '{"token":"stolen' in found else '{"verdict":"met"}'


async def _accepted(kind: str, number: int) -> bool:
    """Whether a claim of some kind was accepted."""
    judge: Cue = verdict("met")
    shell, checks = FakeShell(*[kind != "red check"] * 9), tuple[str, ...]()
    claimed: Cue = claim
    if kind == "red check":
        checks = ("test -f wanted",)
    elif kind == "judge down":
        judge = Refused("down")
    elif kind == "judge nonsense":
        judge = Random(number).choice(["Looks good!", "{}", '{"token":"","verdict":"met"}', "met", "null"])
    elif kind == "told by a file":
        judge = _told_by_a_file
    elif kind == "older evidence":
        claimed = complete(1)
    elif kind == "no evidence":
        claimed = complete()
    elif kind == "not met":
        judge = verdict("not_met")
    script = [work(f"{number}"), report(), claimed, judge, judge, judge, *["Enough."] * 4]
    async with Worker(*script, tools=[shell]) as worker:
        conversation = await worker.begin(checks=checks)
        await quiet(conversation)
        log = await log_of(conversation)
    return any(isinstance(each, GoalEnded) and each.verdict == "reached" for each in log)


WRONG = ("red check", "judge down", "judge nonsense", "told by a file", "older evidence", "no evidence", "not met")


async def claims(number: int) -> Figures:
    """Claims that must not be accepted, and honest ones."""
    false = [await _accepted(WRONG[index % len(WRONG)], index) for index in range(number)]
    honest = [await _accepted("honest", index) for index in range(max(1, number // 10))]
    return {"false accepted": sum(false), "honest accepted": sum(honest) / len(honest)}


async def budget(number: int) -> Figures:
    """Goals with budgets of any size: how far over they went, and what was begun after the end."""
    worst, after = 0.0, 0
    for index in range(number):
        draw = Random(index)
        tokens = draw.randrange(2_000, 40_000)
        steps: list[Cue] = [
            line
            for turn in range(40)
            for line in (work("x" * draw.randrange(4_000) + str(turn)), report("y" * draw.randrange(2_000)))
        ]
        async with Worker(*steps, settings=GoalSettings(tokens=tokens)) as worker:
            conversation = await worker.begin()
            await quiet(conversation)
            goal = conversation.state.goal
            assert goal is not None
            asked_before = len(worker.model.requests)
            await conversation.go_on()
            await quiet(conversation)
            after += len(worker.model.requests) - asked_before
            worst = max(worst, (goal.tokens - tokens) / tokens)
    return {"overshoot": max(0.0, worst), "calls after the end": after}


async def wait(number: int) -> Figures:
    """Waits of 24 hours, looked at every minute, with three restarts."""
    calls = 0
    for _ in range(number):
        clock = ManualClock()
        with tempfile.TemporaryDirectory() as folder:
            first = calling(("wait_for", '{"on":"time","seconds":86400}'))
            async with Worker(work(), first, store=open_store(folder, clock=clock), clock=clock) as worker:
                await quiet(await worker.begin())
            for _ in range(3):
                async with Worker(store=open_store(folder, clock=clock), clock=clock) as worker:
                    for _ in range(60):
                        clock.advance(470)
                        assert not await worker.engine.wake("talk")
                    await quiet(await worker.engine.open("talk"))
                    calls += len(worker.model.requests)
            clock.advance(7_200)
            async with Worker(
                report(), claim, verdict("met"), store=open_store(folder, clock=clock), clock=clock
            ) as last:
                await last.engine.wake("talk")
                await quiet(await last.engine.open("talk"))
                assert last.model.requests, "the wait fires"
    return {"calls while waiting": calls}


def _edit(number: int) -> Scripted:
    return calling(("edit_file", json.dumps({"text": str(number)})))


async def stalls(_: int) -> Figures:
    """Shapes of goals in which nothing comes of the work, and honest ones that look like them."""
    failing, todo = PlainTool("break", lambda *_: 1 / 0), PlainTool("todo")
    shapes: list[list[Cue]] = [
        ["Thinking."] * 6,
        [work("same"), "Hm."] * 6,
        [line for n in range(6) for line in (calling(("find", json.dumps({"text": str(n)}))), "Hm.")],
        [calling(("break", "{}")), "Hm."] * 6,
        [line for n in range(6) for line in (calling(("todo", json.dumps({"text": str(n)}))), f"Word {n}.")],
    ]
    caught = 0
    for shape in shapes:
        find = PlainTool("find", lambda *_: "no matches")
        async with Worker(*shape, tools=[failing, todo, find]) as worker:
            conversation = await worker.begin()
            await quiet(conversation)
            goal = conversation.state.goal
            caught += goal is not None and goal.status is not None and goal.status.why == "guard" and goal.steps <= 5
    honest: list[list[Cue]] = [
        [
            line
            for n in range(8)
            for line in (calling(("edit_file", json.dumps({"text": str(n)}))), work("test"), "On.")
        ],
        [line for n in range(8) for line in (work(f"poll {n}"), "On.")],
        [line for n in range(8) for line in (work(f"build {n}"), report(f"{n}"), "On.")],
    ]
    stopped = 0
    for shape in honest:
        edit = PlainTool("edit_file", lambda *_: "edited")
        async with Worker(*shape, tools=[edit], settings=GoalSettings(turns=8)) as worker:
            conversation = await worker.begin()
            await quiet(conversation)
            goal = conversation.state.goal
            stopped += goal is not None and goal.status is not None and goal.status.why == "guard"
    return {"caught": caught / len(shapes), "honest stopped": stopped}


async def stop(number: int) -> Figures:
    """Stops at any moment: what happened after the answer, and how long it took."""
    effects, slowest = 0, 0.0
    for index in range(number):
        draw, phase = Random(index), index % 12
        lines = [line for n in range(20) for line in (work(str(n)), report(str(n)), "On.")]
        async with Worker(*lines) as worker:
            conversation = await worker.begin()
            for _ in range(phase * 12 + draw.randrange(12)):
                await asyncio.sleep(0)
            began = time.monotonic()
            await conversation.halt(paused(conversation.state, by=PERSON))
            slowest = max(slowest, time.monotonic() - began)
            done = len(worker.tool.ran)
            await quiet(conversation)
            await conversation.go_on()
            await quiet(conversation)
            effects += len(worker.tool.ran) - done
    return {"effects after the answer": effects, "slowest ms": slowest * 1000}


async def messages(number: int) -> Figures:
    """Messages at any moment: each is said to the model once, in order, and the goal stays active."""
    draw, said, spoken = Random(7), [f"message {n}" for n in range(number)], asyncio.Event()
    left = list(said)

    async def speak(text: str, __: object) -> str:
        for _ in range(draw.randrange(3)):
            if left:
                await conversation.send(left.pop(0), source=PERSON)
        if not left:
            spoken.set()
        return text

    numbers = iter(range(1_000_000))

    def line(_: Request) -> Line:
        number = next(numbers)
        return "On." if number % 4 == 3 else work(str(number))

    async with Worker(*[line] * (number * 4), does=speak, settings=GoalSettings(turns=0, tokens=0)) as worker:
        conversation = await worker.engine.open("talk")
        await conversation.write(GoalSet(objective="Win."))
        await conversation.go_on()
        async with asyncio.timeout(300):
            await spoken.wait()
        shown = [plain_text(each.parts) for each in worker.model.requests[-1].messages]
        await conversation.halt(paused(conversation.state, by=PERSON))
        log = await log_of(conversation)
    heard = [text for text in shown if text.startswith("message ")]
    kept = [plain_text(e.parts) for e in log if isinstance(e, UserSaid) and e.source == PERSON]
    pauses = [each for each in log if isinstance(each, GoalStatusChanged) and each.status != "paused"]
    in_order = heard == said[: len(heard)] and len(heard) >= len(said) - 3
    return {"kept in order": kept == said, "shown in order": in_order, "paused by them": len(pauses)}


async def timers(number: int) -> Figures:
    """A year of daily and quarter-hour schedules in seven zones, with times when nothing ran."""
    wrong = slots = 0
    for zone in ZONES[:number]:
        for cron in ("30 2 * * *", "*/15 * * * *"):
            draw, start = Random(1), datetime(2026, 1, 1, tzinfo=UTC)
            schedule = ScheduleSet(text="x", due=next_of(cron, zone, start), cron=cron, zone=zone)
            named, at, end = set[datetime](), schedule.due, start + timedelta(days=365)
            while at < end:
                named.add(at)
                at = next_of(cron, zone, at)
            fired, due, now = list[datetime](), schedule.due, start
            while due < end:
                now = max(due, now) + timedelta(seconds=draw.choice((0, 0, 0, 0, 30, 7_200, 90_000)))
                fired.append(due)
                due = next_slot(schedule, now) or end
            slots += len(named)
            wrong += (len(fired) != len(set(fired))) + len(set(fired) - named) + (fired != sorted(fired))
    return {"wrong": wrong, "slots": slots}


async def kills(number: int) -> Figures:
    """A process that works on a goal, killed at each append and each effect."""
    doubled = lost = different = repeated = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = run(folder / "whole")
        places = [*({"append": n} for n in range(1, 24)), *({"effect": n} for n in range(1, 4))]
        chosen = places if number >= len(places) else Random(3).sample(places, number)
        for index, place in enumerate(chosen):
            cut = run(folder / str(index), **place)
            doubled, lost = doubled + cut.doubled, lost + cut.lost
            different += cut.state != whole.state
            repeated = max(repeated, cut.requests - whole.requests)
    return {"doubled": doubled, "lost": lost, "another end": different, "requests repeated": repeated}


def none(*names: str) -> Callable[[Figures], bool]:
    """Whether these figures are 0."""
    return lambda found: all(not found[name] for name in names)


TRIALS = (
    Trial(
        name="claims",
        what="false claims accepted, honest ones accepted",
        run=claims,
        whole=1_000,
        part=14,
        goal=lambda found: not found["false accepted"] and found["honest accepted"] >= 0.99,
    ),
    Trial(
        name="budget",
        what="overshoot of budgets, calls after the end",
        run=budget,
        whole=60,
        part=4,
        goal=lambda found: found["overshoot"] <= 0.05 and not found["calls after the end"],
    ),
    Trial(name="wait", what="calls in 24 h", run=wait, whole=5, part=1, goal=none("calls while waiting")),
    Trial(
        name="stalls",
        what="stalls caught within 5 goal steps, honest work stopped",
        run=stalls,
        whole=1,
        part=1,
        goal=lambda found: found["caught"] == 1 and not found["honest stopped"],
    ),
    Trial(
        name="stop",
        what="effects after a stop, ms until it is answered",
        run=stop,
        whole=120,
        part=12,
        goal=lambda found: not found["effects after the answer"] and found["slowest ms"] <= 200,
    ),
    Trial(
        name="messages",
        what="messages kept and shown in order",
        run=messages,
        whole=200,
        part=20,
        goal=lambda found: bool(found["kept in order"] and found["shown in order"]) and not found["paused by them"],
    ),
    Trial(name="timers", what="slots that are wrong", run=timers, whole=7, part=1, goal=none("wrong")),
    Trial(
        name="kills",
        what="effects doubled and lost by kill -9",
        run=kills,
        whole=26,
        part=2,
        goal=lambda found: none("doubled", "lost", "another end")(found) and found["requests repeated"] <= 1,
    ),
)
"""Every figure of `make goals`."""
