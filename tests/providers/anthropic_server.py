"""A stand-in that speaks Anthropic's stream, in the shape the Messages API documents.

A request that breaks a rule of the API is refused, as the API does.
"""

import json
from collections.abc import Sequence

from holdfast.context.legal.families import check
from tests.providers.stand_in import Answer, Asked, Json, Piece, StandIn, said

KEY = "sk-ant-a-key-nobody-may-see"
"""The one key that is known."""

PING: Json = {"type": "ping"}
SETTINGS = {"thinking", "output_config"}
"""Fields that the rules of the messages say nothing about."""


def error(kind: str, message: str) -> Json:
    """An error, as a body or as an event."""
    return {"type": "error", "error": {"type": kind, "message": message}}


def event(*events: Json) -> bytes:
    """Events as bytes."""
    return b"".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in events)


def start(usage: Json | None = None) -> Json:
    """How every message begins."""
    message: Json = {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "claude-sonnet-4-5",
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage or {"input_tokens": 25, "output_tokens": 1},
    }
    return {"type": "message_start", "message": message}


def end(reason: str, output: int = 15) -> Sequence[Json]:
    """How every message ends."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    return ({"type": "message_delta", "delta": delta, "usage": {"output_tokens": output}}, {"type": "message_stop"})


def block(content: Json, *deltas: Json) -> Sequence[Json]:
    """A block and its pieces; where it stands is filled in later."""
    return (
        {"type": "content_block_start", "content_block": content},
        *({"type": "content_block_delta", "delta": delta} for delta in deltas),
        {"type": "content_block_stop"},
    )


def text(*pieces: str) -> Sequence[Json]:
    """Words."""
    return block({"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def thinking(*pieces: str, signature: str) -> Sequence[Json]:
    """Thinking, signed at its end."""
    deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
    signed = {"type": "signature_delta", "signature": signature}
    return block({"type": "thinking", "thinking": "", "signature": ""}, *deltas, signed)


def redacted(data: str) -> Sequence[Json]:
    """Thinking that the service keeps to itself."""
    return block({"type": "redacted_thinking", "data": data})


def tool_use(call: str, name: str, *pieces: str) -> Sequence[Json]:
    """A call, its arguments in pieces of JSON."""
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return block({"type": "tool_use", "id": call, "name": name, "input": {}}, *deltas)


def begun(*blocks: Sequence[Json], usage: Json | None = None) -> list[Piece]:
    """The pieces of a message up to its end, each event on its own."""
    events = [start(usage), PING]
    for index, each in enumerate(blocks):
        events += [{**one, "index": index} for one in each]
    return [event(each) for each in events]


def message(*blocks: Sequence[Json], stop: str = "end_turn", usage: Json | None = None, output: int = 15) -> Answer:
    """A whole message."""
    return Answer([*begun(*blocks, usage=usage), *(event(each) for each in end(stop, output))])


def anthropic(*answers: Answer, port: int = 0) -> StandIn:
    """A service that answers in order, and refuses what the API would refuse."""
    return StandIn(*answers, refuse=_refuse, port=port)


def _refuse(asked: Asked) -> Answer | None:
    body = {name: value for name, value in asked.body.items() if name not in SETTINGS}
    broken = [f"{each.rule} at {each.where}: {each.why}" for each in check("anthropic", body)]
    if broken:
        return said(400, error("invalid_request_error", f"illegal: {'; '.join(broken)}"))
    if "block_binding" in asked.body.get("thinking", {}) and "thinking-binding" not in asked.headers["anthropic-beta"]:
        return said(400, error("invalid_request_error", "thinking.block_binding: Extra inputs are not permitted"))
    known = KEY in (asked.headers.get("x-api-key"), asked.headers.get("authorization", "").removeprefix("Bearer "))
    return None if known else said(401, error("authentication_error", "invalid x-api-key"))
