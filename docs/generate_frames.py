#!/usr/bin/env python3
"""Writes docs/reference/frames.md and web/src/wire.ts: every frame between a gateway and its clients.

Names, types and meanings come from the structs in `holdfast.remote`, entries from `holdfast.records.entries`. `make
docs` runs it; a test fails while the page or the types are out of date.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Literal, NewType, Union, get_args, get_origin

import msgspec

from holdfast.records.entries import KINDS
from holdfast.remote.client_frames import FromClient
from holdfast.remote.server_frames import FromServer
from holdfast.remote.wire import FRAME_BYTES, HEARTBEAT, PATIENCE, PROTOCOL

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "frames.md"
TYPES = ROOT / "web" / "src" / "wire.ts"

HEAD = f"""\
# Frames

What a gateway and its clients say to each other over the WebSocket at `/socket`: one JSON object a message, told apart
by its `frame`. This page and the TypeScript types in `web/src/wire.ts` are generated from the code.

The version of the frames is {PROTOCOL}. The first frame of a client is `connect`, and the gateway answers with `hello`.
A frame with an `id` is answered by `done` or `error` with the same id. Frames and fields that a client does not know
are to be ignored: later versions add some. A frame of a client has at most {FRAME_BYTES:,} bytes.

After {PATIENCE:g} seconds without a frame a client takes its connection for lost and connects again; the gateway lets
no more than {HEARTBEAT:g} seconds pass without one. To go on where it was, a client attaches with the last position it
has, the `epoch` of its snapshot, the `crc` of its last entry, and how much it has of the reply that streams. Characters
are Unicode code points, so a page counts `[...text].length`.

Where the type of a field ends with `?`, it may be left out.
"""

TYPES_HEAD = f"""\
// Generated from the code by `make docs`: do not edit. docs/reference/frames.md says what each frame means.

export const PROTOCOL = {PROTOCOL};
/** Seconds without a frame after which a client connects again. */
export const PATIENCE = {PATIENCE:g};
/** The longest frame of a client, in bytes. */
export const FRAME_BYTES = {FRAME_BYTES};
"""

_WORDS: dict[object, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    datetime: "string",
    NoneType: "null",
    msgspec.Raw: "Entry",
    object: "unknown",
}


def type_of(kind: object) -> str:
    """A type as TypeScript has it."""
    if kind in _WORDS:
        return _WORDS[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return type_of(inner[0])
    if origin is Literal:
        return " | ".join(f'"{each}"' for each in inner)
    if origin in {Union, UnionType}:
        return " | ".join(type_of(each) for each in inner)
    if origin is tuple:
        member = type_of(inner[0])
        return f"readonly ({member})[]" if " " in member else f"readonly {member}[]"
    if origin is dict:
        return f"{{ readonly [name: string]: {type_of(inner[1])} }}"
    if isinstance(kind, NewType):
        return type_of(kind.__supertype__)
    if isinstance(kind, type):
        return kind.__name__
    raise TypeError(kind)


def docs_of(struct: type) -> dict[str, str]:
    """What the docstrings below the fields of a struct say, those of what it is made from included."""
    found: dict[str, str] = {}
    for each in reversed(inspect.getmro(struct)):
        if issubclass(each, msgspec.Struct) and each.__module__.startswith("holdfast."):
            made = ast.parse(textwrap.dedent(inspect.getsource(each))).body[0]
            found |= dict(_fields(made.body)) if isinstance(made, ast.ClassDef) else {}
    return found


def _fields(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, below in pairwise((*body, ast.Pass())):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())
            case ast.AnnAssign(target=ast.Name(id=name)), _:
                yield name, ""
            case _:
                pass


def _structs(kind: object) -> Iterator[type[msgspec.Struct]]:
    """The structs that a type is made of, itself first."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield kind
        for field in msgspec.structs.fields(kind):
            yield from _structs(field.type)
        return
    for inner in get_args(kind):
        yield from _structs(inner)


def inner_structs(frames: Iterable[type[msgspec.Struct]]) -> list[type[msgspec.Struct]]:
    """What frames carry that is no frame, each once."""
    frames = list(frames)
    every = dict.fromkeys(each for frame in frames for each in _structs(frame))
    return [each for each in every if each not in frames]


