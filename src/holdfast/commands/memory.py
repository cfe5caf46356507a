"""`memory`, `remember`, `forget`: what is remembered, where it comes from, and how it is corrected."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import UTC

from msgspec.structs import replace

from holdfast.agent.redact import redacted
from holdfast.commands.answers import Answers, Column, Confirm, Data, Fact, Facts, Note, PlainLines, Prose, Table
from holdfast.commands.consolidate import consolidate, day_of
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import ago, count
from holdfast.errors import BadInput, NotThere
from holdfast.memory import forget as forgetting
from holdfast.memory.core_text import HEADINGS
from holdfast.memory.notebook import Notebook, Remembered
from holdfast.memory.own_words import OwnWords
from holdfast.records.entries import Described, UserSaid
from holdfast.session.facts import PERSON, MemoryFact, Scope, ScopeFacts, scope_named
from holdfast.session.store import Store

REFUSED = 5
"""So many of the newest refusals are shown."""
_SAID = {"add": "Remembered", "confirm": "Known already", "replace": "Remembered instead", "retract": "No longer so"}


async def memory(given: Inputs, context: CommandContext) -> Answers:
    """Show what is remembered, or change it."""
    what = " ".join(given.texts("what"))
    action = given.text("action") or "show"
    if action == "consolidate":
        return await consolidate(given, context, what)
    return await _ACTIONS[action](given, context, what)


async def remember(given: Inputs, context: ConversationContext) -> Answers:
    """Remember a fact; no model is asked."""
    return await _remember(given, context, given.text("text"))


async def forget(given: Inputs, context: CommandContext) -> Answers:
    """Forget a fact, or some words."""
    return await _forget(given, context, given.text("text"))


def scope_of(given: Inputs, context: CommandContext) -> Scope:
    """Whose memory is meant: in a conversation that of its owner. Raises `BadInput` for no scope."""
    if isinstance(context, ConversationContext):
        return Scope(owner=context.conversation.state.owner)
    name = given.text("scope") or PERSON
    scope = scope_named(name)
    if scope is None:
        raise BadInput(f"There is no scope {name!r}.", hint="Give `me`, or `of:` and the owner of the sessions.")
    return scope


async def _notebook(given: Inputs, context: CommandContext) -> Notebook:
    scope = scope_of(given, context)
    if isinstance(context, ConversationContext) and context.agent.engine.setup.memory is not None:
        return context.agent.engine.setup.memory.notebook(scope)
    return Notebook(await context.opened(), scope, lambda text: redacted(text)[1] > 0)


async def _show(given: Inputs, context: CommandContext, _: str) -> Answers:
    facts = await (await _notebook(given, context)).facts()
    rows = tuple(
        (fact.id, HEADINGS[fact.section], ago(fact.confirmed, context.now()), fact.text)
        for section in HEADINGS
        for fact in facts.current
        if fact.section == section
    )
    columns = (Column(name="Fact"), Column(name="About"), Column(name="Said"), Column(name=""))
    shown: Answers = (Note(text="Nothing is remembered yet."),)
    if rows:
        why = "/memory why FACT" if given.in_chat else "holdfast memory why FACT"
        shown = (Table(columns=columns, rows=rows, note=f"`{why}` shows where one comes from."),)
    return (*shown, *_state(facts, context), Data(value=facts))


def _state(facts: ScopeFacts, context: CommandContext) -> Answers:
    """What was done today, how finding facts is going, and what it cost."""
    today = context.now().astimezone(UTC).date()
    lines = [Fact(name="today", value=day.text) for day in facts.days if day.at.date() == today]
    if facts.used_on(today):
        bound = context.settings.memory.tokens_per_day
        lines.append(Fact(name="used today", value=f"{facts.used_on(today):,} of {bound:,} tokens"))
    lines += [
        Fact(name="not accepted", value=f"{each.refused.text or 'a fact'}: {each.refused.why}")
        for each in facts.refusals[-REFUSED:]
    ]
    lines += [Fact(name="state", value=_why_not(context))]
    return (Facts(title="Finding facts", facts=tuple(lines)),)


def _why_not(context: CommandContext) -> str:
    """How finding facts is going, in words."""
    if not context.settings.memory.enabled:
        return "switched off (`memory.enabled` in the settings)"
    if not isinstance(context, ConversationContext):
        return "facts are found while you talk, behind the turns"
    memory = context.agent.engine.setup.memory
    if memory is None:
        return "switched off"
    if not context.conversation.state.memory:
        return "this conversation is left out; `/memory on` takes it in again"
    if memory.off:
        return memory.off
    failure = memory.background.failure
    if failure is not None:
        return f"does not work since {failure.since:%Y-%m-%d %H:%M} UTC: {failure.why}"
    if context.conversation.state.shown is None:
        return "no model finds facts here yet; the built-in demo model does not. `/remember` works all the same"
    return "under way" if memory.background.busy else "up to date, as far as enough was said"


async def _why(given: Inputs, context: CommandContext, name: str) -> Answers:
    if not name:
        raise given.refuse("Which fact?", hint="`holdfast memory` lists the facts with their ids.")
    book = await _notebook(given, context)
    fact, known = await book.named(name), await book.facts()
    chain = [*reversed(_before(fact, known)), fact, *_after(fact, known)]
    lines = [Fact(name="fact", value=fact.text), Fact(name="quote", value=f"“{fact.quote}”")]
    where = f"{fact.key} @{fact.at[0]}" if fact.at else f"{fact.key} @{fact.pos}"
    lines += [
        Fact(name="said", value=f"{fact.said:%Y-%m-%d %H:%M} UTC, in {where}"),
        Fact(name="confirmed", value=f"{count(fact.times, 'time')}, last {fact.confirmed:%Y-%m-%d}"),
        Fact(name="made", value=fact.made),
    ]
    if fact.until is not None:
        lines.append(Fact(name="until", value=f"{fact.until:%Y-%m-%d %H:%M} UTC"))
    history = tuple((each.id, f"{each.said:%Y-%m-%d}", each.text) for each in chain)
    answers: Answers = (Facts(title=fact.id, facts=tuple(lines)),)
    if len(history) > 1:
        columns = (Column(name="Fact"), Column(name="Said"), Column(name=""))
        answers = (*answers, Table(title="History", columns=columns, rows=history))
    return (*answers, Data(value={"fact": fact, "history": chain}))


def _before(fact: MemoryFact, known: ScopeFacts) -> list[MemoryFact]:
    """What a fact took the place of, newest first."""
    found, wanted = list[MemoryFact](), fact.id
    for each in reversed(known.facts):
        if each.successor == wanted:
            found.append(each)
            wanted = each.id
    return found


def _after(fact: MemoryFact, known: ScopeFacts) -> list[MemoryFact]:
    """What took its place, oldest first."""
    found, wanted = list[MemoryFact](), fact.successor
    by_id = {each.id: each for each in known.facts}
    while wanted is not None and wanted in by_id:
        found.append(by_id[wanted])
        wanted = by_id[wanted].successor
    return found


async def _remember(given: Inputs, context: CommandContext, text: str) -> Answers:
    if not text.strip():
        raise given.refuse("There is nothing to remember.", hint="Write one sentence behind it.")
    return _told(await (await _notebook(given, context)).remember(text))


def _told(done: Remembered) -> Answers:
    return (Prose(markdown=f"{_SAID[done.operation]}: {done.text} ({done.fact})"), Data(value=done))


async def _undo(given: Inputs, context: CommandContext, _: str) -> Answers:
    gone = await (await _notebook(given, context)).undo()
    return (Prose(markdown=f"Taken back: {' '.join(fact.text for fact in gone)}"), Data(value=gone))


async def _switch(given: Inputs, context: CommandContext, _: str) -> Answers:
    if not isinstance(context, ConversationContext):
        raise given.refuse("That is for a conversation; `memory.enabled` in the settings is for all of them.")
    wanted = given.text("action") == "on"
    await context.conversation.describe(Described(memory=wanted))
    said = (
        "takes part in memory" if wanted else "is left out: nothing is remembered from it, and nothing is shown in it"
    )
    return (Prose(markdown=f"This conversation {said}."), Data(value={"memory": wanted}))


async def _forget(given: Inputs, context: CommandContext, text: str) -> Answers:
    store, scope = await context.opened(), scope_of(given, context)
    matches = await _matches(given, store, scope, text)
    if not matches.total:
        raise NotThere(f"Nothing that is remembered or was said has {text!r}.", hint=await _near(store, scope, text))
    if not given.flag("yes"):
        return (Confirm(question=f"Forget {_counts(matches)}? {_some(matches)}".strip(), then=given.again("--yes")),)

    async def describe(key: str, described: Described) -> None:
        async with context.held(key, "forgetting") as session:
            await session.describe(described)

    _, open_elsewhere = await forgetting.forget(store, scope, matches, describe)
    left = [f"{key} could not be read, so it was not looked at." for key in matches.unread]
    left += [f"{key} is open elsewhere, so its title stays: close it, and forget again." for key in open_elsewhere]
    notes = tuple(Note(text=each) for each in left)
    matches = replace(matches, titles=tuple(key for key in matches.titles if key not in open_elsewhere))
    kept = "The log keeps the words; a provider's logs, backups and files you exported cannot be reached from here."
    return (Prose(markdown=f"Forgotten: {_counts(matches)}."), Note(text=kept), *notes, Data(value=_numbers(matches)))


async def _matches(given: Inputs, store: Store, scope: Scope, text: str) -> forgetting.Matches:
    if given.text("session"):
        return await forgetting.matching_session(store, scope, given.text("session"))
    if given.text("before"):
        return await forgetting.matching_before(store, scope, day_of(given, given.text("before")))
    if not text.strip():
        raise given.refuse("What is to be forgotten?", hint="Give words, a fact's id, --session KEY or --before DATE.")
    for fact in (await store.memory(scope)).facts:
        if fact.id.lower() == text.strip().lower():
            return await forgetting.matching_fact(store, scope, fact)
    return await forgetting.matching(store, scope, text)


async def _near(store: Store, scope: Scope, text: str) -> str:
    from difflib import get_close_matches

    texts = [fact.text for fact in (await store.memory(scope)).current]
    near = get_close_matches(text, texts, n=2, cutoff=0.3)
    return f"Near to it: {' '.join(near)}" if near else "`holdfast memory` lists the facts."


def _numbers(matches: forgetting.Matches) -> dict[str, int]:
    return {
        "facts": len(matches.facts),
        "day lines": len(matches.days),
        "summaries": len(matches.summaries),
        "titles": len(matches.titles),
        "passages": len(matches.passages),
    }


def _counts(matches: forgetting.Matches) -> str:
    named = {"facts": "fact", "day lines": "day line", "summaries": "summary", "titles": "title", "passages": "passage"}
    return ", ".join(count(number, named[kind]) for kind, number in _numbers(matches).items() if number)


def _some(matches: forgetting.Matches) -> str:
    texts = [fact.text for fact in matches.facts[:3]]
    return f"Among them: {' '.join(texts)}" if texts else ""


async def _check(given: Inputs, context: CommandContext, _: str) -> Answers:
    """Read every quote again, where it was said."""
    store = await context.opened()
    facts = (await (await _notebook(given, context)).facts()).facts
    wrong = [fact for fact in facts if fact.made == "consolidated" and not await _stands(store, fact)]
    rows = tuple((fact.id, fact.text) for fact in wrong)
    good = f"{count(len(facts), 'fact')}: every quote stands where it was said."
    shown: Answers = (Prose(markdown=good),)
    if wrong:
        columns = (Column(name="Fact"), Column(name=""))
        shown = (Table(title="The quote does not stand where it was said", columns=columns, rows=rows),)
    return (*shown, Data(value=wrong, outcome="problem" if wrong else "good"))


async def _stands(store: Store, fact: MemoryFact) -> bool:
    if not await store.exists(fact.key):
        return False
    for pos in fact.at:
        async for record in store.read(fact.key, start=pos, stop=pos + 1):
            if isinstance(record.entry, UserSaid) and not OwnWords(record.entry).state(fact.quote):
                return True
    return False


async def _rebuild(given: Inputs, context: CommandContext, _: str) -> Answers:
    store = await context.opened()
    async for progress in store.reindex():
        context.progress(progress)
    facts = await (await _notebook(given, context)).facts()
    return (Prose(markdown=f"Folded anew: {count(len(facts.current), 'fact')}."), Data(value=facts))


def as_lines(facts: ScopeFacts) -> Sequence[str]:
    """What is remembered as a text that a person can edit: sections, one line a fact with its id."""
    lines = ["# What is remembered", ""]
    for section, heading in HEADINGS.items():
        here = [fact for fact in facts.current if fact.section == section]
        lines += [f"## {heading}", "", *(f"- [{fact.id}] {fact.text}" for fact in here), ""] if here else []
    return lines


async def _export(given: Inputs, context: CommandContext, _: str) -> Answers:
    facts = await (await _notebook(given, context)).facts()
    return (PlainLines(lines=tuple(as_lines(facts))), Data(value=facts))


async def _retract(given: Inputs, context: CommandContext, name: str) -> Answers:
    book = await _notebook(given, context)
    return _told(await book.retract(await book.named(name)))


_ACTIONS: Mapping[str, Callable[[Inputs, CommandContext, str], Coroutine[object, object, Answers]]] = {
    "show": _show,
    "why": _why,
    "history": _why,
    "remember": _remember,
    "retract": _retract,
    "undo": _undo,
    "forget": _forget,
    "on": _switch,
    "off": _switch,
    "export": _export,
    "check": _check,
    "rebuild": _rebuild,
}
