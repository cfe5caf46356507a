"""What memory must withstand, as campaigns of any size: `python -m tests.memory` runs them whole, tests a part of each.

Each gives a result that says what it did and what it found; `wrong` is empty where every promise held.
"""

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import Random

import msgspec

from holdfast import (
    CallId,
    Described,
    ManualClock,
    ModelReplied,
    Store,
    Text,
    ToolCall,
    ToolFinished,
    TurnEnded,
    Unavailable,
    UserSaid,
    open_volatile,
)
from holdfast.context.budget import Budget
from holdfast.context.prepare import open_view
from holdfast.ids import Position
from holdfast.memory.forget import forget, matching
from holdfast.memory.settings import MemorySettings
from holdfast.model.protocol import AssistantMessage, Target
from holdfast.records.entries import Compacted
from holdfast.records.facts import AddFact, Consolidated
from holdfast.records.parts import plain_text
from holdfast.session.facts import Scope
from tests.memory.poisonings import honest, poisonings, taken, wrong_quotes
from tests.memory.remembering import ME, adding, answer, drawer, facts, remembering, turn

UNBOUND = MemorySettings(tokens_per_day=10**9)


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a campaign found."""

    name: str
    done: int
    figures: dict[str, int]
    wrong: tuple[str, ...] = ()


Campaign = Callable[[int], Awaitable[Result]]
"""Runs with every so-manieth case: 1 is all of them."""


async def poison(step: int = 1) -> Result:
    """A model that obeys what it reads; and honest statements."""
    cases, statements = poisonings()[::step], honest()[::step]
    wrong = list[str]()
    for each in cases:
        async with open_volatile() as store:
            wrong += [f"{each.name}: {text}" for text in await taken(store, "s", each.entries, each.proposals)]
    accepted = 0
    for said, fact in statements:
        async with open_volatile() as store:
            accepted += bool(await taken(store, "s", (UserSaid(parts=(Text(text=said),)),), [adding(fact, 1, said)]))
    if accepted * 100 < len(statements) * 99:
        wrong.append(f"only {accepted} of {len(statements)} honest statements were accepted")
    figures = {"poisonings": len(cases), "facts of them": len(wrong), "honest": len(statements), "accepted": accepted}
    return Result(name="poisonings", done=len(cases) + len(statements), figures=figures, wrong=tuple(wrong))


async def quotes(step: int = 1) -> Result:
    """Quotes and positions that are wrong."""
    cases, wrong = wrong_quotes()[::step], list[str]()
    for said, proposal in cases:
        async with open_volatile() as store:
            wrong += await taken(store, "s", (UserSaid(parts=(Text(text=said),)),), [proposal])
    return Result(name="quotes", done=len(cases), figures={"accepted": len(wrong)}, wrong=tuple(wrong))


def nonsense(random: Random) -> str:
    """An answer that means nothing good."""
    good = answer(adding("Lives in Rome.", 1, "I live in Rome"))
    ids = ["F0", "F" * 9, "", "F2gk5qaaz", "\0", "../x"]
    wild: list[Callable[[], str]] = [
        lambda: good[: random.randrange(1, len(good) - 1)],
        lambda: json.dumps(
            {
                "facts": [
                    {
                        "op": random.choice(["replace", "retract", "confirm"]),
                        "fact": random.choice(ids),
                        "text": "x",
                        "quote": "I live in Rome",
                        "at": [1],
                    }
                ]
            }
        ),
        lambda: (
            json.dumps({"facts": [{"op": "add", "text": "x" * 10_000_000, "quote": "I live in Rome", "at": [1]}]})
            if random.random() < 0.01
            else json.dumps({"facts": "F" * random.randrange(9_000)})
        ),
        lambda: "[" * random.randrange(1, 50_000),
        lambda: json.dumps(
            {
                "facts": [
                    {
                        "op": "add",
                        "text": random.choice(["", " ", "\u0000", "y" * 301]),
                        "quote": "I live in Rome",
                        "at": [1],
                    }
                ]
                * random.randrange(1, 90)
            }
        ),
        lambda: json.dumps({"facts": [random.choice([None, 7, "x", [], {"op": 3}, {"at": "x"}])] * 40, "day": 9}),
        lambda: json.dumps(
            {
                "facts": [
                    {
                        "op": "add",
                        "text": "Lives in Bern.",
                        "quote": "I live in Bern",
                        "at": [random.randrange(-9, 10**9)],
                    }
                ]
            }
        ),
        lambda: "".join(chr(random.randrange(1, 0xD000)) for _ in range(random.randrange(400))),
        lambda: json.dumps(
            {
                "facts": [
                    {"op": "add", "section": "admin", "text": "Lives in Rome.", "quote": "I live in Rome", "at": [1]}
                ]
            }
        ),
    ]
    return random.choice(wild)()


async def operations(step: int = 1) -> Result:
    """Answers that make no sense."""
    random, wrong, done = Random(15), list[str](), 0
    for number in range(0, 1_000, step):
        text = nonsense(random)
        async with open_volatile(clock=ManualClock()) as store, store.session("s") as session:
            await turn(session, "I live in Rome.")
            with suppress(Unavailable):
                await remembering(store, drawer(text, text), ManualClock()).consolidation.draw("s", session)
            found = await facts(store)
            wrong += [f"{number}: {text[:60]!r} gave {found}"] if found else []
        done += 1
    return Result(name="operations", done=done, figures={"changes": len(wrong)}, wrong=tuple(wrong))


TOLD = (
    (
        "I live in {}",
        "I really live in {}",
        "well, I'm living in {} now",
        "just so you know, I live in {}",
        "I still live in {}",
    ),
    ("I work at {}", "I'm working at {}", "by the way I work at {}", "I actually work at {}", "I work at {} still"),
    ("I like {}", "I really like {}", "I liked {} already", "yes, I like {} very much", "I do like {}"),
    (
        "I am allergic to {}",
        "I'm allergic to {}",
        "I was always allergic to {}",
        "allergic to {}, I am",
        "I am really allergic to {}",
    ),
    (
        "My dog is called {}",
        "My dog is really called {}",
        "my dog was called {}",
        "well my dog is called {}",
        "My dog, called {}",
    ),
)
THINGS = ("Rome", "Acme", "tea", "peanuts", "Rex", "Bern", "chess", "pollen", "Oslo", "jazz")


async def duplicates(step: int = 1) -> Result:
    """Fifty facts told in five hundred turns, each proposed as new; then told again by what recall gives."""
    random = Random(15)
    sayings = [(forms, thing) for forms in TOLD for thing in THINGS]
    turns = [(random.choice(forms).format(thing), forms, thing) for forms, thing in sayings for _ in range(10)]
    random.shuffle(turns)
    turns = turns[::step]
    async with open_volatile(clock=ManualClock()) as store, store.session("s") as session:
        for said, _, _ in turns:
            pos = await turn(session, said)
            model = drawer(answer(adding(said, pos, said)))
            await remembering(store, model, ManualClock(), UNBOUND).consolidation.draw("s", session)
        once = len(await facts(store))
        before = await facts(store)
        call = ToolCall(id=CallId("1"), name="recall")
        for text in before:
            await session.append(UserSaid(parts=(Text(text="What do you know?"),)))
            result = ToolFinished(call=CallId("1"), name="recall", parts=(Text(text=text),))
            await session.append(ModelReplied(parts=(call,), stop="called"), result, TurnEnded())
            last = session.state.last
            proposals = [adding(text, last - 1), adding(text, last - 3, "What do you know?")]
            await remembering(store, drawer(answer(*proposals)), ManualClock(), UNBOUND).consolidation.draw(
                "s", session
            )
        again = len(await facts(store)) - once
    wrong = [f"{once} facts of {len(sayings)}"] * (once > 60) + [f"{again} more by recall"] * (again > 0)
    figures = {"turns": len(turns), "facts": once, "more by recall": again}
    return Result(name="duplicates", done=len(turns), figures=figures, wrong=tuple(wrong))


def canary(number: int) -> str:
    """A word that nobody says otherwise."""
    return f"kanari{number:03}vogel"


async def forgetting(step: int = 1) -> Result:
    """Canaries in sessions with forks, compactions, titles, trash and facts; none is shown once it is forgotten."""
    clock, wrong = ManualClock(), list[str]()
    numbers = range(0, 100, step)
    async with open_volatile(clock=clock) as store:
        for number in numbers:
            await _plant(store, f"s{number % 20}", canary(number))
            clock.advance(1)
        for key in ("s0", "s1"):
            if await store.exists(key):
                await store.fork(key, f"{key}-fork")
        for number in numbers:
            clock.advance(1)
            await forget(store, ME, await matching(store, ME, canary(number)))
        clock.advance(1)
        async for _ in store.reindex():
            pass
        if await store.exists("s2"):
            await store.fork("s2", "s2-later")
        for number in numbers:
            wrong += await _shown_anywhere(store, canary(number))
        wrong += await _in_prompts(store, clock)
    return Result(name="forget", done=len(numbers), figures={"finds": len(wrong)}, wrong=tuple(wrong))


async def _plant(store: Store, key: str, word: str) -> None:
    async with store.session(key) as session:
        pos = await turn(session, f"My secret word is {word}.", f"{word}, I see.")
        fact = AddFact(section="person", text=f"Has the word {word}.", quote=word, at=(Position(pos),))
        await session.append(Described(title=f"About {word}"))
        await session.append(Consolidated(upto=session.state.last, day=f"Spoke of {word}.", facts=(fact,)))
        summary = Compacted(
            summary=f"About {word}.", first=Position(1), last=Position(pos), verbatim_from=Position(pos + 1)
        )
        await session.append(summary)


async def _shown_anywhere(store: Store, word: str) -> list[str]:
    memory = await store.memory(ME)
    found = [f"{word} in a fact"] * (word in str(memory.facts)) + [f"{word} in a day"] * (word in str(memory.days))
    found += [f"{word} found in {hit.key} @{hit.pos}" for hit in await store.search(word)]
    listed = (await store.list(limit=200)).sessions
    return [*found, *(f"{word} listed in {each.key}" for each in listed if word in f"{each.title} {each.preview}")]


async def _in_prompts(store: Store, clock: ManualClock) -> list[str]:
    wrong = list[str]()
    for listed in (await store.list(limit=200)).sessions:
        async with store.session(listed.key) as session:
            shown = remembering(store, drawer(), clock).shown(session)
            await shown.refresh()
            view = open_view(session, Target(family="openai-chat", model="m"), memory=shown)
            window = await view.window(Budget(tokens=100_000, output=1_000))
            texts = [plain_text(each.parts) for each in window.messages if not isinstance(each, AssistantMessage)]
            texts += [str(each.parts) for each in window.messages if isinstance(each, AssistantMessage)]
            wrong += [f"a prompt of {listed.key}: {text[:80]}" for text in [shown.text, *texts] if "kanari" in text]
    return wrong


async def scopes(step: int = 1) -> Result:
    """Twenty people; whatever is read for one of them is theirs."""
    random, wrong, clock = Random(15), list[str](), ManualClock()
    owners = ["", *(f"person{number}" for number in range(1, 20))]
    async with open_volatile(clock=clock) as store:
        ids = {}
        for number, owner in enumerate(owners):
            async with store.session(f"s{number}") as session:
                await session.append(Described(owner=owner, title=f"Title of {canary(number)}"))
                await turn(session, f"I like {canary(number)}.")
                fact = AddFact(section="person", text=f"Likes {canary(number)}.", quote=canary(number))
                await session.append(Consolidated(upto=Position(3), facts=(fact,)))
            clock.advance(1)
            (known,) = (await store.memory(Scope(owner=owner))).facts
            ids[number] = known.id
        done = 0
        for _ in range(0, 10_000, step):
            number, other = random.sample(range(20), 2)
            read = await _read(random.randrange(5), store, Scope(owner=owners[number]), ids[other], canary(other))
            done += 1
            foreign = [word for word in map(canary, range(20)) if word in read and word != canary(number)]
            wrong += [f"{owners[number]!r} read of {word}" for word in foreign]
    return Result(name="scopes", done=done, figures={"foreign": len(wrong)}, wrong=tuple(wrong))


async def _read(path: int, store: Store, scope: Scope, foreign: object, word: str) -> str:
    match path:
        case 0:
            return str(await store.memory(scope))
        case 1:
            return str(await store.core(scope, 50))
        case 2:
            return str(await store.facts(scope, [foreign]))  # type: ignore[list-item]
        case 3:
            return str(list(await store.search(word, owner=scope.owner)))
        case _:
            return str((await store.list(owner=scope.owner, limit=100)).sessions)


CAMPAIGNS: dict[str, Campaign] = {
    "poisonings": poison,
    "quotes": quotes,
    "operations": operations,
    "duplicates": duplicates,
    "forget": forgetting,
    "scopes": scopes,
}
