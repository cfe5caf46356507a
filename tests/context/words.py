"""Short words for what the tests of windows do again and again."""

from collections.abc import Sequence

from holdfast.context.timeline import Timeline
from holdfast.context.units import Composer
from holdfast.context.window import Window
from holdfast.ids import BlobId, CallId
from holdfast.model.protocol import Message
from holdfast.records.entries import Delivered, Entry, ModelReplied, ToolFinished, UserSaid
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall
from tests.session.talk import records_of

PICTURE = Blob(blob=BlobId("0" * 64), media_type="image/png", size=2_000, name="boat.png")


def cost(message: Message) -> int:
    """One token for each word, and one for each message, picture, thought and call."""
    return 1 + sum(len(part.text.split()) if isinstance(part, Text) else 1 for part in message.parts)


def composer(*, timestamps: bool = False) -> Composer:
    """What makes units that cost as above."""
    return Composer(cost, timestamps=timestamps)


def timeline(*entries: Entry, start: int = 0) -> Timeline:
    """The timeline of a log with these entries."""
    made = Timeline(composer())
    for record in records_of(*entries, first=start):
        made.add(record)
    return made


def delivered(text: str) -> Delivered:
    """Something the agent said unasked."""
    return Delivered(parts=(Text(text=text),))


def queued(text: str, enters: str) -> UserSaid:
    """Something a user said while a turn ran."""
    return UserSaid(parts=(Text(text=text),), enters="step" if enters == "step" else "after")


def asked(*calls: str, text: str = "") -> ModelReplied:
    """A reply that calls a tool once for each id."""
    said: tuple[Part, ...] = (Text(text=text),) if text else ()
    return ModelReplied(parts=(*said, *(ToolCall(id=CallId(each), name="shell") for each in calls)), stop="called")


def gave(call: str, text: str = "done") -> ToolFinished:
    """What a tool gave."""
    return ToolFinished(call=CallId(call), name="shell", parts=(Text(text=text),))


def spoken(messages: Sequence[Message]) -> list[str]:
    """Messages as a person would write them down: who, and what."""
    return [f"{message.__struct_config__.tag}: {' '.join(map(_word, message.parts))}" for message in messages]


def seen(window: Window) -> list[str]:
    """What a window shows."""
    return spoken(window.messages)


def shown(made: Timeline) -> list[str]:
    """What a timeline would show, had it room."""
    return spoken([message for unit in made.units() for message in unit.messages])


def _word(part: Part) -> str:
    match part:
        case Text():
            return part.text
        case Thinking():
            return f"({part.text})"
        case ToolCall():
            return f"{part.name}!"
        case Blob():
            return f"<{part.name}>"
