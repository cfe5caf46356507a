"""What a message is made of.

Tool arguments are kept as the text the model sent, because models send text that
is not JSON, numbers that no float can hold, and keys twice; parsing is for those
who run the tool. Large or binary content is a `Blob`: the line holds a reference
and a preview, the bytes lie beside the log under their hash.
"""

from typing import Literal, TypeAlias

import msgspec

from holdfast.ids import BlobId, CallId


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A frozen, keyword-only value; equality is content, defaults are not written."""


class Text(Value, frozen=True, kw_only=True, tag_field="kind", tag="text"):
    """Words."""

    text: str
    given: Literal["", "pasted", "piped", "file"] = ""
    """How a person gave them, where they did not type them: they are not taken for their own."""


class Thinking(Value, frozen=True, kw_only=True, tag_field="kind", tag="thinking"):
    """What a model thought before it spoke, with the proof its provider wants back."""

    text: str
    signature: str = ""
    """The provider's signature; valid only with the provider and model that made it."""
    provider: str = ""
    """Which service sent it; empty if it has neither a signature nor a form."""
    model: str = ""
    """Which model thought it; empty as above."""
    form: str = ""
    """How its service sent it, and so wants it back: the name of a field, or the mark that it stood in; "" where
    the service has one way only."""


class ToolCall(Value, frozen=True, kw_only=True, tag_field="kind", tag="tool_call"):
    """A model asks for a tool."""

    id: CallId
    name: str
    arguments: str = "{}"
    """As the model sent them: usually, not always, a JSON object."""


class Blob(Value, frozen=True, kw_only=True, tag_field="kind", tag="blob"):
    """An attachment, or text too long for a line."""

    blob: BlobId
    media_type: str
    size: int
    """In bytes."""
    name: str = ""
    """The file name it came with, if any."""
    preview: str = ""
    """The first words of a text."""


Part: TypeAlias = Text | Thinking | ToolCall | Blob
"""One piece of a message."""


class Usage(Value, frozen=True, kw_only=True):
    """Tokens and money that a call to a model used."""

    input_tokens: int = 0
    cached_tokens: int = 0
    """The share of the input that came from the provider's cache."""
    output_tokens: int = 0
    cost_micros: int = 0
    """Millionths of a US dollar, where the price is known."""
    cache_write_tokens: int = 0
    """The share of the input that was written to the provider's cache."""
    reasoning_tokens: int = 0
    """The share of the output that was thinking."""

    def plus(self, other: "Usage") -> "Usage":
        """Add two usages up."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_micros=self.cost_micros + other.cost_micros,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
        )

    def less(self, other: "Usage") -> "Usage":
        """What came on top of another usage."""
        return Usage(
            input_tokens=self.input_tokens - other.input_tokens,
            cached_tokens=self.cached_tokens - other.cached_tokens,
            output_tokens=self.output_tokens - other.output_tokens,
            cost_micros=self.cost_micros - other.cost_micros,
            cache_write_tokens=self.cache_write_tokens - other.cache_write_tokens,
            reasoning_tokens=self.reasoning_tokens - other.reasoning_tokens,
        )


class Source(Value, frozen=True, kw_only=True):
    """Where a message came from, or goes to."""

    host: str
    """terminal, web, or the name of a channel."""
    sender: str = ""
    """Who, as the host names them."""
    account: str = ""
    """Which account of ours it came to, where there are several."""
    thread: str = ""
    """Which conversation of the service it belongs to."""
    message: str = ""
    """The service's own id of the message."""

    @property
    def is_engine(self) -> bool:
        """Whether Holdfast itself says it: a goal, a timer, a hook, the task of a subtask. It is no person's word."""
        return self.host in ENGINE_HOSTS


ENGINE_HOSTS = frozenset({"goal", "timer", "task", "hook"})
"""Hosts under which Holdfast itself, or a program of the user, says something to the agent. It never counts as a
person's words."""


def plain_text(parts: tuple[Part, ...]) -> str:
    """The words of a message: its texts and previews, without thinking and calls."""
    words = [
        part.text if isinstance(part, Text) else part.preview
        for part in parts
        if isinstance(part, Text) or (isinstance(part, Blob) and part.preview)
    ]
    return "\n".join(words)
