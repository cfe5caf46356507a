"""Very many entries at once, and a very long text, as the event loop sees them."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count as numbers
from itertools import cycle, islice

import holdfast
from bench.building import KEY, dialogue, leave_catalog_behind
from bench.child import Job, Task
from bench.rows import FEW, LONG, MANY
from bench.texts import said
from holdfast.context.budget import Budget
from holdfast.context.prepare import open_view, prepare
from holdfast.model.protocol import Target

_TARGET = Target(family="openai-chat", provider="openai", model="gpt-4o")
_BUDGET = Budget(tokens=200_000)
_WORDS = 'A "long" text,\nof a log or a paste. '


class AppendMany:
    """Append entries together, so many at a time, in a session that is new in each round."""

    def __init__(self, job: Job, together: int) -> None:
        leave_catalog_behind()
        self._entries = list(islice(dialogue(cycle(said())), together))
        self._times = MANY // together
        self._store = holdfast.open_store(job.path("store"), durability="os")
        self._runner, self._names = asyncio.Runner(), numbers()

    def round(self, count: int, seconds: float) -> list[float]:
        """Processor seconds of each entry, in all threads."""
        del count, seconds
        return [self._runner.run(self._append())]

    async def _append(self) -> float:
        async with self._store.session(f"{KEY} {next(self._names)}") as session:
            began = time.process_time()
            for _ in range(self._times):
                await session.append(*self._entries)
            return (time.process_time() - began) / MANY

    def close(self) -> None:
        """Leave the store, which would wait for its catalog."""
        self._runner.close()


class LongText:
    """Say a text of 64 MB and prepare the request with it; each round has a session of its own."""

    def __init__(self, job: Job) -> None:
        leave_catalog_behind()
        self._text = _WORDS * (LONG // len(_WORDS))
        self._store = holdfast.open_store(job.path("store"), durability="os")
        self._runner, self._names = asyncio.Runner(), numbers()

    def round(self, count: int, seconds: float) -> list[float]:
        """The longest that the event loop was held, in seconds of its processor."""
        del count, seconds
        return [self._runner.run(self._longest())]

    async def _longest(self) -> float:
        longest = 0.0

        async def others() -> None:
            nonlocal longest
            for before in _moments():
                await asyncio.sleep(0)
                longest = max(longest, time.thread_time() - before)

        async with self._store.session(f"{KEY} {next(self._names)}") as session:
            view = open_view(session, _TARGET)
            await session.append(*dialogue(("hello", "hi")))
            beside = asyncio.ensure_future(others())
            await prepare(session, _TARGET, _BUDGET, view=view)
            await session.say(self._text)
            await prepare(session, _TARGET, _BUDGET, view=view)
            beside.cancel()
        return longest

    def close(self) -> None:
        """Leave the store, which would wait for its catalog."""
        self._runner.close()


def _moments() -> Iterator[float]:
    while True:
        yield time.thread_time()


TASKS: Mapping[str, Callable[[Job], Task]] = {
    "append_many": lambda job: AppendMany(job, MANY),
    "append_many few": lambda job: AppendMany(job, FEW),
    "longtext_loop": LongText,
}
"""Each by its name."""
