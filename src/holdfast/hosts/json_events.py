"""Events as JSON, for programs: one object a line, each with its `event`.

What is of the moment comes as it is; an entry comes as it stands in the log, with its position.
"""

import re

import msgspec

from holdfast.agent.events import Appended, Event

_WORDS = re.compile(r"(?<!^)(?=[A-Z])")


def name_of(event: type[Event]) -> str:
    """How an event is called in JSON: `TurnBegan` is `turn_began`."""
    return _WORDS.sub("_", event.__name__).lower()


def frame(event: Event) -> dict[str, object]:
    """An event, for any JSON encoder."""
    if isinstance(event, Appended):
        line: dict[str, object] = msgspec.json.decode(event.record.raw)
        return {"event": name_of(Appended), "entry": line}
    # Every field is there, also where it is the usual one: whoever reads it need not know the defaults.
    return {"event": name_of(type(event)), **{name: _plain(getattr(event, name)) for name in event.__struct_fields__}}


def _plain(value: object) -> object:
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
