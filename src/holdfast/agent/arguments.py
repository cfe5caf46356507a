"""The arguments of a call: the schema the model is told, and the parsing of what it sent.

Both come from one struct, so they cannot disagree. Models send text that is not JSON, numbers as
strings and fields that do not exist; each is an error that tells the model what to send instead.
"""

from typing import Any, TypeVar

import msgspec

from holdfast.errors import ToolFailed
from holdfast.model.protocol import ToolSpec

T = TypeVar("T", bound=msgspec.Struct)


def spec_of(name: str, description: str, arguments: type[msgspec.Struct]) -> ToolSpec:
    """A tool as the model is told of it, with the arguments of a struct that forbids unknown fields."""
    (schema,), parts = msgspec.json.schema_components([arguments], ref_template="{name}")
    written = msgspec.json.encode(_inlined(schema, parts)).decode()
    return ToolSpec(name=name, description=description, schema=written)


def parsed(arguments: str, kind: type[T]) -> T:
    """What the model sent, as a struct. Raises `ToolFailed` with what is wrong."""
    try:
        return msgspec.json.decode(arguments or "{}", type=kind, strict=False)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        fields = ", ".join(f"`{name}`" for name in kind.__struct_encode_fields__) or "nothing"
        raise ToolFailed(
            f"The arguments cannot be used: {error}.", hint=f"Send a JSON object with {fields}."
        ) from error


def _inlined(schema: Any, parts: dict[str, Any]) -> Any:  # noqa: ANN401
    """A schema without references, which some providers do not follow, and without titles, which say nothing."""
    if isinstance(schema, list):
        return [_inlined(each, parts) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(parts[schema["$ref"]], parts)
    return {
        name: {field: _inlined(each, parts) for field, each in value.items()}
        if name == "properties"
        else _inlined(value, parts)
        for name, value in schema.items()
        if name != "title" or not isinstance(value, str)
    }
