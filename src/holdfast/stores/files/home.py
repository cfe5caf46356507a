"""The process that a store belongs to.

A forked child has the parent's objects and none of its threads: what it gave them to
do would be waited for without end.
"""

import os

from holdfast.errors import Closed


class Home:
    """The process in which something was opened."""

    def __init__(self) -> None:
        """It is this one."""
        self._pid = os.getpid()

    @property
    def here(self) -> bool:
        """Whether we are still in it, and not in a child of it."""
        return os.getpid() == self._pid

    def check(self) -> None:
        """Raise `Closed` in a child."""
        if not self.here:
            raise Closed("The store belongs to the parent of this process.", hint="Open it again here.")
