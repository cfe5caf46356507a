"""`/usage`: tokens and cost, by turn and by day."""

from collections import deque
from datetime import date, datetime, timedelta

from holdfast.commands.answers import Answers, Column, Fact, Facts, Plot, PlotPoint, Table
from holdfast.commands.context import ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import clock
from holdfast.model.prices import AS_OF
from holdfast.records.entries import TurnEnded, usage_of
from holdfast.records.parts import Usage

TURNS = 10
"""How many of the last turns are listed."""
DAYS = 30
_CENT = 10_000
_DOLLAR = 1_000_000


async def usage(_: Inputs, context: ConversationContext) -> Answers:
    """Add up what this conversation used."""
    turns: deque[tuple[datetime, TurnEnded]] = deque(maxlen=TURNS)
    days: dict[date, Usage] = {}
    async for record in context.session.read():
        entry = record.entry
        if isinstance(entry, TurnEnded):
            turns.append((record.at, entry))
        elif (used := usage_of(entry)) is not None:
            day = record.at.astimezone().date()
            days[day] = days.get(day, Usage()).plus(used)
    total = context.conversation.state.usage
    today = context.now().astimezone().date()
    answers: Answers = (_total(total, days.get(today)),)
    if turns:
        answers = (*answers, _by_turn(list(turns)))
    # One day is no plot, and its numbers were said.
    return (*answers, _plot(days, today)) if any(day < today for day in days) else answers


def _total(total: Usage, today: Usage | None) -> Facts:
    facts = [Fact(name="in all", value=spent(total))]
    if today is not None:
        facts.append(Fact(name="today", value=spent(today)))
    if total.cost_micros:
        facts.append(Fact(name="cost", value=f"{money(total.cost_micros)}, at the prices of {AS_OF}"))
    elif total.input_tokens:
        facts.append(Fact(name="cost", value="no price is known for this model, or it is free"))
    return Facts(title="This conversation used", facts=tuple(facts))


def _by_turn(turns: list[tuple[datetime, TurnEnded]]) -> Table:
    rows, before = [], None
    for at, ended in turns:
        used = ended.usage or Usage()
        why = "" if ended.why == "answered" else ended.why
        numbers = f"{used.input_tokens:,}", f"{used.output_tokens:,}", f"{ended.milliseconds / 1000:.1f} s"
        rows.append((clock(at, before), *numbers, money(used.cost_micros), why))
        before = at
    return Table(
        title="The last turns",
        columns=(
            Column(name="Ended"),
            Column(name="In", right=True),
            Column(name="Out", right=True),
            Column(name="Took", right=True),
            Column(name="Cost", right=True),
            Column(name=""),
        ),
        rows=tuple(rows),
    )


def _plot(days: dict[date, Usage], today: date) -> Plot:
    first = max(min(days), today - timedelta(days=DAYS - 1))
    shown = [first + timedelta(days=each) for each in range(max(1, (today - first).days + 1))]
    points = tuple(PlotPoint(label=f"{day:%m-%d}", amount=_tokens(days.get(day))) for day in shown)
    return Plot(title="By day", unit="tokens", points=points)


def _tokens(used: Usage | None) -> int:
    return 0 if used is None else used.input_tokens + used.output_tokens


def spent(usage: Usage) -> str:
    """What was used, for a person: `12,345 tokens in (8,000 from the cache), 678 out, $0.04`."""
    if not (usage.input_tokens or usage.output_tokens):
        return "no tokens yet"
    shares = (("from the cache", usage.cached_tokens), ("written to it", usage.cache_write_tokens))
    cached = ", ".join(f"{tokens:,} {where}" for where, tokens in shares if tokens)
    cached = f" ({cached})" if cached else ""
    thought = f" ({usage.reasoning_tokens:,} of it thinking)" if usage.reasoning_tokens else ""
    price = f", {money(usage.cost_micros)}" if usage.cost_micros else ""
    return f"{usage.input_tokens:,} tokens in{cached}, {usage.output_tokens:,} out{thought}{price}"


def money(micros: int) -> str:
    """Millionths of a dollar, as exact as it matters; '' for nothing, which is a price that is not known."""
    if not micros:
        return ""
    return f"${micros / _DOLLAR:.4f}" if micros < _CENT else f"${micros / _DOLLAR:,.2f}"
