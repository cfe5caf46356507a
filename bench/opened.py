"""A store and what is done with it, on one event loop for all rounds."""

import asyncio
from contextlib import AsyncExitStack


class Open:
    """What is opened within `stack` is closed at the end, in turn."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()

    def close(self) -> None:
        """Close what was opened, in turn."""
        self.runner.run(self.stack.aclose())
        self.runner.close()
