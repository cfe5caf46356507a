"""Which call a fragment belongs to, where servers say it, half say it or leave it out.

Calls come whole or in fragments, one after the other or in turns, with an index, an id, both or neither; names come
at once, again with every fragment, or in fragments too. So a name is told when the arguments begin, or the call ends.
"""

from collections.abc import Collection, Iterator, Sequence

import msgspec

from holdfast.model.argument_repair import is_object
from holdfast.model.protocol import CallDelta
from holdfast.providers.http.lenient_json import Halves
from holdfast.records.parts import Value


class CallPiece(Value, frozen=True, kw_only=True):
    """A fragment of a call as a server sent it."""

    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: str = ""


class _Call:
    """What has come of one call."""

    def __init__(self, call_id: str) -> None:
        self.id, self.name, self.arguments, self.told = call_id, "", "", False
        self.halves = Halves()


class ChatCalls:
    """Puts the fragments of the calls of one reply where they belong."""

    def __init__(self, tools: Collection[str]) -> None:
        """Know the names of the tools that are offered."""
        self._tools = tools
        self._calls: list[_Call] = []
        self._by_index: dict[int, int] = {}

    @property
    def count(self) -> int:
        """How many calls there are so far."""
        return len(self._calls)

    def take(self, pieces: Sequence[CallPiece]) -> Iterator[CallDelta]:
        """The deltas of the fragments of one chunk."""
        for piece in pieces:
            before = self.count
            number = self._number(piece, together=len(pieces) > 1)
            if self.count > before:
                yield from self._told(before)
            yield from self._add(number, piece)

    def finish(self) -> Iterator[CallDelta]:
        """What waited for more of its name; and halves of characters that nothing followed."""
        yield from self._told(self.count)
        for number, call in enumerate(self._calls):
            if rest := call.halves.rest():
                yield CallDelta(index=number, arguments=rest)

    def _add(self, number: int, piece: CallPiece) -> Iterator[CallDelta]:
        call = self._calls[number]
        call.id = call.id or piece.id
        if piece.name and not call.told:
            call.name = self._name(call.name, piece.name)
        again = (piece.id or piece.name) and piece.arguments == call.arguments and is_object(piece.arguments)
        if again or not piece.arguments:  # some servers send each call once more when it is whole
            return
        arguments = call.halves.joined(piece.arguments)
        call.arguments += arguments
        name = "" if call.told else call.name
        call.told = True
        yield CallDelta(index=number, id=piece.id or call.id, name=name, arguments=arguments)

    def _told(self, stop: int) -> Iterator[CallDelta]:
        """The calls before this one that have not been told yet."""
        for number, call in enumerate(self._calls[:stop]):
            if not call.told:
                call.told = True
                yield CallDelta(index=number, id=call.id, name=call.name)

    def _name(self, known: str, more: str) -> str:
        """A name that came again, grew, or goes on."""
        grew = more.startswith(known) and known + more not in self._tools
        return more if grew else known + more

    def _number(self, piece: CallPiece, *, together: bool) -> int:
        index = piece.index
        known = self._without_index(piece.id) if index is None else self._by_index.get(index)
        if known is None or (piece.name and self._is_another(self._calls[known], piece, together=together)):
            known = len(self._calls)
            self._calls.append(_Call(piece.id))
            self._by_index[known if index is None else index] = known
        return known

    def _without_index(self, call_id: str) -> int | None:
        """The call that has this id, else the last one."""
        for number, call in enumerate(self._calls):
            if call_id and call_id == call.id:
                return number
        return len(self._calls) - 1 if self._calls else None

    def _is_another(self, call: _Call, piece: CallPiece, *, together: bool) -> bool:
        """Whether a fragment with a name begins another call than the one under its index."""
        if piece.id and call.id:
            return piece.id != call.id
        if call.arguments or not call.name:
            return is_object(call.arguments)
        both = piece.name != call.name and {piece.name, call.name} <= set(self._tools)
        return together or (both and call.name + piece.name not in self._tools)


def written(arguments: msgspec.Raw) -> str:
    """Arguments as text, however they came; a value that is not text stays as it was written."""
    data = bytes(arguments)
    if not data.startswith(b'"'):
        return "" if data == b"null" else data.decode()
    try:
        return msgspec.json.decode(data, type=str)
    except msgspec.DecodeError:  # half a character, whose other half comes with the next fragment
        import json

        text: str = json.loads(data)
        return text
