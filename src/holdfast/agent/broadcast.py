"""Publish and subscribe: everybody who watches a conversation gets every event from then on.

What waits for a watcher can be bounded. One that falls behind its bound loses what waits and is told so; it costs
nobody else anything, and takes entries from the log again.
"""

import asyncio
from collections import deque
from typing import Self

from holdfast.agent.events import Appended, Event, TextStreamed, ThinkingStreamed
from holdfast.errors import HoldfastError

EVENT_BYTES = 200
"""About what an event takes, its texts not counted."""


class Subscription:
    """The events of one conversation, from now on; one task at a time takes them."""

    def __init__(self, broadcast: "Broadcast", limit: int = 0) -> None:
        """Begin to watch; `close` ends it. At most about `limit` bytes wait; 0 is no bound."""
        self._broadcast, self._limit = broadcast, limit
        self.waiting = 0
        """About how many bytes of events wait, where that is bounded."""
        self.lost = False
        """Whether more came than may wait: all of it is left out, and so is what comes until `restart`."""
        self.error: HoldfastError | None = None
        """Why there are no more events, if something failed."""
        self._events: deque[Event] = deque()
        self._waiter: asyncio.Future[None] | None = None
        """Who waits for the next event: an event of asyncio takes five calls for what this does in one."""
        self._over = False

    @property
    def ready(self) -> bool:
        """Whether an event waits."""
        return bool(self._events)

    def put(self, event: Event) -> None:
        """Take an event in."""
        if self._limit:
            if self.lost:
                return  # it reads the log first; until then nothing that comes is worth its memory
            self.waiting += weight(event)
            if self.waiting > self._limit:
                self.restart()
                self.lost = True
                self._wake()
                return
        self._events.append(event)
        if self._waiter is not None:
            self._wake()

    def _wake(self) -> None:
        """Wake up whoever waits."""
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():  # whoever waited may have been cancelled
            waiter.set_result(None)

    def restart(self) -> None:
        """Leave out what waits, and take in what comes from now on."""
        self._events.clear()
        self.waiting, self.lost = 0, False

    def end(self, error: HoldfastError | None = None) -> None:
        """There will be no more events."""
        self._over, self.error = True, self.error or error
        self._wake()

    def close(self) -> None:
        """Watch no longer."""
        self._broadcast.unsubscribe(self)

    def __aiter__(self) -> Self:
        """Iterate over events as they come; ends when the conversation is closed."""
        return self

    async def __anext__(self) -> Event:
        """The next event."""
        while not self._events:
            if self._over or self.lost:
                raise StopAsyncIteration
            self._waiter = asyncio.Future()
            await self._waiter
        event = self._events.popleft()
        if self._limit:
            self.waiting -= weight(event)
        return event

    async def take(self) -> Event | None:
        """The next event; None if there are no more, or events were `lost`."""
        return await anext(self, None)

    def __enter__(self) -> Self:
        """Watch for a block of code."""
        return self

    def __exit__(self, *_: object) -> None:
        """Watch no longer."""
        self.close()


def weight(event: Event) -> int:
    """About how many bytes an event takes while it waits."""
    match event:
        case TextStreamed() | ThinkingStreamed():
            return EVENT_BYTES + len(event.text)
        case Appended():
            return EVENT_BYTES + len(event.record.raw)
        case _:
            return EVENT_BYTES


class Broadcast:
    """Where events are shown."""

    def __init__(self) -> None:
        """Begin without watchers."""
        self._subscriptions: list[Subscription] = []
        self._closed = False

    @property
    def watched(self) -> bool:
        """Whether anybody watches."""
        return bool(self._subscriptions)

    def subscribe(self, limit: int = 0) -> Subscription:
        """Begin to watch; at most about `limit` bytes wait, and 0 is no bound."""
        subscription = Subscription(self, limit)
        if self._closed:
            subscription.end()
        else:
            self._subscriptions.append(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription, error: HoldfastError | None = None) -> None:
        """End a watch."""
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)
        subscription.end(error)

    def publish(self, event: Event) -> None:
        """Show an event to everyone who watches."""
        for subscription in self._subscriptions:
            subscription.put(event)

    def close(self, error: HoldfastError | None = None) -> None:
        """End every watch, and those that are begun from now on."""
        self._closed = True
        for subscription in list(self._subscriptions):
            self.unsubscribe(subscription, error)
