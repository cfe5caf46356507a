"""Tools and their calls as every family takes them: ids, names, arguments, schemas.

Models call tools that do not exist, by names no provider takes back, with arguments
that are no JSON. What is sent back is lawful, the same every time, and shows what was
changed. One narrow form for all families, so that a session can move between them.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256

import msgspec

from holdfast.context.legal.clean_text import clean, is_blank, is_clean
from holdfast.context.legal.rendered import Dropped, Json
from holdfast.errors import BadInput
from holdfast.model.protocol import ToolSpec

RAW = "_raw"
"""The key under which arguments stand that are not a JSON object a provider takes."""

_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")
_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_KEPT = 54
"""Characters of a name that stay in front of its hash."""
_DEPTH = 32
"""Deeper arguments meet the nesting limits of the parsers that providers use."""
_LOWEST, _HIGHEST = -(2**63), 2**64 - 1
_CHOICES = ("oneOf", "anyOf", "allOf", "enum", "not")
"""What providers refuse at the top of a schema. Without it every lawful call stays lawful."""


def wire_id(call: str) -> str:
    """The id of a call as a request names it."""
    return call if _ID.fullmatch(call) else f"call_{_hash(call)[:32]}"


def wire_name(name: str) -> str:
    """The name of a tool as a request names it: unchanged if every family takes it.

    Who reads a reply turns names back with the same function over the tools it offered.
    """
    if _NAME.fullmatch(name):
        return name
    kept = re.sub(r"[^a-zA-Z0-9_-]", "_", name[:_KEPT])
    lead = "" if re.match(r"[a-zA-Z_]", kept) else "_"
    return f"{lead}{kept}_{_hash(name)[:8]}"


def wire_arguments(text: str) -> str:
    """The arguments of a call as the text of a JSON object: as the model sent them, if they are one."""
    if is_blank(text):
        return "{}"
    sent = clean(text)
    return sent if _object(sent) is not None else json.dumps({RAW: sent}, ensure_ascii=False)


def parsed_arguments(text: str) -> Json:
    """What `wire_arguments` says, for families that want an object."""
    if is_blank(text):
        return {}
    sent = clean(text)
    found = _object(sent)
    return {RAW: sent} if found is None else found


def offered(tools: Iterable[ToolSpec], dropped: list[Dropped]) -> Iterator[tuple[str, str, Json]]:
    """Name, description and schema of each tool, each name once."""
    seen: set[str] = set()
    for tool in tools:
        name = wire_name(tool.name)
        if name in seen:
            dropped.append(Dropped(kind="tool", name=tool.name, why="another tool has this name"))
            continue
        seen.add(name)
        said = clean(tool.description)
        yield name, name if is_blank(said) else said, _schema(tool, dropped)


def can_be_sent(schema: str) -> bool:
    """Whether every family takes this schema of a tool: one that none takes would fail each request it is in."""
    found = _object(schema)
    if found is None or found.get("type", "object") != "object":
        return False
    properties, required = found.get("properties", {}), found.get("required", [])
    named = isinstance(properties, dict) and all(
        _PROPERTY.fullmatch(name) and isinstance(each, dict | bool) for name, each in properties.items()
    )
    return named and isinstance(required, list) and all(isinstance(each, str) for each in required)


def _schema(tool: ToolSpec, dropped: list[Dropped]) -> Json:
    schema = _object(tool.schema)
    if schema is None:
        raise BadInput(
            f"The schema of the tool {tool.name!r} is not a JSON object that can be sent.",
            hint='Describe its arguments as in {"type": "object", "properties": {…}}.',
        )
    unfit = [key for key in _CHOICES if key in schema]
    if unfit:
        why = f"providers refuse {' and '.join(unfit)} at the top of a schema"
        dropped.append(Dropped(kind="schema", name=tool.name, why=why))
    kept = {key: value for key, value in schema.items() if key not in unfit}
    return {**kept, "type": "object", "properties": kept.get("properties", {})}


def _object(text: str) -> Json | None:
    """The JSON object in a text; None if it is none, or one that some provider would read otherwise."""
    try:
        value = json.loads(text, object_pairs_hook=_each_key_once)
    except (ValueError, RecursionError):
        return None
    return msgspec.convert(value, Json) if isinstance(value, dict) and _fits(value, _DEPTH) else None


def _each_key_once(pairs: list[tuple[str, object]]) -> Json:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _fits(value: object, depth: int) -> bool:
    match value:
        case str():
            return is_clean(value)
        case float():
            return math.isfinite(value)
        case int():
            return _LOWEST <= value <= _HIGHEST
        case dict():
            return depth > 0 and all(is_clean(key) and _fits(each, depth - 1) for key, each in value.items())
        case list():
            return depth > 0 and all(_fits(each, depth - 1) for each in value)
        case _:
            return True


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