def _optional(struct: type[msgspec.Struct], field: msgspec.structs.FieldInfo) -> bool:
    """Whether a field may be missing: a client may leave it out, or it is not written where it has its default."""
    from_client = struct in get_args(FromClient) or struct.__module__.endswith("client_frames")
    return not field.required and (from_client or struct.__struct_config__.omit_defaults)


def types() -> str:
    """The whole module of types."""
    from_client, from_server = get_args(FromClient), get_args(FromServer)
    pieces = [TYPES_HEAD]
    frames = (*from_client, *from_server)
    entries = list(KINDS.values())
    pieces += [_interface(each) for each in inner_structs([*frames, *entries])]
    pieces += [_interface(each) for each in frames]
    pieces += [_interface(each, "Entry", WRITTEN) for each in entries]
    pieces.append(f"/** {UNKNOWN_DOC} */\nexport interface UnknownEntry {{\n  readonly kind: string;\n{WRITTEN}}}\n")
    pieces.append(_union("FromClient", from_client))
    pieces.append(_union("FromServer", from_server))
    pieces.append(_union("KnownEntry", entries, "Entry"))
    kinds = "\n".join(f'  "{kind}",' for kind in KINDS)
    pieces.append(f"/** The kinds of entries that are known here. */\nexport const KINDS = [\n{kinds}\n] as const;\n")
    pieces.append("/** A line of a log; its `kind` may be one that this version does not know. */")
    pieces.append("export type Entry = KnownEntry | UnknownEntry;\n")
    return "\n".join(pieces)


UNKNOWN_DOC = "A line of a kind that is not known here."
WRITTEN = "  readonly v: number;\n  readonly pos: number;\n  readonly at: string;\n  readonly crc: string;\n"
"""What every line of a log has beside what its kind says."""


def _union(name: str, members: Iterable[type], suffix: str = "") -> str:
    lines = "\n".join(f"  | {each.__name__}{suffix}" for each in members)
    return f"export type {name} =\n{lines};\n"


def _interface(struct: type[msgspec.Struct], suffix: str = "", more: str = "") -> str:
    docs = docs_of(struct)
    config = struct.__struct_config__
    lines = [f"/** {' '.join((inspect.getdoc(struct) or '').split())} */"]
    lines.append(f"export interface {struct.__name__}{suffix} {{")
    if config.tag_field:
        lines.append(f'  readonly {config.tag_field}: "{config.tag}";')
    if more:
        lines.append(more.rstrip("\n"))
    for field in msgspec.structs.fields(struct):
        if docs.get(field.name):
            lines.append(f"  /** {docs[field.name]} */")
        mark = "?" if _optional(struct, field) else ""
        lines.append(f"  readonly {field.encode_name}{mark}: {type_of(field.type)};")
    return "\n".join([*lines, "}", ""])


def page() -> str:
    """The whole reference page."""
    pieces = [HEAD]
    for title, frames in (("From a client", get_args(FromClient)), ("From the gateway", get_args(FromServer))):
        pieces.append(f"## {title}\n")
        pieces += [_section(each, f"`{each.__struct_config__.tag}`") for each in frames]
    pieces.append("## Values in frames\n")
    values = inner_structs((*get_args(FromClient), *get_args(FromServer)))
    pieces += [_section(each, f"`{each.__name__}`") for each in values]
    return "\n".join(pieces)


def _section(struct: type[msgspec.Struct], title: str) -> str:
    docs = docs_of(struct)
    lines = [f"### {title}", "", " ".join((inspect.getdoc(struct) or "").split()), ""]
    fields = msgspec.structs.fields(struct)
    if fields:
        lines += ["| field | type | meaning |", "|---|---|---|"]
    for field in fields:
        mark = "?" if _optional(struct, field) else ""
        kind = type_of(field.type).replace("readonly ", "").replace("|", "\\|")
        lines.append(f"| `{field.encode_name}` | `{kind}`{mark} | {docs.get(field.name, '')} |")
    return "\n".join([*lines, ""] if fields else lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    TYPES.parent.mkdir(parents=True, exist_ok=True)
    TYPES.write_text(types(), encoding="utf-8")
