"""Calls that a server leaves in the text of a reply, as models write them.

A text is a call only if it is nothing else from its first character to its last, and every tool in it is offered:
an example in an explanation, or in a block of code, stays what it is. What may become a call is held back, so that
nobody sees it as words first, up to a bound.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec

from holdfast.model.argument_repair import is_object, mended
from holdfast.model.protocol import CallDelta, TextDelta

Forms = Literal["none", "marked", "all"]
"""Which texts may be calls: none, those between marks, or also a bare JSON object."""
Written: TypeAlias = tuple[str, str]
"""The name and the arguments of a call."""

MOST = 1024 * 1024
"""How many characters are held back at most."""
_MARKS = ("<tool_call>", "<function=", "[TOOL_CALLS]", "<|python_tag|>")
"""How calls begin: Hermes and Qwen, Qwen and Llama, Mistral, Llama."""
_OBJECT = "{"
_FIRST_KEY = re.compile(r'\{\s*(?:"(?P<key>\w*)(?P<whole>"\s*:\s*(?:"(?P<name>[^"]*)"|[^"\s])?)?)?')
_KEYS = frozenset({"name", "type", "function", "id", "arguments", "parameters"})
_ENDINGS = re.compile(r"(?:\s|<\|eom_id\|>|<\|eot_id\|>|<\|im_end\|>|</s>)+\Z")
_FUNCTION = re.compile(r"\s*<function=([^>\s]+)\s*>(.*?)</function>", re.DOTALL)
_PARAMETER = re.compile(r"\s*<parameter=([^>\s]+)\s*>\n?(.*?)\n?</parameter>", re.DOTALL)
_MISTRAL = re.compile(r"\s*(?:\[TOOL_CALLS\])?\s*([\w.-]+)\s*(?:\[CALL_ID\]\s*\w+\s*)?(?:\[ARGS\])?\s*(?=\{)")
_CUT = re.compile(
    r'(?:"name"\s*:\s*"(?P<name>[^"]+)".*?"(?:arguments|parameters)"\s*:\s*|<function=(?P<function>[^>\s]+)>\s*)(?P<rest>.*)',
    re.DOTALL,
)
_JSON = json.JSONDecoder()


class _NoCall(ValueError):
    """The text is something else."""


class CallsInText:
    """Takes the words of one reply."""

    def __init__(self, tools: Mapping[str, str], forms: Forms) -> None:
        """Know the tools that are offered, with their schemas."""
        self._tools = tools
        self._begins = () if forms == "none" or not tools else (*_MARKS, *((_OBJECT,) if forms == "all" else ()))
        self._held: list[str] = []
        self._length = 0
        self._place: Literal["begin", "held", "words"] = "begin" if self._begins else "words"
        self._doubt = True

    def feed(self, delta: TextDelta) -> Iterator[TextDelta]:
        """The words that are no call."""
        if not self._waits:
            yield delta
            return
        self._held.append(delta.text)
        self._length += len(delta.text)
        if self._doubt:
            text = "".join(self._held)
            self._held = [text]
            self._look(text.lstrip())
        if self._length > MOST or not self._waits:
            yield from self.release()

    @property
    def _waits(self) -> bool:
        return self._place != "words"

    def release(self) -> Iterator[TextDelta]:
        """What is held, as words."""
        text, self._held, self._place = "".join(self._held), [], "words"
        if text:
            yield TextDelta(text=text)

    def restart(self) -> None:
        """Begin anew: what came until now was thinking."""
        self._length, self._doubt = 0, True
        self._place = "begin" if self._begins else "words"

    def end(self, first: int, *, cut: bool) -> Iterator[TextDelta | CallDelta]:
        """The calls that were held, counted from `first`, or the words; `cut` if a limit ended the text."""
        text = "".join(self._held)
        if self._place == "held":
            calls = self._calls(text) or (self._cut(text) if cut else [])
            if calls:
                self._held = []
            for index, (name, arguments) in enumerate(calls, first):
                yield CallDelta(index=index, name=name, arguments=arguments)
        yield from self.release()

    def _look(self, text: str) -> None:
        """Whether a text goes on waiting, once its first characters are there."""
        if self._place == "begin":
            if any(text.startswith(mark) for mark in self._begins):
                self._place = "held"
            elif text and not any(mark.startswith(text) for mark in self._begins):
                self._place = "words"
        if self._place == "held":
            self._doubt = False
            if text.startswith(_OBJECT):
                self._look_inside(text)

    def _look_inside(self, text: str) -> None:
        """Whether a bare object may be a call: by its first key, and by the name if that comes first."""
        found = _FIRST_KEY.match(text)
        key, whole, name = (found["key"] or "", found["whole"], found["name"]) if found else ("", None, None)
        rest = text[found.end() :] if found else ""
        if whole is None:
            self._doubt = True
            if rest.strip('" \r\n\t') or not any(each.startswith(key) for each in _KEYS):
                self._place = "words"
        elif key not in _KEYS or (key == "name" and name is not None and name not in self._tools):
            self._place = "words"
        elif key == "name" and name is None:
            self._doubt = True

    def _calls(self, text: str) -> list[Written]:
        """The calls that a text is; none if it is anything else."""
        text = _ENDINGS.sub("", text).lstrip()
        try:
            calls = [*self._read(text)]
        except (_NoCall, ValueError, RecursionError):
            return []
        return calls if all(name in self._tools for name, _ in calls) else []

    def _cut(self, text: str) -> list[Written]:
        """The call that a text began when its limit ended it, so that it counts as cut and not as words."""
        found = _CUT.search(text)
        name = (found["name"] or found["function"]) if found else ""
        return [(name, found["rest"] or "{")] if found and name in self._tools else []

    def _read(self, text: str) -> Iterator[Written]:
        if text.startswith("<tool_call>"):
            yield from self._tagged(text)
        elif text.startswith("<function="):
            yield from self._functions(text)
        elif text.startswith("[TOOL_CALLS]"):
            yield from _mistral(text.removeprefix("[TOOL_CALLS]").lstrip())
        else:
            yield from _objects(text.removeprefix("<|python_tag|>"))

    def _tagged(self, text: str) -> Iterator[Written]:
        """Calls in `<tool_call>`, as JSON or as functions; the last end may be missing, as some servers stop there."""
        while text:
            begin, _, inside = text.partition("<tool_call>")
            if begin.strip() or not inside:
                raise _NoCall
            inside = inside.lstrip()
            if inside.startswith("<function="):
                written, _, text = inside.partition("</tool_call>")
                yield from self._functions(written)
            else:
                value, end = _JSON.raw_decode(inside)
                yield _call(value)
                rest = inside[end:].lstrip()
                if rest and not rest.startswith("</tool_call>"):
                    raise _NoCall
                text = rest.removeprefix("</tool_call>")
            text = text.lstrip()

    def _functions(self, text: str) -> Iterator[Written]:
        at = 0
        while found := _FUNCTION.match(text, at):
            name, body = found[1], found[2].strip("\n")
            yield name, body.strip() if is_object(body.strip()) else self._parameters(name, body)
            at = found.end()
        if text[at:].strip():
            raise _NoCall

    def _parameters(self, name: str, body: str) -> str:
        kinds, given, at = _kinds(self._tools.get(name, "")), dict[str, object](), 0
        while found := _PARAMETER.match(body, at):
            given[found[1]] = _typed(found[2], kinds.get(found[1], "string"))
            at = found.end()
        if body[at:].strip():
            raise _NoCall
        return json.dumps(given, ensure_ascii=False)


def _mistral(text: str) -> Iterator[Written]:
    if text.startswith("["):
        values, end = _JSON.raw_decode(text)
        if text[end:].strip() or not values:
            raise _NoCall
        yield from map(_call, values)
        return
    while text:
        found = _MISTRAL.match(text)
        if found is None:
            raise _NoCall
        _, end = _JSON.raw_decode(text, found.end())
        yield found[1], text[found.end() : end]
        text = text[end:].lstrip()


def _objects(text: str) -> Iterator[Written]:
    """Objects one after the other, with or without a semicolon between them."""
    text = text.lstrip()
    while text:
        value, end = _JSON.raw_decode(text)
        yield _call(value)
        text = text[end:].lstrip().removeprefix(";").lstrip()


def _call(value: object) -> Written:
    """A call as an object with its name and its arguments, which OpenAI's form has one level deeper."""
    if not isinstance(value, dict) or not value.keys() <= _KEYS:
        raise _NoCall
    inner = value.get("function")
    if isinstance(inner, dict):
        return _call(inner)
    name = value.get("name", inner)
    arguments = value.get("arguments", value.get("parameters"))
    text = mended(arguments) if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    if not isinstance(name, str) or not is_object(text):
        raise _NoCall
    return name, text


def _kinds(schema: str) -> Mapping[str, object]:
    """The type of each argument of a tool."""
    found = msgspec.json.decode(schema or "{}")
    properties = found.get("properties") if isinstance(found, dict) else None
    given = properties if isinstance(properties, dict) else {}
    return {name: each.get("type", "string") for name, each in given.items() if isinstance(each, dict)}


def _typed(text: str, kind: object) -> object:
    """What stands between the marks of a parameter: text, unless the tool wants something else and it is that."""
    if kind == "string" or (isinstance(kind, list) and "string" in kind):
        return text
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return value
