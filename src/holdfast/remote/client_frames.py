"""What a client sends to a gateway: one JSON object a frame, told apart by `frame`.

Each frame about a session names it. A frame with an `id` is answered by `done` or `error` with the same id.
"""

from typing import Literal, TypeAlias

import msgspec

from holdfast.ids import Position
from holdfast.records.parts import Blob, Text


class ClientFrame(msgspec.Struct, frozen=True, kw_only=True, tag_field="frame", gc=False):
    """What all of them have."""


class ConnectFrame(ClientFrame, frozen=True, kw_only=True, tag="connect"):
    """The first frame of every client."""

    protocol: int
    """The version of the frames that the client speaks."""
    secret: str = ""
    """The secret that a page got when it logged in: a browser sends its cookie to every port of a host, so the cookie
    alone opens nothing."""
    client: str = ""
    """What it is, for those who see who else is there: `web`, `terminal`, or the name of a program."""


class DraftCursor(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How much a client has of a reply that streams."""

    run: str
    """The `run` of the `hello` under which it was sent."""
    reply: Position
    """The reply, as `delta` names it."""
    chars: int
    """How many characters (Unicode code points) of it the client has, thinking and words together."""


class AttachFrame(ClientFrame, frozen=True, kw_only=True, tag="attach"):
    """Watch a session from a position on; to attach again, give what is there already."""

    session: str
    after: Position | None = None
    """The last position that the client has; -1 for none. Without it, the last entries are sent, as they are
    where the log does not say there what the client has: `after` of the snapshot is another one then."""
    last: int = 100
    """How many of the last entries are sent where `after` is not given, or does not count."""
    epoch: str = ""
    """The epoch of the snapshot that the client's entries came with. Where it is another one by now, `after` and
    `draft` do not count."""
    crc: str = ""
    """The `crc` of the entry at `after`: a log that was restored from a copy may say something else there."""
    draft: DraftCursor | None = None
    id: str = ""


class DetachFrame(ClientFrame, frozen=True, kw_only=True, tag="detach"):
    """Watch a session no longer; what runs in it goes on."""

    session: str
    id: str = ""


class SayFrame(ClientFrame, frozen=True, kw_only=True, tag="say"):
    """Say something. It is durable when `done` comes, with its position."""

    session: str
    id: str
    """The client's own id of the message: sent again, it is said once, and with other words it is an error."""
    parts: tuple[Text | Blob, ...]
    enters: Literal["step", "after"] = "step"
    """While a turn runs: at its next step, or after it."""
    since: Position | None = None
    """The last position that the client had when it sent this message first. A message that is sent again with it is
    known for ever, and without it among the newest sixty-four ids of its session."""
    continues: Position | None = None
    """Go on from this position: what came after it stays as another branch. Edit and regenerate are this."""


class TakeBackFrame(ClientFrame, frozen=True, kw_only=True, tag="take_back"):
    """Take back a message that waits for a turn and that the model has not heard; `done` says whether it was."""

    session: str
    position: Position
    id: str = ""


class StopFrame(ClientFrame, frozen=True, kw_only=True, tag="stop"):
    """Stop the turn that runs."""

    session: str
    id: str = ""


class AnswerFrame(ClientFrame, frozen=True, kw_only=True, tag="answer"):
    """Answer a question."""

    session: str
    question: str
    allowed: bool = False
    always: Literal["", "session", "workspace"] = ""
    text: str = ""
    """The answer to a tool's question; or, with a call that is not allowed, what to do instead."""
    id: str = ""


class CommandFrame(ClientFrame, frozen=True, kw_only=True, tag="command"):
    """Run a slash command in a session."""

    session: str
    line: str
    """As it would be typed, with the slash."""
    id: str = ""


class SeenFrame(ClientFrame, frozen=True, kw_only=True, tag="seen"):
    """The person has seen a session up to a position, on whatever device."""

    session: str
    position: Position
    id: str = ""


class WatchListFrame(ClientFrame, frozen=True, kw_only=True, tag="watch_list"):
    """Have the list of sessions told as it changes: first its newest rows, then each row that changes."""

    limit: int = 50
    """How many rows are sent first."""
    id: str = ""


FromClient: TypeAlias = (
    ConnectFrame
    | AttachFrame
    | DetachFrame
    | SayFrame
    | TakeBackFrame
    | StopFrame
    | AnswerFrame
    | CommandFrame
    | SeenFrame
    | WatchListFrame
)
"""Every frame of a client."""
