#!/usr/bin/env python3
"""Writes docs/reference/http.md: everything that can be asked of a gateway over HTTP.

Methods, paths, bodies and answers come from the table of the routes. `make docs` runs it; a test fails while the page
is out of date.
"""

import inspect
from pathlib import Path
from typing import get_args

import msgspec

from docs.generate_frames import docs_of, inner_structs, type_of
from holdfast.hosts.gateway.resource import Resource
from holdfast.hosts.gateway.resources import page_files
from holdfast.hosts.gateway.resources.attachments import UPLOAD_BYTES
from holdfast.hosts.gateway.routes import all_routes

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "http.md"

HEAD = f"""\
# HTTP resources of the gateway

After reading this page you can use a gateway (`holdfast serve`) from a program over HTTP. A running session is watched
over the [socket](frames.md), or as Server-Sent Events from `/sessions/{{key}}/events`.

- **Login.** A program sends `Authorization: Bearer TOKEN`. `holdfast serve --token NAME` makes the token. A browser
  sends its cookie and the header `X-Holdfast-Secret`.
- **Bodies** are JSON, with `Content-Type: application/json`. An upload is the bytes of the file, at most
  {UPLOAD_BYTES:,} of them, with the header `X-Holdfast-Upload: 1`.
- **Keys** of sessions are percent-encoded in a path: `team/alice` is `team%2Falice`.
- **Errors** are `{{"error": {{"code": "no_session", "message": "…", "hint": "…"}}}}` with a status of 400 or more. A
  session of another person does not exist for you: 404.

A field whose type ends with `?` may be left out.
"""


def _type(kind: object) -> str:
    """A type without the mark for a field that was left out."""
    kinds = [each for each in get_args(kind) if each is not msgspec.UnsetType]
    left_out = len(kinds) < len(get_args(kind))
    text = " | ".join(type_of(each) for each in kinds) if left_out else type_of(kind)
    return text.replace("readonly ", "").replace("|", "\\|")


def _fields(struct: type[msgspec.Struct]) -> list[str]:
    docs = docs_of(struct)
    lines = ["| field | type | meaning |", "|---|---|---|"]
    for field in msgspec.structs.fields(struct):
        mark = "" if field.required else "?"
        lines.append(f"| `{field.encode_name}` | `{_type(field.type)}`{mark} | {docs.get(field.name, '')} |")
    return lines


def _section(resource: Resource) -> str:
    lines = [f"### `{resource.method} {resource.path}`", "", resource.about, ""]
    if resource.open:
        lines += ["It needs no login.", ""]
    for title, struct in (("It takes", resource.body), ("It gives", resource.answer)):
        if struct is not None:
            lines += [f"{title}:", "", *_fields(struct), ""]
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    resources = [each for each in all_routes().resources if each not in page_files.RESOURCES]
    structs = [each for resource in resources for each in (resource.body, resource.answer) if each is not None]
    values = [each for each in inner_structs(structs) if not each.__module__.endswith("server_frames")]
    pieces = [HEAD, "## Resources\n", *map(_section, resources)]
    if values:
        pieces.append("## Values\n")
    pieces += [
        "\n".join([f"### `{each.__name__}`", "", inspect.getdoc(each) or "", "", *_fields(each), ""]) for each in values
    ]
    pieces.append("`Row` and `EntryFrame` are described in [frames](frames.md).\n")
    return "\n".join(pieces)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
