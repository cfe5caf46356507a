"""Keeps what was not sent: what stands in the input, and messages that are on their way to the log."""

import asyncio
from contextlib import suppress

from holdfast.hosts.terminal.input.drafts import Draft, Drafts, joined

SECONDS = 0.2
"""How long after a key press at the latest."""


class Unsent:
    """The draft of the session that the person is in."""

    def __init__(self, drafts: Drafts) -> None:
        """Nothing is kept before a session is entered."""
        self._drafts, self._key = drafts, ""
        self._typed = self._kept = Draft()
        self._sending: list[Draft] = []
        self._timer: asyncio.TimerHandle | None = None

    @property
    def empty(self) -> bool:
        """Whether everything that was typed is in the log."""
        return not self._typed.text and not self._sending

    def enter(self, key: str) -> Draft:
        """Go on with another session; what is typed or on its way goes along. Gives what was not sent there."""
        before, self._key = self._key, key
        mine = self._all()
        if before and before != key:
            self._keep(before, Draft())
        found = self._drafts.take(key, mine)
        self._kept = joined(found, mine)
        return found

    def typed(self, draft: Draft) -> None:
        """What stands in the input is this now."""
        self._typed = draft
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SECONDS, self.save)

    def sending(self, message: Draft) -> None:
        """A message has left the input, and is not in the log yet."""
        self._sending.append(message)

    def sent(self, message: Draft) -> None:
        """It is in the log, or was put back into the input."""
        if message in self._sending:
            self._sending.remove(message)
        self.save()

    def save(self) -> None:
        """Keep it now; where nothing can be written, it lives as long as this process."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._key and (draft := self._all()) != self._kept:
            # What is unchanged is not kept again: a window that has the session now may have taken it along.
            self._keep(self._key, draft)

    def _all(self) -> Draft:
        return joined(*self._sending, self._typed)

    def _keep(self, key: str, draft: Draft) -> None:
        with suppress(OSError):
            self._drafts.save(key, draft)
            self._kept = draft
