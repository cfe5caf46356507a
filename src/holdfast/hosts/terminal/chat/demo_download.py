"""The download of the built-in demo model, which the first turn of a new user waits for."""

_MEGA = 1_000_000


class DemoDownload:
    """How far it is; told from whichever thread fetches."""

    def __init__(self) -> None:
        """Nothing is fetched."""
        self._done = self._total = 0
        self._told = False

    def progress(self, done: int, total: int) -> None:
        """So many bytes are here."""
        self._done, self._total = done, total

    @property
    def line(self) -> str:
        """How far it is; '' while nothing is fetched."""
        if not self._done or self._done == self._total:
            return ""
        share = f"{self._done // _MEGA} of {self._total // _MEGA} MB" if self._total else f"{self._done // _MEGA} MB"
        return f"fetching the built-in demo model, once: {share}"

    def news(self) -> list[str]:
        """What is said when it begins, once."""
        if self._told or not self.line:
            return []
        self._told = True
        return ["The built-in demo model is fetched now, once; it takes a moment."]
