"""Windows as people write them by hand: the last so many messages, or as many as have room.

Both begin with a person's words, so that no result is without its call.
"""

from collections.abc import Callable, Sequence

from bench.child import Job, Task, serve
from bench.conversation import ROOM, Ledger, Line, Replay, conversation
from bench.window_rows import SLIDING, TAIL

_MESSAGES = 120

Window = Callable[[Sequence[Line]], Sequence[Line]]


def sliding(lines: Sequence[Line]) -> Sequence[Line]:
    """The last 120 messages."""
    return _from_a_person(lines[-_MESSAGES:])


def tail(lines: Sequence[Line]) -> Sequence[Line]:
    """As many of the last messages as have room."""
    room = ROOM
    for index in range(len(lines) - 1, -1, -1):
        room -= lines[index].tokens
        if room < 0:
            return _from_a_person(lines[index + 1 :])
    return lines


def _from_a_person(lines: Sequence[Line]) -> Sequence[Line]:
    start = next((index for index, line in enumerate(lines) if line.role == "user"), 0)
    return lines[start:]


def _play(window: Window, ledger: Ledger) -> None:
    so_far: list[Line] = []
    for turn in conversation():
        for line in turn:
            if line.role == "assistant":
                ledger.ask([(each, each.tokens) for each in window(so_far)])
            so_far.append(line)


def _task(window: Window, figure: str) -> Callable[[Job], Task]:
    return lambda _: Replay(lambda ledger: _play(window, ledger), figure)


if __name__ == "__main__":
    serve(
        {
            f"{figure} {name}": _task(window, figure)
            for figure in ("cache_reuse", "cache_cost")
            for name, window in ((SLIDING, sliding), (TAIL, tail))
        }
    )
