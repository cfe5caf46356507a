"""The body of a response, cut anywhere, to deltas.

An answer should be a stream of events, and its type should say so. Neither can be
relied on: errors come as an object under status 200, proxies turn a stream into one
object or into a page, and streams are sent as plain text. So the first byte decides.
"""

from collections.abc import Iterator
from typing import Protocol

import msgspec

from holdfast.errors import ModelError, Refused, Unavailable
from holdfast.model.protocol import Delta, Finished
from holdfast.providers.http.failures import Endpoint, broken, from_stream, not_a_reply
from holdfast.providers.http.lenient_json import NotJson, read
from holdfast.providers.http.sse import MOST, ServerSentEvent, SseParser

_ANYTHING = msgspec.json.Decoder(object)
_HEAD = 4096
"""How much is remembered of what began as no reply does."""


class ReplyReader(Protocol):
    """What turns the events of one kind of stream into deltas."""

    @property
    def whole(self) -> frozenset[str]:
        """The fields of which an answer has one if it is a reply that came in one piece, which `take` takes as well."""
        ...

    @property
    def complete(self) -> bool:
        """Whether the model has said all it had to say."""
        ...

    @property
    def over(self) -> bool:
        """Whether the server said that nothing more comes."""
        ...

    def take(self, data: bytes, name: str = "") -> Iterator[Delta]:
        """The deltas of one event; raises what an error in it means."""
        ...

    def finish(self) -> Finished:
        """How the reply ended."""
        ...


def _is_json(data: bytes) -> bool:
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


class ReplyBody:
    """Takes the bytes of one answer."""

    def __init__(self, reader: ReplyReader, endpoint: Endpoint) -> None:
        self._reader, self._endpoint = reader, endpoint
        self._events = SseParser()
        self._head = b""
        self._whole = self._seen = False

    @property
    def complete(self) -> bool:
        """Whether the model has said all it had to say, even if the stream breaks now."""
        return self._reader.complete

    @property
    def over(self) -> bool:
        """Whether nothing more comes."""
        return self._reader.over

    def feed(self, chunk: bytes) -> Iterator[Delta]:
        """The deltas that end within these bytes."""
        if not self._seen and (self._whole or len(self._head) < _HEAD):
            self._head = (self._head + chunk).lstrip()
            # No event stream begins like this: fields have names, and comments a colon.
            self._whole = self._head[:1] in {b"{", b"[", b"<"}
        if not self._whole:
            yield from self._deltas(self._events.feed(chunk))
        elif len(self._head) > MOST:
            raise Unavailable(f"{self._endpoint.title} sent more than {MOST:,} bytes in one piece.")

    def end(self) -> Iterator[Delta]:
        """What is left when the stream is over, and how the reply ended; raises if it broke off."""
        if self._whole:
            yield from self._object()
        elif not self.over:
            yield from self._rest()
            if not self._seen:
                words = [line for line in self._head.splitlines() if line and not line.startswith(b":")]
                raise not_a_reply(self._head, self._endpoint) if words else broken(self._endpoint)
        yield self._reader.finish()

    def _rest(self) -> Iterator[Delta]:
        """What was left open when the stream ended. Half an event says nothing: the connection broke within it."""
        for event in self._events.close():
            try:
                yield from self._deltas(iter([event]))
            except Refused:
                if _is_json(event.data):
                    raise

    def _deltas(self, events: Iterator[ServerSentEvent]) -> Iterator[Delta]:
        for event in events:
            self._seen, self._head = True, b""
            was_over = self.over
            try:
                for delta in self._reader.take(event.data, event.name):
                    if not was_over:  # only what a reply used is still heard after its end
                        yield delta
            except ModelError:
                if not self.complete:
                    raise  # nothing that comes after its end undoes a reply

    def _object(self) -> Iterator[Delta]:
        """A reply, or an error, that came as one object."""
        try:
            answer = read(_ANYTHING, self._head)
        except NotJson as error:
            raise not_a_reply(self._head, self._endpoint) from error
        # One service sends what it could not stream as a list of the events.
        parts = answer if isinstance(answer, list) else [answer]
        if parts and all(isinstance(each, dict) and self._reader.whole & each.keys() for each in parts):
            for each in parts:
                yield from self._reader.take(msgspec.json.encode(each) if isinstance(answer, list) else self._head)
        elif isinstance(answer, dict) and not answer.keys() & {"error", "message", "detail"}:
            raise not_a_reply(self._head, self._endpoint)
        else:
            raise from_stream(self._head, self._endpoint)
