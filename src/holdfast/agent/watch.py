"""Those who watch a conversation: each gets every event from the moment it began to watch.

A watcher that does not keep up is its own affair: events wait for it, and a host that serves many strangers
bounds what waits before it sends.
"""

import asyncio
from collections import deque
from typing import Self

from holdfast.agent.events import Event


class Watch:
    """The events of one conversation, from now on."""

    def __init__(self, stage: "Stage") -> None:
        """Begin to watch; `close` ends it."""
        self._stage = stage
        self._events: deque[Event] = deque()
        self._news = asyncio.Event()
        self._over = False

    def give(self, event: Event) -> None:
        """Take an event in."""
        self._events.append(event)
        self._news.set()

    def end(self) -> None:
        """There will be no more events."""
        self._over = True
        self._news.set()

    def close(self) -> None:
        """Watch no longer."""
        self._stage.leave(self)

    def __aiter__(self) -> Self:
        """Iterate over events as they come; ends when the conversation is closed."""
        return self

    async def __anext__(self) -> Event:
        """The next event."""
        while not self._events:
            if self._over:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._events.popleft()

    def __enter__(self) -> Self:
        """Watch for a block of code."""
        return self

    def __exit__(self, *_: object) -> None:
        """Watch no longer."""
        self.close()


class Stage:
    """Where events are shown."""

    def __init__(self) -> None:
        """Begin without watchers."""
        self._watches: list[Watch] = []

    def watch(self) -> Watch:
        """Begin to watch."""
        watch = Watch(self)
        self._watches.append(watch)
        return watch

    def leave(self, watch: Watch) -> None:
        """End a watch."""
        if watch in self._watches:
            self._watches.remove(watch)
        watch.end()

    def show(self, event: Event) -> None:
        """Show an event to everyone who watches."""
        for watch in self._watches:
            watch.give(event)

    def close(self) -> None:
        """End every watch."""
        for watch in list(self._watches):
            self.leave(watch)
