"""How much is remembered, and what that may cost."""

from typing import Literal

from holdfast.errors import BadInput
from holdfast.records.parts import Value


class MemorySettings(Value, frozen=True, kw_only=True):
    """What is remembered from one session to the next."""

    enabled: bool = True
    """Whether facts are remembered, and shown to the model; without it, what was remembered stays and is not shown."""
    model: str = ""
    """The model that finds facts in what was said; without it the one that summarizes."""
    tokens_per_day: int = 200_000
    """How many tokens finding facts may use in a day (UTC), in all sessions together; 0 asks no model."""
    core_tokens: int = 2_000
    """How much of what is remembered the model is told at the start of each session, in tokens."""
    quiet: float = 20.0
    """After how many seconds without a new message a shorter stretch is looked at."""
    recall: Literal["tool", "off"] = "tool"
    """How the model finds what was said before: by asking for it with the tool `recall`, or not at all."""
    exclude: tuple[str, ...] = ()
    """Sessions that nothing is remembered from, by a tag or by the identity of a workspace."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("tokens_per_day", "core_tokens", "quiet"):
            if not getattr(self, name) >= 0:
                raise BadInput(f"`{name}` is {getattr(self, name)}.", hint="Give 0 or more.")
