"""Who learns which sessions change, so that the catalog can follow behind."""

from typing import Protocol


class Listener(Protocol):
    """Learns what happens to session folders, by their names. Called on the append path: must be quick."""

    def opened(self, folder: str) -> None:
        """This process has the session's lease now."""
        ...

    def expected(self, folder: str) -> None:
        """A session may appear there, without being opened."""
        ...

    def changed(self, folder: str) -> None:
        """Something was appended."""
        ...

    def released(self, folder: str) -> None:
        """The writer is done."""
        ...


class Nobody:
    """A listener for stores without a catalog."""

    def opened(self, folder: str) -> None:
        """Do nothing."""

    expected = changed = released = opened
