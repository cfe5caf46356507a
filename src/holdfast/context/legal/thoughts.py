"""Thinking as chat completions carry it back: each service in the form in which it sent it.

There is no common name for it. A service that needs its thinking between a call and the result refuses a request
without it, and one that has another name for it refuses that, so nothing but the form it came in is right.
"""

from collections.abc import Mapping, Sequence

import msgspec

from holdfast.context.legal.clean_text import clean
from holdfast.context.legal.normalise import SendableThinking
from holdfast.context.legal.rendered import Json
from holdfast.records.parts import Value

FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
"""Fields of a message that hold thinking as text; where a service fills several, the first counts."""
ITEMS = ("reasoning_details", "thinking_blocks")
"""Fields that hold a list of items with signatures: OpenRouter's, and LiteLLM's."""
CONTENT = "content"
"""A part of the content, as Mistral has it."""
WORDS: Mapping[str, str] = {"reasoning.text": "text", "reasoning.summary": "summary", "thinking": "thinking"}
"""Which field of an item holds its words, by its type."""


class Mark(Value, frozen=True, kw_only=True):
    """What stands around thinking in the text of a reply."""

    begin: str
    end: str
    within: str = "\n"
    """What stands between a mark and the thinking."""
    after: str = "\n\n"
    """What stands between the end and the reply."""


MARKS = (
    Mark(begin="<think>", end="</think>"),
    Mark(begin="<thinking>", end="</thinking>"),
    Mark(begin="<thought>", end="</thought>"),
    Mark(begin="<seed:think>", end="</seed:think>", within="", after=""),
    Mark(begin="[THINK]", end="[/THINK]", within="", after=""),
    Mark(begin="◁think▷", end="◁/think▷", within="", after=""),
)
"""The marks that models use."""
OPEN = Mark(begin="", end="</think>", within="\n")
"""Of a model whose prompt ends in `<think>`: only the end stands in the reply."""

_BY_FORM: Mapping[str, Mark] = {**{mark.begin: mark for mark in MARKS}, OPEN.end: OPEN}


def form_of(mark: Mark) -> str:
    """What the log calls thinking that stood between these marks."""
    return mark.begin or mark.end


def returned(thoughts: Sequence[SendableThinking], text: str) -> Json:
    """The content of a reply, and the fields with its thinking."""
    fields: Json = {}
    for name in FIELDS:
        if said := [clean(each.text) for each in thoughts if each.form == name]:
            fields[name] = "\n".join(said)
    for name in ITEMS:
        if items := [item for each in thoughts if each.form == name and (item := _item(each)) is not None]:
            fields[name] = items
    marked = "".join(_marked(clean(each.text), mark) for each in thoughts if (mark := _BY_FORM.get(each.form)))
    parts: list[Json] = [
        {"type": "thinking", "thinking": [{"type": "text", "text": clean(each.text)}]}
        for each in thoughts
        if each.form == CONTENT
    ]
    if parts:
        words: list[Json] = [{"type": "text", "text": marked + text}] if marked + text else []
        return {"content": [*parts, *words], **fields}
    return {"content": marked + text or None, **fields}


def _marked(text: str, mark: Mark) -> str:
    opening = f"{mark.begin}{mark.within}" if mark.begin else ""
    return f"{opening}{text.strip()}{mark.within}{mark.end}{mark.after}"


def _item(thought: SendableThinking) -> Json | None:
    """An item of a list, with its words where they stood; None if only a part of it came."""
    try:
        item = msgspec.json.decode(thought.signature, type=Json)
    except msgspec.DecodeError:
        return None
    words = WORDS.get(str(item.get("type")))
    return {**item, words: thought.text} if words and thought.text else item
