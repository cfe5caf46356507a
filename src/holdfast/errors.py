"""Every exception Holdfast raises, in one tree.

HoldfastError
├── BadInput           what the caller gave cannot be taken; nothing was written
│   ├── BadEntry       an entry that could not be read back exactly
│   ├── BadKey         not a session key
│   ├── BadLine        bytes that are not a whole, verified line of a log
│   └── BadSetting     a setting that is unknown, of the wrong kind, or not allowed where it stands
├── NotThere           what was asked for does not exist
│   ├── NoSession      no session under that key
│   ├── NoBlob         no such attachment, or its bytes no longer match their name
│   └── BeyondEnd      a position the log has not reached
├── AlreadyThere       a session with that key exists
├── LogError           the log could not do what was asked
│   ├── Conflict       someone else wrote first
│   ├── Held           another process holds the session
│   ├── Fenced         this writer's lease was taken over
│   ├── NotWritten     the append did not happen; the log is as it was
│   ├── NotDurable     written, but the disk did not confirm it
│   ├── ReadOnly       this session or place cannot be written now
│   │   └── LaterFormat  a later Holdfast wrote in this session
│   └── Unreadable     files that cannot be read
├── ModelError         a model did not answer
│   ├── Refused        the request was wrong; do not retry
│   │   └── Overflow   the request is longer than the model can take
│   └── Unavailable    try again later
├── NoAnswer           a turn ended without an answer
├── OverBudget         what is left of a budget does not hold another request
├── ContextError       what the model would see cannot be made
│   ├── TooSmall       the budget cannot hold even the newest turn
│   └── CompactionStuck  compacting again would free too little
├── ToolFailed         the model must see this and do something else
├── Closed             used after it was closed
└── CatalogBusy        the catalog is in use by another process for too long

An error says what happened and, in its hint, what to do about it.
"""

import math
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path


class HoldfastError(Exception):
    """Everything we raise."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        """Keep the message and the hint apart, so that a host can show them apart."""
        super().__init__(f"{message} {hint}".strip())
        self.message, self.hint = message, hint

    def __reduce__(self) -> tuple[object, ...]:
        """Keep message and data on the way to another process."""
        return type(self).__new__, (type(self), *self.args), self.__dict__


class BadInput(HoldfastError, ValueError):
    """What the caller gave cannot be taken; nothing was written."""


class BadEntry(BadInput):
    """An entry that could not be read back exactly as it was given."""


class BadKey(BadInput):
    """Not a session key."""


class BadLine(BadInput):
    """Bytes that are not a whole, verified line of a log."""


class BadSetting(BadInput):
    """A setting that is unknown, of the wrong kind, or not allowed where it stands."""


class NotThere(HoldfastError, LookupError):
    """What was asked for does not exist."""


class NoSession(NotThere):
    """No session is kept under that key."""

    def __init__(self, key: str, *, near: tuple[str, ...] = (), replaced: bool = False) -> None:
        """Name the keys that look most like the one asked for; or say that there is another one by now."""
        names = ", ".join(repr(name) for name in near)
        hint = f"Did you mean {names}?" if near else "`holdfast sessions` lists what there is."
        message = f"There is no session {key!r}."
        if replaced:
            message, hint = f"The session {key!r} was removed, and another one begun there.", "Open that one anew."
        super().__init__(message, hint=hint)
        self.key, self.near = key, near


class NoBlob(NotThere):
    """An attachment that is missing, or whose bytes no longer match their name."""


class BeyondEnd(NotThere):
    """A position that the log has not reached."""

    def __init__(self, asked: int, end: int) -> None:
        """Carry both positions, so that a viewer can start again from the end."""
        super().__init__(
            f"Position {asked} is beyond the end of the log, which is at {end}.",
            hint=f"Give one up to {end}. What a viewer showed after that was never acknowledged.",
        )
        self.asked, self.end = asked, end


class AlreadyThere(HoldfastError):
    """A session with that key exists."""


class LogError(HoldfastError):
    """The log could not do what was asked."""


class Conflict(LogError):
    """Someone else wrote first."""

    def __init__(self, expected: int, actual: int) -> None:
        """Carry the position that was expected and the one that is next."""
        super().__init__(
            f"The next position is {actual}, not {expected}; nothing was written.",
            hint="Read what was added, then append again.",
        )
        self.expected, self.actual = expected, actual


class Held(LogError):
    """Another process, or another part of this one, holds the session."""

    def __init__(
        self, key: str, holder: str, *, hint: str = "Wait for it, watch it live, fork it, or take it over."
    ) -> None:
        """Say who holds it."""
        super().__init__(f"The session {key!r} is held by {holder}.", hint=hint)
        self.key, self.holder = key, holder


class Fenced(LogError):
    """This writer's lease was taken over; what it wrote since is not part of the log."""


