"""What streamed deltas cost at the rate at which models stream, in many conversations at once, each watched by one.

The same streams are read once by the agent and once by nobody else, and the difference is what Holdfast adds. The clock
runs from the moment when the last of the streams has begun until the first may end, so that beginning and ending a turn
are not in the figure.
"""

import asyncio
import math
import selectors
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from itertools import count as numbers
from itertools import cycle
from os import getpid
from pathlib import Path
from typing import Protocol

import holdfast
from bench.building import KEY, leave_catalog_behind, store_in
from bench.catalogs import allow_files
from bench.child import Job, Task
from bench.texts import said
from bench.turn_rows import CONVERSATIONS, RATE, SLOWER
from bench.turns import TARGET, Alone, agent_setup
from holdfast.agent.conversation import Conversation, open_conversation
from holdfast.agent.events import TurnOver
from holdfast.model.protocol import Delta, Finished, Request, TextDelta
from holdfast.stores.files import writer

_SETTLED = 0.2
"""Seconds after the last delta in which its draft is written."""


_LONGEST = 3_600.0
"""Seconds that a selector waits at most; it is asked again then."""


class Meter(Protocol):
    """What is measured between two moments."""

    def start(self) -> None:
        """From now on."""

    def stop(self) -> float:
        """How much it was."""
        ...


class Processor:
    """Processor time of all threads of this process, in seconds."""

    def __init__(self) -> None:
        self._before = 0.0

    def start(self) -> None:
        """From now on."""
        self._before = time.process_time()

    def stop(self) -> float:
        """How much it was."""
        return time.process_time() - self._before


class Instructions:
    """Instructions of this process, which callgrind counts."""

    def __init__(self, out: Path) -> None:
        self._out, self._dumps = out, numbers(1)

    def start(self) -> None:
        """From now on."""
        _control("instrumentation", "on")

    def stop(self) -> float:
        """How many they were."""
        _control("instrumentation", "off")
        _control("dump")
        found = self._out.with_name(f"{self._out.name}.{next(self._dumps)}").read_text(encoding="ascii")
        return float(found.rpartition("totals: ")[2])


