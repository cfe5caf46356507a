"""Schedules: each slot once, whatever was down meanwhile; words for when and how often."""

from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest

from holdfast import ManualClock, open_volatile
from holdfast.clock import at_time
from holdfast.engine.wake import TIMER
from holdfast.errors import BadInput, NotThere
from holdfast.goals.said_schedules import looped, reminded
from holdfast.goals.schedules import MOST, alive, changed, checked, how_often, local_zone, numbered
from holdfast.goals.slots import next_of, next_slot, zone_of
from holdfast.ids import Position
from holdfast.records.entries import Entry, Rewound, ScheduleFired, ScheduleSet, ToolFinished, UserSaid
from holdfast.records.parts import Text, plain_text
from holdfast.session.schedules import Schedule
from holdfast.session.state import SessionState
from holdfast.times.intervals import every_in, when_in
from tests.agent.troupe import calling
from tests.goals.work import PERSON, Worker, log_of, quiet

NOW = at_time(ManualClock().now_ns())
ZONES = (
    "UTC",
    "Europe/Prague",
    "America/New_York",
    "Asia/Tokyo",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "Asia/Kolkata",
)


def year_of(cron: str, zone: str, seed: int) -> tuple[list[datetime], list[ScheduleFired]]:
    """A year of a schedule under a clock that stands still now and then: the slots, and what fired."""
    draw, start = Random(seed), datetime(2026, 1, 1, tzinfo=UTC)
    schedule = ScheduleSet(text="x", due=next_of(cron, zone, start), cron=cron, zone=zone)
    slots, at = [], schedule.due
    while at.year == 2026:
        slots.append(at)
        at = next_of(cron, zone, at)
    fired, due, now = list[ScheduleFired](), schedule.due, start
    while due.year == 2026:
        now = max(due, now) + timedelta(seconds=draw.choice((0, 0, 0, 30, 7_200, 200_000)))
        following = next_slot(schedule, now)
        assert following is not None
        fired.append(ScheduleFired(schedule=Position(1), slot=due, late=round((now - due).total_seconds())))
        due = following
    return slots, fired


@pytest.mark.parametrize("zone", ZONES)
def test_a_year_of_daily_slots_is_right_in_every_zone(zone: str) -> None:
    """
    One slot each day, also when the clock is changed; each fires once, none early, and once after a time of nothing.
    """
    slots, fired = year_of("30 2 * * *", zone, seed=1)

    days = [each.astimezone(ZoneInfo(zone)).date() for each in slots]
    assert len(days) == len(set(days)) >= 364
    named = [each.slot for each in fired]
    assert named == sorted(set(named))
    assert set(named) <= set(slots)
    assert all(each.late >= 0 for each in fired)


def test_quarter_hours_are_exact() -> None:
    """
    96 a day, every 15 minutes of real time.
    """
    at = datetime(2026, 3, 28, tzinfo=UTC)
    for _ in range(200):
        following = next_of("*/15 * * * *", "Europe/Prague", at)
        assert timedelta(minutes=15) == following - at
        at = following


async def test_a_slot_fires_once_and_late_once() -> None:
    """
    What it says stands in one append with it; after a time when nothing ran it comes once, and says how late.
    """
    async with Worker("One.", "Two.") as worker:
        conversation = await worker.engine.open("talk")
        await conversation.write(ScheduleSet(text="Look.", due=NOW + timedelta(hours=1), every=3_600))
        assert not await worker.engine.wake("talk")
        worker.clock.advance(3_600)
        assert await worker.engine.wake("talk")
        assert not await worker.engine.wake("talk")
        await quiet(conversation)
        worker.clock.advance(5 * 3_600 + 1_200)
        assert await worker.engine.wake("talk")
        assert not await worker.engine.wake("talk")
        await quiet(conversation)
        log = await log_of(conversation)
        (schedule,) = alive(conversation.state)

    said = [plain_text(each.parts) for each in log if isinstance(each, UserSaid)]
    assert "Look." == said[0]
    assert said[1].endswith("4:20:00 ago.]\nLook.")
    assert 2 == len(said)
    fired = [each for each in log if isinstance(each, ScheduleFired)]
    assert [0, 4 * 3_600 + 1_200] == [each.late for each in fired]
    assert (NOW + timedelta(hours=7), 2) == (schedule.next, schedule.fired)