class NotWritten(LogError):
    """The append did not happen; the log is as it was before."""


class NotDurable(LogError):
    """Written, but the disk did not confirm it."""


class ReadOnly(LogError):
    """This session or place cannot be written now."""


class LaterFormat(ReadOnly):
    """A later Holdfast wrote in this session, so this one only reads it."""

    def __init__(self, key: str, version: int, *, newest: int, holdfast: str = "") -> None:
        """Carry the version of the format, and the Holdfast that writes it, if the log names one."""
        who = f"Holdfast {holdfast} or later" if holdfast else f"a Holdfast that writes format {version}"
        super().__init__(
            f"The session {key!r} has entries of format {version}; this Holdfast writes format {newest}, so it reads"
            " and searches the session, and writes nothing to it.",
            hint=f"Use {who} to go on with it. `holdfast show` and `holdfast export` work here.",
        )
        self.key, self.version, self.holdfast = key, version, holdfast


class Unreadable(LogError):
    """Files that cannot be read."""

    def __init__(self, path: "Path", why: str, *, hint: str) -> None:
        """Carry the path that could not be read."""
        super().__init__(f"{path} cannot be read: {why}.", hint=hint)
        self.path = path


class ModelError(HoldfastError):
    """A model did not answer."""


class Refused(ModelError):
    """The request was wrong or not allowed; sending it again would not help."""


class Overflow(Refused):
    """The request is longer than the model can take."""

    def __init__(self, message: str, *, limit: int | None = None, asked: int | None = None) -> None:
        """Carry both counts of tokens, where the provider tells them."""
        super().__init__(message, hint="Compact the session, or ask a model with a larger window.")
        self.limit, self.asked = limit, asked


_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def _time(seconds: float) -> str:
    """A time to wait as people say it, never shorter than it is."""
    unit, size = next((each for each in _UNITS if seconds > 2 * each[1]), ("second", 1))
    number = max(1, math.ceil(seconds / size))
    return f"{number} {unit}{'' if number == 1 else 's'}"


class Unavailable(ModelError):
    """What may be over soon: too many requests, an overloaded service, a broken line."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        """Carry the seconds to wait, where the provider tells them."""
        wait = "later" if retry_after is None else f"in {_time(retry_after)}"
        super().__init__(message, hint=f"Try again {wait}.")
        self.retry_after = retry_after


class NoAnswer(HoldfastError):
    """A turn ended without an answer; the log has all of it."""

    def __init__(self, why: str, note: str = "") -> None:
        """Carry how the turn ended, as its `turn_ended` entry says."""
        message = f"The turn ended without an answer: {why}{f', {note}' if note else ''}."
        super().__init__(message.replace("..", "."), hint="To try again, ask under another client id, or without one.")
        self.why, self.note = why, note


class OverBudget(HoldfastError):
    """What is left of a budget does not hold another request to the model."""


class ContextError(HoldfastError):
    """What the model would see cannot be made."""


class TooSmall(ContextError):
    """The budget cannot hold even the newest turn."""

    def __init__(self, needed: int, budget: int, *, unit: Literal["tokens", "messages"] = "tokens") -> None:
        """Carry both counts, of tokens or of messages."""
        hint = "Raise the budget, offer fewer tools, unpin messages, or ask a model with a larger window."
        super().__init__(
            f"The newest turn needs {needed:,} {unit}, and the budget leaves {max(0, budget):,}.",
            hint=hint if unit == "tokens" else "Raise `messages` of the budget, or unpin messages.",
        )
        self.needed, self.budget, self.unit = needed, budget, unit


class CompactionStuck(ContextError):
    """Compacting again, with nothing said in between, would free too little."""

    def __init__(self, before: int, after: int) -> None:
        """Carry what the window held before and after the last attempt, in tokens."""
        super().__init__(
            f"Compacting again freed too little: {before} tokens before, {after} after.",
            hint="Start a new session, unpin messages, or ask a model with a larger window.",
        )
        self.before, self.after = before, after


class ToolFailed(HoldfastError):
    """A tool could not do what the model asked for; the model must see this and do something else."""


class Closed(HoldfastError):
    """Used after it was closed."""


class CatalogBusy(HoldfastError):
    """The catalog is in use by another process for too long."""
