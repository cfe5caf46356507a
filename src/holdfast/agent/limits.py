"""Limits of a turn, and how patiently a model is asked again.

Apart from the rest of the setup: every command reads settings, and only those that run an agent need more.
"""

from collections.abc import Callable

from holdfast.errors import BadInput, Unavailable
from holdfast.records.parts import Usage, Value


# Exponential backoff with full jitter: the wait is drawn between nothing and a bound that doubles, so that many who
# were refused at once do not come back at once. What the provider asks for counts more.
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


class Limits(Value, frozen=True, kw_only=True):
    """Where a turn ends although the model would go on; 0 means no bound."""

    steps: int = 50
    """Requests to the model in one turn."""
    tokens: int = 0
    """Tokens of all requests and replies of one turn together; as we count them where the service does not say."""
    cost: float = 0.0
    """US dollars that one turn may cost, where the price is known."""
    seconds: float = 0.0
    """Wall-clock time of one turn, tools included."""
    tool_seconds: float = 600.0
    """The longest that any tool may run, whatever it asks for."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("steps", "tokens", "cost", "seconds", "tool_seconds"):
            if not getattr(self, name) >= 0:
                raise BadInput(f"`{name}` is {getattr(self, name)}.", hint="Give 0 for no bound, or more.")

    def reached(self, *, steps: int, used: Usage, seconds: float) -> str:
        """Which limit a turn has reached, in words for a person; '' for none."""
        if self.steps and steps >= self.steps:
            return f"{steps} step{'' if steps == 1 else 's'}, the most one turn may take (limits.steps)"
        spent = used.input_tokens + used.output_tokens
        if self.tokens and spent >= self.tokens:
            return f"{self.tokens:,} tokens, the most one turn may use (limits.tokens); it used {spent:,}"
        if self.cost and used.cost_micros >= self.cost * 1_000_000:
            cost = used.cost_micros / 1_000_000
            return f"${self.cost:g}, the most one turn may cost (limits.cost); it cost ${cost:.4g}"
        if self.seconds and seconds >= self.seconds:
            return f"{self.seconds:g} s, the longest one turn may take (limits.seconds)"
        return ""
