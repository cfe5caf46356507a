"""Thinking that a server leaves in the text of a reply, between marks.

Marks count at the beginning of a reply, and after thinking. A reply may also begin inside of its thinking, because its
prompt ended with the mark: then only the end stands in it, and until that comes nothing tells it from words. A model
that is known to do so is taken at its habit; if a reply has no end of thinking, its words are told again as words.
"""

from collections.abc import Iterator
from typing import Literal

from holdfast.context.legal.thoughts import MARKS, OPEN, form_of
from holdfast.model.protocol import TextDelta, ThinkingDelta

_FENCE = "```"


class ThinkingInText:
    """Takes the text of one reply."""

    def __init__(self, *, opens: bool) -> None:
        """`opens` says whether this model is known to begin inside of its thinking."""
        self._opens = opens
        self._place: Literal["begin", "inside", "words"] = "begin"
        self._waiting = ""
        self._mark = OPEN
        self._said: list[str] = []
        self._thought = False
        self._gap = ""
        self.habit: bool | None = None
        """Whether the reply began inside of its thinking; None if it does not tell."""

    def feed(self, text: str) -> Iterator[TextDelta | ThinkingDelta]:
        """The deltas of more text."""
        self._waiting += text
        before = ""
        while before != self._place:
            before = self._place
            match self._place:
                case "begin":
                    self._begin()
                case "inside":
                    yield from self._inside()
                case "words":
                    yield from self._words()

    def native(self) -> None:
        """The server tells thinking apart by itself, so what it calls text is text."""
        self._thought = True
        if self._place == "begin":
            self._place = "words"

    def end(self, *, cut: bool) -> Iterator[TextDelta | ThinkingDelta]:
        """What waited, once the text is over; `cut` if its limit ended it, maybe inside of the thinking."""
        waiting, inside, guessed = self._waiting, self._place == "inside", self._mark is OPEN
        self._place, self._thought, self._waiting = "words", True, ""
        if waiting:
            self._said.append(waiting)
            yield self._thinking(waiting) if inside else TextDelta(text=waiting)
        if inside and guessed and not cut:
            self.habit = False
            yield TextDelta(text="".join(self._said))

    def _thinking(self, text: str) -> ThinkingDelta:
        # While it may turn out to be words, it has no form in which it would go back.
        return ThinkingDelta(text=text, form="" if self._mark is OPEN else form_of(self._mark))

    def _begin(self) -> None:
        text = self._waiting.lstrip()
        for mark in MARKS:
            if text.startswith(mark.begin):
                self._gap = "\n\n" if self._thought else ""
                self._mark, self._thought, self._place = mark, True, "inside"
                self._waiting = text.removeprefix(mark.begin)
                return
        if not text or any(mark.begin.startswith(text) for mark in MARKS):
            return
        if self._thought:  # white space between thinking and words is no part of either
            self._waiting = text
        elif self._opens:
            self._mark, self._thought, self._waiting, self._place = OPEN, True, text, "inside"
            return
        self._place = "words"

    def _inside(self) -> Iterator[TextDelta | ThinkingDelta]:
        thought, end, rest = self._waiting.partition(self._mark.end)
        if not self._said:
            thought = thought.lstrip()
        ready = thought if end else thought[: len(thought) - _beginning_of(self._mark.end, thought)]
        ready = ready.rstrip()  # white space may be the last before the mark
        self._waiting = rest if end else thought[len(ready) :]
        if ready:
            self._said.append(ready)
            yield self._thinking(self._gap + ready)
            self._gap = ""
        if end:
            if self._mark is OPEN:
                self.habit = True
                yield ThinkingDelta(form=form_of(OPEN), before=True)
            self._place = "begin"
            self._said.clear()

    def _words(self) -> Iterator[TextDelta | ThinkingDelta]:
        text = self._waiting
        if not self._thought:
            before, end, rest = text.partition(OPEN.end)
            if end and not rest:
                return  # what follows decides
            if end and self._ends_thinking(before, rest):
                self._waiting, self._thought, self.habit, self._place = rest, True, True, "begin"
                if before.rstrip():
                    yield TextDelta(text=before.rstrip())
                yield ThinkingDelta(form=form_of(OPEN), before=True)
                return
            text = text[: len(text) - _beginning_of(OPEN.end, text)]
            self._said.append(text)
        self._waiting = self._waiting[len(text) :]
        if text:
            yield TextDelta(text=text)

    def _ends_thinking(self, before: str, rest: str) -> bool:
        """Whether a mark in the words ends thinking: at a line's end, and not where the words are about it."""
        said = "".join(self._said) + before
        quoted = said.count(_FENCE) % 2 or said.rpartition("\n")[2].count("`") % 2
        at_line = said.endswith("\n") or rest.startswith("\n")
        return bool(at_line and said.strip() and not quoted and MARKS[0].begin not in said)


def _beginning_of(mark: str, text: str) -> int:
    """How many characters at the end of a text may be the beginning of a mark."""
    if mark[0] not in text[-len(mark) :]:
        return 0
    return next((length for length in range(min(len(mark) - 1, len(text)), 0, -1) if text.endswith(mark[:length])), 0)
