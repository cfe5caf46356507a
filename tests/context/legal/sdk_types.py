"""Whether a body is what the services' own packages say it is, to the last key.

The packages of OpenAI and Anthropic describe a request with `TypedDict`s. pydantic reads those, but lets keys pass that
they do not know and looks into no `Iterable` before somebody reads it. So the types are walked here: each key is known,
each that must be there is there, and each value is of its type. Google's package has models of pydantic that refuse
keys they do not know.
"""

import types
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin

from anthropic.types.beta.message_create_params import MessageCreateParams as BetaParams
from anthropic.types.message_create_params import MessageCreateParams
from google.genai import types as google
from openai.types.chat.completion_create_params import CompletionCreateParams
from openai.types.responses.response_create_params import ResponseCreateParams
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType, get_type_hints, is_typeddict

from holdfast.model.protocol import Family

Kind = Any  # a type as it stands in an annotation


class GeminiBody(BaseModel):
    """The body of generateContent; the package makes it of the parts that it has types for."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)

    model: str | None = None
    contents: list[google.Content]
    system_instruction: google.Content | None = None
    tools: list[google.Tool] | None = None
    generation_config: google.GenerationConfig | None = None


def problems(family: Family, body: Mapping[str, object], encoded: bytes) -> list[str]:
    """What is wrong with a body; nothing if the package of its service would send it."""
    match family:
        case "openai-chat":
            return list(mismatches(body, CompletionCreateParams))
        case "openai-responses":
            return list(mismatches(body, ResponseCreateParams))
        case "anthropic":
            thinking = body.get("thinking")
            bound = isinstance(thinking, dict) and "block_binding" in thinking
            return list(mismatches(body, BetaParams if bound else MessageCreateParams))
        case "gemini":
            return _of_gemini(encoded)


def mismatches(value: object, kind: Kind, where: str = "body") -> Iterator[str]:
    """The places where a value is not of a type."""
    origin: Kind = get_origin(kind)
    if isinstance(kind, TypeAliasType):
        yield from mismatches(value, kind.__value__, where)
    elif origin in {Required, NotRequired, Annotated}:
        yield from mismatches(value, get_args(kind)[0], where)
    elif is_typeddict(kind):
        yield from _of_dict(value, kind, where)
    elif origin in {Union, types.UnionType}:
        yield from _of_one(value, get_args(kind), where)
    elif origin is Literal:
        if not any(value == each and type(value) is type(each) for each in get_args(kind)):
            yield f"{where}: {_short(value)} is none of {get_args(kind)}"
    elif _is_sequence(kind, origin):
        yield from _of_list(value, kind, where)
    elif origin in {dict, Mapping}:
        yield from _of_mapping(value, kind, where)
    elif kind not in {object, Any} and not _is(value, kind):
        yield f"{where}: {_short(value)} is no {kind}"


def _of_dict(value: object, kind: Kind, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where}: {_short(value)} is no {kind.__name__}"
        return
    known = _fields(kind)
    yield from (f"{where}.{key}: {kind.__name__} has no such key" for key in value.keys() - known.keys())
    yield from (f"{where}.{key}: {kind.__name__} must have it" for key in _required(kind) - value.keys())
    for key in value.keys() & known.keys():
        yield from mismatches(value[key], known[key], f"{where}.{key}")


def _of_one(value: object, kinds: tuple[Kind, ...], where: str) -> Iterator[str]:
    """What is wrong by the type that comes nearest: of the same form, under the same name, with the fewest faults."""
    found = [list(mismatches(value, kind, where)) for kind in kinds]
    apart = (f"{where}: ", f"{where}.type: ", f"{where}.role: ")
    yield from min(found, key=lambda each: (any(fault.startswith(apart) for fault in each), len(each)))


def _of_list(value: object, kind: Kind, where: str) -> Iterator[str]:
    if not isinstance(value, list):
        yield f"{where}: {_short(value)} is no list"
        return
    (inner,) = get_args(kind) or (object,)
    for index, each in enumerate(value):
        yield from mismatches(each, inner, f"{where}[{index}]")


def _of_mapping(value: object, kind: Kind, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where}: {_short(value)} is no object"
        return
    for key, each in value.items():
        yield from mismatches(key, get_args(kind)[0], f"{where}[{key!r}]")
        yield from mismatches(each, get_args(kind)[1], f"{where}[{key!r}]")


def _is_sequence(kind: Kind, origin: Kind) -> bool:
    named = getattr(origin or kind, "__name__", "")
    return origin in {list, Iterable} or named in {"Iterable", "SequenceNotStr"}


def _is(value: object, kind: Kind) -> bool:
    if kind is None or kind is type(None):
        return value is None
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is kind


def _short(value: object) -> str:
    return f"{value!r}"[:100]


@cache
def _fields(kind: Kind) -> dict[str, Kind]:
    return get_type_hints(kind, include_extras=True)


@cache
def _required(kind: Kind) -> frozenset[str]:
    """The keys that must be there. What the class itself says of them is wrong where annotations are kept as text."""
    inherited = [base for base in getattr(kind, "__orig_bases__", ()) if is_typeddict(base)]
    above = frozenset(key for base in inherited for key in _fields(base))
    own = {key: hint for key, hint in _fields(kind).items() if key not in above}
    must = {key for key, hint in own.items() if get_origin(hint) is Required}
    must |= {key for key, hint in own.items() if kind.__total__ and get_origin(hint) is not NotRequired}
    return frozenset(must).union(*(_required(base) for base in inherited))


def _of_gemini(encoded: bytes) -> list[str]:
    try:
        GeminiBody.model_validate_json(encoded, by_name=False, by_alias=True)
    except ValidationError as error:
        return [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors(include_url=False)]
    return []
