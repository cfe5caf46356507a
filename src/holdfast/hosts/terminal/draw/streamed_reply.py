"""A reply: shown while it streams, and to its end from its entry.

The entry is what counts. What was shown is not said again, and what did not stream, be it because a viewer fell behind
or a writer died, is said then. Nothing that stands there is changed.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from holdfast.hosts.terminal.draw.activity import Activity
from holdfast.hosts.terminal.draw.incremental import IncrementalMarkdown
from holdfast.hosts.terminal.draw.thinking import ThinkingStream
from holdfast.records.entries import ModelReplied
from holdfast.records.parts import Part, Text, Thinking
from holdfast.session.recovery import joined

ANEW = "The reply was begun anew:"
"""Said where the entry is not what was shown."""

Words: TypeAlias = Text | Thinking
Show: TypeAlias = Callable[[list[str], object], None]
"""Prints lines; what has another owner than the lines before stands apart from them."""


class StreamedReply:
    """One reply."""

    def __init__(self, activity: Activity, show: Show) -> None:
        """Nothing of it is shown yet."""
        self._activity, self._show = activity, show
        self._stream: IncrementalMarkdown | ThinkingStream | None = None
        self._owner: object = self
        self._shown: dict[type[Words], list[str]] = {Text: [], Thinking: []}
        self._halves: dict[type[Words], str] = {}

    def streamed(self, words: Words) -> None:
        """Show what is finished with more of it."""
        if whole := self._whole(words):
            self._shown[type(words)].append(whole)
            self._tell(msgspec.structs.replace(words, text=whole))

    def ended(self, entry: ModelReplied) -> None:
        """Show the rest."""
        owed = self._owed(entry.parts)
        if owed is None:
            self.close()
            self._show([self._activity.look.theme.painted(ANEW, "warning")], self)
            owed = [(part, False) for part in entry.parts]
        for part, goes_on in owed:
            if not goes_on:
                self.close()
            if isinstance(part, Words):
                self._tell(part)
            else:
                self._owner = part
                self._show(self._activity.part(part), part)
        self.close()
        self._show(self._activity.ending(entry), self._owner)

    def close(self) -> None:
        """Show the rest of what streamed last; what comes is something else."""
        stream, self._stream = self._stream, None
        if stream is not None:
            self._show(_lines(stream.end()), self._owner)

    def _tell(self, words: Words) -> None:
        look, stream = self._activity.look, self._stream
        if isinstance(words, Text):
            if not isinstance(stream, IncrementalMarkdown):
                stream = IncrementalMarkdown(look.width, look.theme)
                self._begin(stream)
            self._show(_lines(stream.feed(words.text)), stream)
        else:
            if not isinstance(stream, ThinkingStream):
                stream = ThinkingStream(look.width, look.theme, look.thinking)
                self._begin(stream)
            stream.feed(words.text)

    def _begin(self, stream: IncrementalMarkdown | ThinkingStream) -> None:
        self.close()
        self._stream = self._owner = stream

    def _whole(self, words: Words) -> str:
        """The text without the half of a character at its end, which waits for the other one."""
        text = self._halves.pop(type(words), "") + words.text
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._halves[type(words)] = text[:-1], text[-1]
        return joined([text])

    def _owed(self, parts: Sequence[Part]) -> list[tuple[Part, bool]] | None:
        """What was not shown of each part, and whether its beginning was; None if it is not what was shown."""
        left = {kind: "".join(pieces) for kind, pieces in self._shown.items()}
        owed: list[tuple[Part, bool]] = []
        for part in parts:
            if not isinstance(part, Words):
                owed.append((part, False))
                continue
            was = left[type(part)]
            size = min(len(was), len(part.text))
            if was[:size] != part.text[:size]:
                return None
            left[type(part)] = was[size:]
            if size < len(part.text):
                owed.append((msgspec.structs.replace(part, text=part.text[size:]), size > 0))
        # What is open is ended before anything else is begun, whatever stands between.
        return None if any(left.values()) else sorted(owed, key=lambda each: not each[1])


def _lines(given: str | list[str]) -> list[str]:
    return given.split("\n")[:-1] if isinstance(given, str) else given
