"""A model: a request in, a stream of deltas out.

Messages are neutral. What a provider wants of them (who speaks first, how results
follow calls, which thinking it takes back) is the business of `context/legal`.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Literal, Protocol, TypeAlias

from holdfast.ids import BlobId, CallId, Position
from holdfast.records.parts import Part, Usage, Value

Family = Literal["openai-chat", "openai-responses", "anthropic", "gemini"]
"""A way of talking to models that many providers share."""

Effort = Literal["", "low", "medium", "high"]
"""How long a model may think; '' leaves it to the model."""

Stop = Literal["ended", "called", "length", "refused"]
"""Why a model stopped by itself."""


class UserMessage(Value, frozen=True, kw_only=True, tag_field="role", tag="user"):
    """What a person said, or what we tell the model in their place."""

    parts: tuple[Part, ...]
    pos: Position = Position(-1)
    """Where it stands in the log; -1 for what we tell the model ourselves."""


class AssistantMessage(Value, frozen=True, kw_only=True, tag_field="role", tag="assistant"):
    """What the model said: words, thinking, calls."""

    parts: tuple[Part, ...]
    pos: Position = Position(-1)


class ToolMessage(Value, frozen=True, kw_only=True, tag_field="role", tag="tool"):
    """What came of one call."""

    call: CallId
    """The id of the call as the request names it, unique in the request."""
    name: str
    parts: tuple[Part, ...]
    ok: bool = True
    pos: Position = Position(-1)


Message: TypeAlias = UserMessage | AssistantMessage | ToolMessage
"""One message of a request, in no provider's form."""


class ToolSpec(Value, frozen=True, kw_only=True):
    """A tool as the model is told of it."""

    name: str
    description: str
    schema: str = '{"type":"object","properties":{}}'
    """The JSON schema of its arguments."""


class Target(Value, frozen=True, kw_only=True):
    """Which model a request is for."""

    family: Family
    model: str
    provider: str = ""
    """Who runs it, as thinking signatures name it."""


class Request(Value, frozen=True, kw_only=True):
    """Everything a model needs for its next reply."""

    target: Target
    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    max_output_tokens: int = 4096
    """The longest reply, thinking included; 0 leaves it to the service."""
    effort: Effort = ""
    """How long the model may think; a service that cannot be told is not."""
    media: Mapping[BlobId, bytes] = {}
    """The bytes of the attachments that messages name; one that is not here is described in words."""


class TextDelta(Value, frozen=True, kw_only=True):
    """More words."""

    text: str


class ThinkingDelta(Value, frozen=True, kw_only=True):
    """More thinking; the signature comes with its last piece."""

    text: str = ""
    signature: str = ""
    form: str = ""
    """How the service sent it, as `Thinking.form` keeps it."""
    before: bool = False
    """Whether the text of this reply up to here was thinking too, although nothing said so."""


class CallDelta(Value, frozen=True, kw_only=True):
    """More of a tool call: the first piece names it, later ones carry arguments."""

    index: int
    """Which call of this reply, counted from 0."""
    id: str = ""
    name: str = ""
    arguments: str = ""


class Finished(Value, frozen=True, kw_only=True):
    """The reply is complete."""

    stop: Stop = "ended"
    usage: Usage | None = None


Delta: TypeAlias = TextDelta | ThinkingDelta | CallDelta | Finished
"""One piece of a streaming reply. `Finished` comes last and once, unless the stream breaks."""


class Model(Protocol):
    """Something that answers."""

    @property
    def target(self) -> Target:
        """Which model this is, and how it is talked to."""
        ...

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Answer a request, piece by piece.

        Closing the iterator at any point cancels the request at the provider. Raises
        `Refused` if the request is wrong or not allowed (trying again would not help),
        `Overflow` if it is longer than the model can take, and `Unavailable` for
        what may be over soon; whatever was yielded before then has been said.
        Whatever comes from the service without being a piece of the reply is told with
        `holdfast.model.liveness.alive`: one that says it is at work is waited for longer.
        """
        ...
