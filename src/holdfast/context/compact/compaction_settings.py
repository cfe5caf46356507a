"""How and when a session is compacted."""

from holdfast.errors import BadInput
from holdfast.records.parts import Value


class CompactionSettings(Value, frozen=True, kw_only=True):
    """The settings of compaction; the defaults fit a window of 128,000 tokens or more."""

    share: float = 0.8
    """Compact when the window takes more than this share of the budget's tokens or messages."""
    messages: int | None = None
    """Compact when there are more messages than this, calls' results included."""
    target: float = 0.6
    """Bring the window down to this share of what made compaction due."""
    protected: int = 40_000
    """Tool results among the newest so many tokens are never shortened; give less for a small window."""
    characters: int = 400
    """How much is left of a tool result that is shortened."""
    turns: int = 2
    """So many of the newest turns are never summarized."""
    from_originals: bool = False
    """Whether a later summary is made of everything that was said, or of the earlier summary and what came after it.
    The former costs more and forgets less."""
    reads: int = 400_000
    """A summary is made of at most so many tokens; what is older is left out of it, and it says so."""
    entries: int = 65_536
    """And of at most so many entries, however short they are."""
    window: int = 128_000
    """What the model that summarizes can take, its answer included."""
    output: int = 4_096
    """How long a summary may be, in that model's tokens."""
    gain: float = 0.1
    """A compaction that frees less than this share was not worth it: the second one in a row is an error."""

    def __post_init__(self) -> None:
        """Refuse what can never work."""
        for name in ("share", "target", "gain"):
            if not 0 < getattr(self, name) <= 1:
                raise BadInput(
                    f"`{name}` is {getattr(self, name)}, which is no share.", hint="Give one above 0, up to 1."
                )
        for name in ("turns", "reads", "entries", "output"):
            if getattr(self, name) < 1:
                raise BadInput(f"`{name}` is {getattr(self, name)}.", hint="Give at least 1.")
        if self.messages is not None and self.messages < 1:
            raise BadInput("Compacting at no messages never ends.", hint="Give at least 1, or leave it out.")
        if self.protected < 0 or self.characters < 0:
            raise BadInput("`protected` and `characters` cannot be below 0.", hint="Give 0 or more.")
        if self.window <= 2 * self.output:
            raise BadInput(
                f"A model that takes {self.window:,} tokens cannot merge summaries of {self.output:,}.",
                hint="Give its context size as `window`, and less than half of that as `output`.",
            )
