"""A stand-in that speaks Gemini's stream, in the shape the generateContent reference documents.

A request that breaks a rule of the API is refused, as the API does.
"""

import re
from base64 import b64encode

from holdfast.context.legal.families import check
from holdfast.providers.gemini import GeminiModel
from tests.providers.stand_in import Answer, Asked, Json, StandIn, data, said

KEY = "AIza-a-key-nobody-may-see"
"""The one key that is known."""
GEMINI = "gemini-3-pro-preview"
SIGNATURE = b64encode(b"thought, and signed").decode()

_PATH = re.compile(r"/v1beta/(models/[^/:]+):streamGenerateContent\?alt=sse")


def content(*parts: Json, finish: str | None = None, usage: Json | None = None, **more: object) -> Json:
    """A piece of Gemini's stream."""
    candidate: Json = {"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": GEMINI, "usageMetadata": usage or {}, "responseId": "r1"}


def answer(*parts: Json, finish: str = "STOP", usage: Json | None = None, **more: object) -> Answer:
    """A whole answer, each part in an event of its own."""
    *before, last = parts
    return Answer([*(data(content(part)) for part in before), data(content(last, finish=finish, usage=usage, **more))])


def error(code: int, message: str, status: str, *details: Json) -> Json:
    """An error, as a body or as an event."""
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


def gemini(*answers: Answer) -> StandIn:
    """A service that answers in order, and refuses what the API would refuse."""
    return StandIn(*answers, refuse=_refuse)


def asking(there: StandIn, model: str = GEMINI) -> GeminiModel:
    """A model at the stand-in."""
    return GeminiModel(model, key=KEY, base_url=there.url)


def _refuse(asked: Asked) -> Answer | None:
    found = _PATH.fullmatch(asked.path)
    if not found:
        return said(404, error(404, f"Nothing is at {asked.path}", "NOT_FOUND"))
    config = {name: value for name, value in asked.body["generationConfig"].items() if name != "thinkingConfig"}
    body = {name: value for name, value in asked.body.items() if name != "continuationToken"}
    broken = check("gemini", {**body, "model": found[1], "generationConfig": config})
    if "model" in body or broken:
        why = "; ".join(f"{each.rule} at {each.where}: {each.why}" for each in broken)
        return said(400, error(400, f"illegal: {why or 'Unknown name model'}", "INVALID_ARGUMENT"))
    known = KEY == asked.headers.get("x-goog-api-key")
    return None if known else said(400, error(400, "API key not valid. Pass a valid API key.", "INVALID_ARGUMENT"))
