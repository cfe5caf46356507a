"""What the checkers of all families share.

A checker knows the body of a request and nothing else, and is written from what the
provider documents and answers, not from how we write requests: it is there to find us
wrong. Shapes are strict: a field that a family does not know is a violation too.
"""

import math
import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from holdfast.context.legal.attachments import Bounds, media_type_of
from holdfast.context.legal.clean_text import is_clean
from holdfast.context.legal.rendered import Violation
from holdfast.records.parts import Value

T = TypeVar("T")

EVERYWHERE = {
    "json": "A body is made of objects, lists, texts, finite numbers, true, false and null.",
    "unicode": "A text is valid Unicode and has no NUL.",
    "shape": "A body has the fields of its family, no others, and of the right types.",
}
"""Rules that hold for every family."""

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,(.*)", re.DOTALL)
_CHOICES = {"oneOf", "anyOf", "allOf", "enum", "not"}


class BodyPart(Value, frozen=True, forbid_unknown_fields=True):
    """A part of a body."""


class Findings:
    """The violations found so far, each in the words of its rule."""

    def __init__(self, rules: Mapping[str, str]) -> None:
        """Start with nothing found."""
        self._rules = rules
        self._found: list[Violation] = []

    def add(self, rule: str, where: str) -> None:
        """A rule is broken here."""
        self._found.append(Violation(rule=rule, where=where, why=self._rules[rule]))

    def unless(self, holds: object, rule: str, where: str) -> None:
        """A rule is broken here, unless it holds."""
        if not holds:
            self.add(rule, where)

    def all(self) -> tuple[Violation, ...]:
        """What was found."""
        return tuple(self._found)


def parsed(body: object, shape: type[T]) -> T | tuple[Violation, ...]:
    """A body in its shape, or what is wrong with it before any rule of its family is asked."""
    unsendable = tuple(_unsendable(body))
    if unsendable:
        return unsendable
    try:
        return msgspec.convert(body, shape)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at ")
        return (Violation(rule="shape", where=where.strip("`") or "$", why=f"{EVERYWHERE['shape']} {what}."),)


def _unsendable(body: object) -> Iterable[Violation]:
    rest: list[tuple[str, object]] = [("$", body)]
    while rest:
        where, value = rest.pop()
        match value:
            case str():
                if not is_clean(value):
                    yield Violation(rule="unicode", where=where, why=EVERYWHERE["unicode"])
            case dict():
                for key, each in value.items():
                    rest += [(f"{where}.{key!r}", key)] if isinstance(key, str) else [(where, (key,))]
                    rest.append((f"{where}.{key}", each))
            case list():
                rest += [(f"{where}[{index}]", each) for index, each in enumerate(value)]
            case None | bool() | int():
                pass
            case float() if math.isfinite(value):
                pass
            case _:
                yield Violation(rule="json", where=where, why=EVERYWHERE["json"])


def check_name(name: str, where: str, found: Findings) -> None:
    """A tool's name is one that the family takes."""
    found.unless(_NAME.fullmatch(name), "tool_names", where)


def check_tools(tools: Sequence[tuple[str, dict[str, object]]], found: Findings) -> None:
    """Tools have lawful names, each once, and schemas of objects."""
    seen = Counter(name for name, _ in tools)
    for index, (name, schema) in enumerate(tools):
        where = f"tools[{index}]"
        check_name(name, where, found)
        found.unless(seen[name] == 1, "tool_names", where)
        lawful = schema.get("type") == "object" and isinstance(schema.get("properties"), dict)
        found.unless(lawful and not _CHOICES & schema.keys(), "tool_schemas", where)


def check_ids(ids: Iterable[tuple[str, str]], pattern: re.Pattern[str], found: Findings) -> None:
    """Each call has an id of its own, in the family's letters."""
    seen: set[str] = set()
    for where, each in ids:
        found.unless(pattern.fullmatch(each) and each not in seen, "call_ids", where)
        seen.add(each)


def check_media(media: Sequence[tuple[str, str, str]], bounds: Bounds, found: Findings) -> None:
    """Attachments (where, type, base64) are what they say they are, and within bounds."""
    for where, media_type, data in media:
        found.unless(media_type in bounds.media_types and media_type == _real_type(data), "media_types", where)
        found.unless(len(data) <= bounds.each, "media_sizes", where)
    total = sum(len(data) for _, _, data in media)
    found.unless(len(media) <= bounds.count and total <= bounds.total, "media_sizes", "$")


def from_data_url(url: str) -> tuple[str, str]:
    """The media type and the base64 of a data URL; two empty texts for anything else."""
    match = _DATA_URL.fullmatch(url)
    return (match[1], match[2]) if match else ("", "")


def is_object(text: str) -> bool:
    """Whether a text is that of a JSON object."""
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, RecursionError):
        return False


def _real_type(data: str) -> str:
    try:
        return media_type_of(b64decode(data, validate=True))
    except NotBase64:
        return "not base64"