async def test_a_slot_that_comes_while_a_turn_runs_is_skipped() -> None:
    """
    A reminder is not: it is answered after the turn.
    """

    async def slow(text: str, _: object) -> str:
        worker.clock.advance(7_200)
        await worker.engine.wake("talk")
        return text

    script = (calling(("work", '{"text":"a"}')), "Done.", "Reminded.")
    async with Worker(*script, does=slow) as worker:
        conversation = await worker.engine.open("talk")
        await conversation.write(
            ScheduleSet(text="Loop.", due=NOW + timedelta(hours=1), every=3_600),
            ScheduleSet(text="Once.", due=NOW + timedelta(hours=1)),
        )
        await conversation.send("Go.", source=PERSON)
        await quiet(conversation)
        log = await log_of(conversation)

    assert ["skipped", "said"] == [each.outcome for each in log if isinstance(each, ScheduleFired)]
    assert any("Once." in plain_text(each.parts) for each in log if isinstance(each, UserSaid))
    assert not any("Loop." in plain_text(each.parts) for each in log if isinstance(each, UserSaid))


async def test_what_is_deleted_paused_expired_or_left_behind_fires_no_more() -> None:
    """
    Resuming takes the next slot, never a past one.
    """
    async with Worker() as worker:
        conversation = await worker.engine.open("talk")
        loop = ScheduleSet(text="a", due=NOW + timedelta(hours=1), every=3_600, until=NOW + timedelta(hours=2))
        await conversation.write(loop, loop, loop)
        now = NOW + timedelta(hours=9)
        await conversation.write(changed(numbered(conversation.state, 1), "delete", now, by=PERSON))
        await conversation.write(changed(numbered(conversation.state, 1), "pause", now, by=PERSON))
        worker.clock.advance(9 * 3_600)
        assert await worker.engine.wake("talk")
        await quiet(conversation)
        (paused,) = alive(conversation.state)
        assert "paused" == paused.status
        assert "expired" == changed(paused, "resume", now, by=PERSON).status
        await conversation.write(Rewound(to=Position(0)))
        assert [] == alive(conversation.state)
        log = await log_of(conversation)

    assert [] == [each for each in log if isinstance(each, UserSaid)]


def test_resuming_takes_the_next_slot() -> None:
    """
    Not those that passed while it was paused.
    """
    paused = Schedule(pos=Position(1), text="a", status="paused", every=3_600, next=None)
    resumed = changed(paused, "resume", NOW, by=None)

    assert ("active", NOW + timedelta(hours=1)) == (resumed.status, resumed.next)


async def test_a_reminder_that_was_paused_and_resumed_before_its_time_comes() -> None:
    """
    Its time is kept while it is paused; one that passed meanwhile is over.
    """
    async with Worker() as worker:
        conversation = await worker.engine.open("talk")
        due = NOW + timedelta(hours=5)
        await conversation.write(ScheduleSet(text="a", due=due))
        await conversation.write(changed(numbered(conversation.state, 1), "pause", NOW, by=PERSON))
        assert () == conversation.state.wakes
        (paused,) = alive(conversation.state)

    early = changed(paused, "resume", NOW + timedelta(hours=1), by=PERSON)
    late = changed(paused, "resume", NOW + timedelta(hours=6), by=PERSON)
    assert [("active", due), ("expired", None)] == [(each.status, each.next) for each in (early, late)]


async def test_the_agent_makes_one_only_where_a_person_asked() -> None:
    """
    With times as ISO 8601 and a zone; its own expire.
    """
    good = calling(("schedule", '{"text":"x","every_seconds":3600}'))
    bad = [
        calling(("schedule", f'{{"text":"x",{more}}}'))
        for more in (
            '"at":"2020-01-01T00:00:00Z"',
            '"at":"2026-11-21T09:00:00"',
            '"at":"soon"',
            '"every_seconds":5',
            '"cron":"* * * * *","zone":"Mars/Base"',
            '"cron":"99 * * * *"',
            '"text":"y"',
        )
    ]
    async with Worker(good, *bad, "Done.", good, "No.") as worker:
        conversation = await worker.engine.open("talk")
        await conversation.send("Every hour.", source=PERSON)
        await quiet(conversation)
        assert await conversation.wake(_said_by_a_timer)
        await quiet(conversation)
        log = await log_of(conversation)
        (made,) = alive(conversation.state)

    results = [each for each in log if isinstance(each, ToolFinished)]
    assert ["ok", *["error"] * 7, "error"] == [each.outcome for each in results]
    assert "no person began" in plain_text(results[-1].parts)
    assert (3_600, NOW + timedelta(days=30), True) == (made.every, made.until, made.by_agent)


async def _said_by_a_timer(_: object) -> list[Entry]:
    return [UserSaid(parts=(Text(text="Tick."),), source=TIMER)]


