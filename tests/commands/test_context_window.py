"""What the model sees, and what it cost."""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from holdfast.commands.answers import Bar, Facts, Plot, Prose, Table
from holdfast.commands.context import ConversationContext
from holdfast.commands.usage import money, spent
from holdfast.context.compact.summary import Sections
from holdfast.records.entries import ModelReplied, TurnEnded, UserSaid
from holdfast.records.parts import Text, Usage
from tests.commands.conversations import Room, room

LONG = "The tide comes and goes, and comes again. " * 60


async def test_the_window_is_a_bar_of_what_fills_it(tmp_path: Path) -> None:
    """
    Its parts add up to what the model can take, and the title says how full it is.
    """
    async with room(tmp_path, "By the sea.") as here:
        await here.say("Where is the harbour?")
        bar = await here.one("/context", Bar)
        amounts = {each.name: each.amount for each in bar.pieces}

        assert 200_000 == sum(amounts.values())
        assert all(amounts[name] > 0 for name in ("system text", "tools", "what was said", "room for the reply"))
        assert ["free"] == [each.name for each in bar.pieces if each.free]
        assert f"of {200_000:,} tokens (2 %)" in bar.title
        assert "" == bar.note


async def test_a_full_window_says_how_to_make_room(tmp_path: Path) -> None:
    """
    Before it is too late.
    """
    async with room(tmp_path, config="[context]\ntokens = 2800\noutput = 256\n") as here:
        assert "/compact" in (await here.one("/context", Bar)).note


async def test_compacting_says_what_it_did_and_can_be_undone(tmp_path: Path) -> None:
    """
    How many tokens there were and are; where there is nothing to do, why.
    """
    summary = {"say": Sections(goal="To know the tides.").text(), "when": "Goal"}
    async with room(tmp_path, *[f"{number}: {LONG}" for number in range(8)], summary) as here:
        assert "Nothing was compacted." in (await here.one("/compact", Prose)).markdown
        await here.say(*(f"Tell me of tide {number}." for number in range(8)))
        done = await here.one("/compact the tides", Prose)
        assert "summarized" in done.markdown
        assert "tokens before" in done.markdown
        assert "taken back" in (await here.one("/compact undo", Prose)).markdown

        assert "no compaction to take back" in (await here.one("/compact undo", Prose)).markdown


async def turns(here: Room, *used: Usage) -> None:
    """Turns that used so much, without a model."""
    for each in used:
        await here.context.session.append(
            UserSaid(parts=(Text(text="go"),)),
            ModelReplied(parts=(Text(text="gone"),), usage=each),
            TurnEnded(usage=each, milliseconds=1_500, why="limit" if each.cost_micros else "answered"),
        )


async def test_usage_is_told_by_turn(tmp_path: Path) -> None:
    """
    What each used, took and cost, and how it ended where that was not with an answer; the sum counts nothing twice.
    """
    async with room(tmp_path) as here:
        await turns(here, Usage(input_tokens=1_000, output_tokens=20), Usage(input_tokens=2_000, cost_micros=12_000))
        facts, table = await here.typed("/usage")

        assert isinstance(facts, Facts)
        assert "3,000 tokens in, 20 out, $0.01" == facts.facts[0].value
        assert isinstance(table, Table)
        assert [("1,000", "20", "1.5 s", "", ""), ("2,000", "0", "1.5 s", "$0.01", "limit")] == [
            row[1:] for row in table.rows
        ]


def _same(at: datetime) -> datetime:
    return at


async def test_usage_of_several_days_is_plotted(tmp_path: Path) -> None:
    """
    Up to today, with days on which nothing was used; what was used long ago is left out of the plot.
    """
    async with room(tmp_path) as here:
        await turns(here, Usage(input_tokens=1_000, output_tokens=20))
        for days, expected in ((1, 2), (3, 4), (29, 30), (90, 30)):
            later = datetime.now(UTC) + timedelta(days=days)
            context = ConversationContext(
                agent=here.agent, conversation=here.context.conversation, now=partial(_same, later)
            )
            plot = (await Room(here.agent, context).typed("/usage"))[-1]
            assert isinstance(plot, Plot)
            assert expected == len(plot.points)
            assert (1_020 if days < 30 else 0) == max(each.amount for each in plot.points)


async def test_nothing_used_is_said(tmp_path: Path) -> None:
    """
    A conversation without a turn has nothing else to tell.
    """
    async with room(tmp_path) as here:
        assert "no tokens yet" in await here.text("/usage")


def test_money_is_as_exact_as_it_matters() -> None:
    """
    Fractions of a cent are told; a price that is not known is none.
    """
    assert ["", "$0.0001", "$0.0099", "$0.01", "$1,234.50"] == [
        money(micros) for micros in (0, 100, 9_900, 10_000, 1_234_500_000)
    ]
    cached = Usage(input_tokens=10, cached_tokens=8, output_tokens=1)
    assert "10 tokens in (8 from the cache), 1 out" == spent(cached)
