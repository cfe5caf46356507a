"""Where tools come from: some are always there, others join when their servers have started."""

from collections.abc import Iterable
from typing import Protocol

from holdfast.agent.tool import Tool


class Toolbox(Protocol):
    """The tools of an agent."""

    async def tools(self) -> tuple[Tool, ...]:
        """The tools there are now; the first call starts what has to be started, and waits for it a little."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know: what did not start, what is not shut in."""
        ...

    async def close(self) -> None:
        """End everything that was started. Closing twice is once."""
        ...


class FixedTools:
    """Tools that are always there."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        """Offer these."""
        self._tools = tuple(tools)
        self.notes: tuple[str, ...] = ()

    async def tools(self) -> tuple[Tool, ...]:
        """The tools."""
        return self._tools

    async def close(self) -> None:
        """Nothing was started."""
