"""When a model is asked again after it failed, and after how long.

Exponential backoff with full jitter: the wait is drawn between nothing and a bound that doubles, so
that many who were refused at once do not come back at once. What the provider asks for counts more.
"""

from collections.abc import Callable

from holdfast.errors import BadInput, Unavailable
from holdfast.records.parts import Value


class RetryPolicy(Value, frozen=True, kw_only=True):
    """How often and how patiently a model is asked again."""

    attempts: int = 5
    """How often a model is asked in all before the turn fails or the next model is tried."""
    base: float = 1.0
    """The bound of the first wait, in seconds; it doubles with each attempt."""
    cap: float = 60.0
    """The longest wait, in seconds; a provider that asks for longer is given up on at once."""
    idle: float = 90.0
    """Without a sign of life for so many seconds, or without a word for ten times as many, a stream counts as broken;
    0 means never."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if self.attempts < 1:
            raise BadInput(f"`attempts` is {self.attempts}.", hint="Give at least 1, which never tries again.")
        for name in ("base", "cap", "idle"):
            if not getattr(self, name) >= 0:
                raise BadInput(f"`{name}` is {getattr(self, name)}.", hint="Give a number of seconds.")

    def wait(self, attempt: int, error: Unavailable, draw: Callable[[], float]) -> float | None:
        """How long to wait after a failed attempt, counted from 1; None to give up. `draw` gives 0 to 1."""
        if attempt >= self.attempts:
            return None
        if error.retry_after:  # 0 names a moment that has passed: no reason to come back all at once
            return error.retry_after if error.retry_after <= self.cap else None
        return draw() * min(self.cap, self.base * 2.0 ** (attempt - 1))
