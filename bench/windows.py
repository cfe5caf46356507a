"""What a model is shown by Holdfast, measured."""

import asyncio
import time
from collections.abc import Callable, Iterator
from itertools import count as numbers
from itertools import cycle

import holdfast
from bench.building import KEY, dialogue, leave_catalog_behind, store_in
from bench.child import SHORT, Job, Task
from bench.conversation import Ledger, Line, Replay, conversation, counted
from bench.genres import token_error
from bench.texts import said
from bench.window_rows import BUDGETS, GENRES
from holdfast.context.budget import Budget
from holdfast.context.view import View
from holdfast.ids import CallId
from holdfast.model.estimate import Estimate
from holdfast.model.protocol import Message, ToolMessage
from holdfast.model.tokens import Counter, count_message, exact
from holdfast.records.entries import Entry
from holdfast.records.parts import Blob, Part, ToolCall

_TOKENS = {"32k": 32_000, "200k": 200_000}
_ESTIMATE = Estimate()


def _cost(message: Message) -> int:
    return count_message(message, _ESTIMATE)


class NextWindow:
    """A person says something, and the model is to be shown the conversation. Only the showing is on the clock.

    Each child, and each round of a short session, goes on in a fork of its own, because a window leaves in the log
    from where it begins.
    """

    def __init__(self, job: Job, tokens: int, *, jumps: bool) -> None:
        leave_catalog_behind()
        self._runner = asyncio.Runner()
        self._short, self._budget, self._jumps = job.size <= SHORT, Budget(tokens=tokens), jumps
        self._store = holdfast.open_store(store_in(job.template), durability="os")
        self._names = (f"{job.task} {time.time_ns()} {number}" for number in numbers())
        self._entries = dialogue(cycle(said()))
        self._session, self._view = self._runner.run(self._fork())

    async def _fork(self) -> tuple[holdfast.Session, View]:
        name = next(self._names)
        await self._store.fork(KEY, name)
        session = await self._store.open(name)
        view = View(session, _cost)
        await view.window(self._budget)
        return session, view

    def round(self, count: int, seconds: float) -> list[float]:
        """Seconds of each window that did not jump, or of each that did."""
        return self._runner.run(self._round(count, seconds))

    async def _round(self, count: int, seconds: float) -> list[float]:
        if self._short:
            await self._session.close()
            self._session, self._view = await self._fork()
        samples: list[float] = []
        end = time.perf_counter() + seconds
        while len(samples) < count and (not samples or time.perf_counter() < end):
            took, jumped = await self._turn()
            if jumped == self._jumps:
                samples.append(took)
        return samples

    async def _turn(self) -> tuple[float, bool]:
        """A question, its window, and a reply: what the window took, and whether its start moved."""
        entries, session = iter(self._entries), self._session
        last = await session.append(next(entries))
        before = time.perf_counter()
        await self._view.window(self._budget)
        took = time.perf_counter() - before
        jumped = session.state.last > last
        await session.append(next(entries))
        return took, jumped

    def close(self) -> None:
        """Close the session; the store would wait for its catalog."""
        self._runner.run(self._session.close())
        self._runner.close()


def entries(turn: list[Line]) -> Iterator[Entry]:
    """A made-up turn as facts, one for each line, and the end."""
    for line in turn:
        text = holdfast.Text(text=line.text)
        if line.role == "user":
            yield holdfast.UserSaid(parts=(text,))
        elif line.role == "assistant":
            calls = (ToolCall(id=CallId(call.id), name=call.name, arguments=call.arguments) for call in line.calls)
            yield holdfast.ModelReplied(parts=(text, *calls), stop="called" if line.calls else "ended")
        else:
            yield holdfast.ToolFinished(call=CallId(line.call), name=line.name, parts=(text,))


def _counted(message: Message) -> int:
    """Tokens as everyone counts them in that conversation."""
    name = (message.name,) if isinstance(message, ToolMessage) else ()
    return counted(*name, *(text for part in message.parts for text in _texts(part)))


def _texts(part: Part) -> tuple[str, ...]:
    match part:
        case ToolCall():
            return part.name, part.arguments
        case Blob():
            raise LookupError("nobody attaches anything here")
        case _:
            return (part.text,)


async def _play(job: Job, ledger: Ledger) -> None:
    leave_catalog_behind()
    budget = Budget(tokens=32_000)
    async with (
        holdfast.open_store(job.path("store"), durability="os") as store,
        store.session(KEY) as session,
    ):
        view = View(session, _counted)
        for turn in conversation():
            for entry in entries(turn):
                if isinstance(entry, holdfast.ModelReplied):
                    window = await view.window(budget)
                    ledger.ask([(message, _counted(message)) for message in window.messages])
                await session.append(entry)
            await session.append(holdfast.TurnEnded())


class TokenError:
    """An estimate of tokens beside the exact count, on texts of five genres."""

    def __init__(self, estimate: Counter, genre: str = "") -> None:
        self._estimate, self._genre = estimate, genre

    def round(self, count: int, seconds: float) -> list[float]:
        """Percent too many tokens in one genre; without one, percent off in the worst."""
        del count, seconds
        counter = exact("gpt-4o")
        if counter is None:
            raise LookupError("exact counts need the `tokens` extra; `make bench` installs it")
        errors = token_error(self._estimate, counter)
        return [100 * (errors[self._genre] if self._genre else max(map(abs, errors.values())))]

    def close(self) -> None:
        """Nothing is open."""


class Quarters:
    """The rule of thumb: four characters are a token."""

    def count(self, text: str) -> int:
        """A quarter of the characters."""
        return -(-len(text) // 4)


def _next(tokens: int, *, jumps: bool) -> Callable[[Job], Task]:
    return lambda job: NextWindow(job, tokens, jumps=jumps)


def _replay(figure: str) -> Callable[[Job], Task]:
    return lambda job: Replay(lambda ledger: asyncio.run(_play(job, ledger)), figure)


def _error(estimate: Counter, genre: str = "") -> Callable[[Job], Task]:
    return lambda _: TokenError(estimate, genre)


TASKS: dict[str, Callable[[Job], Task]] = {
    **{f"window/{budget}": _next(_TOKENS[budget], jumps=False) for budget in BUDGETS},
    **{f"window_jump/{budget}": _next(_TOKENS[budget], jumps=True) for budget in BUDGETS},
    **{figure: _replay(figure) for figure in ("cache_reuse", "cache_cost")},
    **{f"token_error {genre}": _error(_ESTIMATE, genre) for genre in GENRES},
    "token_error": _error(_ESTIMATE),
    "token_error characters / 4": _error(Quarters()),
}
"""Each by its name."""
