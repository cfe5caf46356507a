"""How far one turn may go by itself."""

from holdfast.errors import BadInput
from holdfast.records.parts import Usage, Value


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