@pytest.mark.parametrize(
    ("words", "seconds", "cron", "rest"),
    [
        ("30m Look", 1_800, "", "Look"),
        ("every 2 hours Look", 7_200, "", "Look"),
        ("every hour Look", 3_600, "", "Look"),
        ("2h30m Look", 9_000, "", "Look"),
        ("daily at 9:05 Look", 0, "5 9 * * *", "Look"),
        ("every weekday at 8:30am Look", 0, "30 8 * * 1-5", "Look"),
        ("every sunday at 12pm Look", 0, "0 12 * * 0", "Look"),
        ("weekly Look", 0, "0 9 * * 1", "Look"),
        ("每隔30分钟 看看", 1_800, "", "看看"),
        ("每天9点 看看", 0, "0 9 * * *", "看看"),
        ("毎日9時 見る", 0, "0 9 * * *", "見る"),
        ("30分ごとに 見る", 1_800, "", "見る"),
    ],
)
def test_how_often_in_words(words: str, seconds: int, cron: str, rest: str) -> None:
    """
    In English, Chinese and Japanese.
    """
    found = every_in(words)

    assert found is not None
    assert (seconds, cron, rest) == (found.seconds, found.cron, found.rest)


@pytest.mark.parametrize(
    ("words", "at", "rest"),
    [
        ("in 20m Tea", "2026-11-16 00:20", "Tea"),
        ("in an hour Tea", "2026-11-16 01:00", "Tea"),
        ("tomorrow 9:00 Tea", "2026-11-17 09:00", "Tea"),
        ("at 17:30 Tea", "2026-11-16 17:30", "Tea"),
        ("2026-11-20T08:00 Tea", "2026-11-20 08:00", "Tea"),
        ("明天9点 开会", "2026-11-17 09:00", "开会"),
        ("30分钟后 喝水", "2026-11-16 00:30", "喝水"),
    ],
)
def test_when_in_words(words: str, at: str, rest: str) -> None:
    """
    The next time that it can be.
    """
    found = when_in(words, NOW.replace(tzinfo=None))

    assert found is not None
    assert (at, rest) == (f"{found.at:%Y-%m-%d %H:%M}", found.rest)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (looped, "soon Look"),
        (looped, "5s Look"),
        (looped, "30m"),
        (looped, "daily at 27:00 Look"),
        (looped, f"30m {'x' * 5_000}"),
        (reminded, "soon Look"),
        (reminded, "yesterday Look"),
        (reminded, "2020-01-01 Look"),
        (reminded, "in 20m"),
    ],
)
def test_what_is_not_known_is_refused(make: object, words: str) -> None:
    """
    With what to write instead; nothing is guessed.
    """
    with pytest.raises(BadInput):
        make(words, NOW, "UTC", by=None)  # type: ignore[operator]


def test_what_cannot_be_is_refused() -> None:
    """
    A zone that is not known, a cron line that never comes or comes too often, one schedule too many.
    """
    for made in (
        ScheduleSet(text="a", due=NOW + timedelta(hours=1), zone="Mars/Base"),
        ScheduleSet(text="a", due=NOW + timedelta(hours=1), every=5),
        ScheduleSet(text="a", due=NOW),
        ScheduleSet(text="a", due=NOW + timedelta(hours=1), cron="nonsense"),
    ):
        with pytest.raises(BadInput):
            checked(made, SessionState(), NOW)
    with pytest.raises(NotThere):
        numbered(SessionState(), 1)
    with pytest.raises(BadInput):
        zone_of("Mars/Base")


async def test_a_session_has_a_bound_of_schedules() -> None:
    """
    So no agent and no script fills it.
    """
    made = ScheduleSet(text="a", due=NOW + timedelta(hours=1))
    async with open_volatile().session("talk") as session:
        await session.append(*[made] * MOST)
        with pytest.raises(BadInput):
            checked(made, session.state, NOW)


def test_the_zone_of_the_person() -> None:
    """
    From TZ; what is not known is UTC.
    """
    assert "Asia/Tokyo" == local_zone({"TZ": ":Asia/Tokyo"})
    assert "UTC" == local_zone({"TZ": "Mars/Base"})


def test_how_often_is_said_in_words() -> None:
    """
    In the largest unit that fits.
    """

    def often(every: int, cron: str = "") -> str:
        return how_often(Schedule(pos=Position(1), text="a", every=every, cron=cron))

    assert ["once", "every day", "every 2 hours", "every 90 minutes", "every 61 seconds"] == [
        often(each) for each in (0, 86_400, 7_200, 5_400, 61)
    ]
    assert "cron 0 9 * * * (UTC)" == often(0, "0 9 * * *")
