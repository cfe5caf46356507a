"""How much a model may be shown."""

from holdfast.errors import BadInput
from holdfast.records.parts import Value

UNSURE = 8
"""Requests are counted with an error of up to about one part in so many, until the service has told its count."""


class Budget(Value, frozen=True, kw_only=True):
    """The bounds of a window, and how it moves when it reaches them."""

    tokens: int = 128_000
    """What the model can take, its reply included."""
    output: int = 4_096
    """What is kept free for its reply, at least; it may be longer where there is more room."""
    reply: int | None = None
    """The longest reply that is asked for; None for the longest that the model gives, 0 leaves it to the service."""
    messages: int | None = None
    """The most messages there may be, calls' results included; without it only tokens count."""
    target: float = 0.75
    """When a bound is reached, the window is cut to this share of it, and grows from there. The smaller, the rarer
    it is cut, and the longer a provider's prompt cache hits; the larger, the more the model sees."""
    keep_first: bool = True
    """Whether the first thing a user said stays in the window."""

    def __post_init__(self) -> None:
        """Refuse what cannot hold anything."""
        if self.reply is not None and self.reply < 0:
            raise BadInput(f"A reply of {self.reply:,} tokens cannot be.", hint="Give `reply` as 0 or more.")
        if self.output < 0 or self.tokens <= self.output:
            raise BadInput(
                f"A budget of {self.tokens:,} tokens with {self.output:,} kept for the reply leaves nothing.",
                hint="Give the model's context size as `tokens`, and less than that as `output`.",
            )
        if not 0 < self.target <= 1:
            raise BadInput(f"A target of {self.target} is no share.", hint="Give a number above 0, up to 1.")
        if self.messages is not None and self.messages < 1:
            raise BadInput("A window of no messages shows nothing.", hint="Give at least 1, or leave it out.")

    def longest_reply(self, asked: int, own: int) -> int:
        """How long the reply to a request of `asked` tokens may be, for a model that gives at most `own`; 0 is unknown.

        A service refuses a request whose longest reply would reach beyond the window, so some room stays for
        what was counted wrong.
        """
        most = own if self.reply is None else self.reply
        left = self.tokens - asked - asked // UNSURE
        return max(1, min(most, max(left, self.output))) if most else 0

    def room(self, *, fixed: int = 0, ratio: int = 1000) -> int:
        """The tokens left for messages, as we count them.

        `fixed` is what system text and tools take; `ratio` is the provider's count in
        thousandths of ours.
        """
        return (self.tokens - self.output) * 1000 // max(1, ratio) - fixed