def _control(*words: str) -> None:
    """Tell the valgrind that runs this process; it listens while the process runs, and not while it waits."""
    with subprocess.Popen(
        ["vgdb", f"--pid={getpid()}", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as told:
        while told.poll() is None:
            time.sleep(0.01)
    if told.returncode != 0:
        raise OSError(f"valgrind did not answer to {' '.join(words)}")


class _SlowSelector(selectors.DefaultSelector):
    """Waits in long seconds, and in steps of a thousandth of them, as the selector of an event loop does."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for files."""
        if timeout and timeout > 0:
            timeout = min(math.ceil(timeout * 1e3) * 1e-3 * SLOWER, _LONGEST)
        return super().select(timeout)


class SlowLoop(asyncio.SelectorEventLoop):
    """An event loop whose seconds are long, so that as much comes at once as if nothing were counted."""

    def __init__(self) -> None:
        super().__init__(_SlowSelector())

    def time(self) -> float:
        """Long seconds since some moment."""
        return time.monotonic() / SLOWER


class Pace:
    """Streams that begin together, have their deltas in turns at a rate, and end together."""

    def __init__(self, streams: int, deltas: int, rate: float, meter: Meter) -> None:
        self._streams, self._deltas, self._rate, self._meter = streams, deltas, rate, meter
        self._numbers, self._arrived = numbers(), 0
        self._start = 0.0
        self._begun, self._over = asyncio.Event(), asyncio.Event()
        self.measured = 0.0

    async def deltas(self) -> AsyncIterator[Delta]:
        """One of the streams."""
        number = next(self._numbers)
        yield TextDelta(text="word ")
        await self._all_have_begun()
        loop = asyncio.get_running_loop()
        for index in range(self._deltas):
            due = self._start + (index + number / self._streams) / self._rate
            await asyncio.sleep(max(0.0, due - loop.time()))
            yield TextDelta(text="word ")
        await self._all_are_over()
        yield Finished()

    async def _all_have_begun(self) -> None:
        self._arrived += 1
        if self._arrived == self._streams:
            await asyncio.sleep(_SETTLED)
            self._meter.start()
            self._start = asyncio.get_running_loop().time()
            self._begun.set()
        await self._begun.wait()

    async def _all_are_over(self) -> None:
        self._arrived -= 1
        if not self._arrived:
            await asyncio.sleep(_SETTLED)
            self.measured = self._meter.stop()
            self._over.set()
        await self._over.wait()


class Paced:
    """A model whose streams follow a pace; without one it answers with a word."""

    target = TARGET

    def __init__(self) -> None:
        self.pace: Pace | None = None

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """The next reply: the very stream that is read without us, or a word."""
        del request
        return _word() if self.pace is None else self.pace.deltas()


async def _word() -> AsyncIterator[Delta]:
    yield TextDelta(text="word")
    yield Finished()


class Streaming:
    """Many conversations whose models stream at the same time; a round is all of them once, with and without us."""

    def __init__(self, job: Job, streams: int, rate: float, meter: Meter, *, slow: bool = False) -> None:
        leave_catalog_behind()
        allow_files()
        self._rate, self._meter = rate, meter
        self._model = Paced()
        self._words = cycle(said())
        self._store = holdfast.open_store(store_in(job.template))
        self._setup = agent_setup(job, Alone(self._model))
        self._runner = asyncio.Runner(loop_factory=SlowLoop if slow else None)
        name = f"{job.task} {time.time_ns()}"
        self._conversations = self._runner.run(self._forks([f"{name} {number}" for number in range(streams)]))

    def round(self, count: int, seconds: float) -> list[float]:
        """What a delta costs beside its stream, with `count` deltas in each conversation."""
        del seconds
        return [self._runner.run(self._round(count))]

    def close(self) -> None:
        """Close the sessions; the store would wait for its catalog."""
        for each in self._conversations:
            self._runner.run(each.close())
        self._runner.close()

    async def _forks(self, names: list[str]) -> list[Conversation]:
        found = []
        for name in names:
            await self._store.fork(KEY, name)
            found.append(await open_conversation(await self._store.open(name), self._setup))
            await self._turn(found[-1])  # opens what later turns find open
        return found

    async def _round(self, count: int) -> float:
        streams = len(self._conversations)
        bare = Pace(streams, count, self._rate, self._meter)
        await asyncio.gather(*(_read(bare) for _ in range(streams)))
        ours = self._model.pace = Pace(streams, count, self._rate, self._meter)
        await asyncio.gather(*(self._turn(each) for each in self._conversations))
        return (ours.measured - bare.measured) / (streams * count)

    async def _turn(self, conversation: Conversation) -> None:
        with conversation.watch() as watch:
            await conversation.send(next(self._words))
            async for event in watch:
                if isinstance(event, TurnOver):
                    if event.ended.why != "answered":
                        raise LookupError(f"the turn ended as {event.ended.why}: {event.ended.note}")
                    return
        raise LookupError("the conversation was closed")


async def _read(pace: Pace) -> None:
    async for _ in pace.deltas():
        pass


class Counted:
    """The same in a process of its own, below callgrind."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def round(self, count: int, seconds: float) -> list[float]:
        """Instructions of a delta beside its stream."""
        del seconds
        out = self._job.path("callgrind.out")
        command = [
            *("valgrind", "--tool=callgrind", "--instr-atstart=no", "--vgdb-poll=100", f"--callgrind-out-file={out}"),
            *(sys.executable, "-m", "bench.streaming", self._job.folder, self._job.template, str(out), str(count)),
        ]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise OSError((done.stderr.strip() or "valgrind failed").splitlines()[-1])
        return [float(done.stdout)]

    def close(self) -> None:
        """Nothing is open."""


def _streaming(job: Job) -> Task:
    return Streaming(job, CONVERSATIONS, RATE, Processor())


def _counted(folder: str, template: str, out: str, count: str) -> float:
    job = Job(task="delta", size=0, folder=folder, template=template, lines="")
    writer.LOOK_NS *= SLOWER  # a time of the machine's own clock, which is not slower
    streaming = Streaming(job, CONVERSATIONS, RATE, Instructions(Path(out)), slow=True)
    samples = streaming.round(int(count), 0)
    streaming.close()
    return samples[0]


TASKS = {"delta": _streaming, "delta_instr": Counted}
"""Each by its name."""

if __name__ == "__main__":
    print(_counted(*sys.argv[1:]))
