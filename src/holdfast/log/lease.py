"""Who may write to a session."""

from datetime import datetime
from typing import Protocol

from holdfast.records.parts import Value


class Holder(Value, frozen=True, kw_only=True):
    """Who holds a session, in words for the one who wants it."""

    pid: int = 0
    """Its process; 0 where a store knows of none."""
    host: str = ""
    """The machine of that process."""
    since: datetime
    doing: str = ""
    epoch: int = 1
    """Grows with every change of hands."""
    place: str = ""
    """Where it is, in words, if that is not a process on a machine."""

    def __str__(self) -> str:
        """Say it in one line."""
        doing = f", {self.doing}" if self.doing else ""
        place = self.place or f"process {self.pid} on {self.host}"
        return f"{place} since {self.since:%Y-%m-%d %H:%M:%S} UTC{doing}"


class Lease(Protocol):
    """The right to write to one session, until it is released, taken over, or its process dies."""

    @property
    def holder(self) -> Holder:
        """Who we are, as others see it."""
        ...

    def check(self) -> None:
        """Raise `Fenced` if another writer has taken over since."""
        ...
