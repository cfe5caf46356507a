"""Thinking that comes as a list of items with signatures, as OpenRouter and LiteLLM send it.

An item comes in fragments: words, then its signature. It goes back as one item, so it is put together here, and what
it holds beside its words becomes the signature of the thinking.
"""

from collections.abc import Iterator, Mapping

import msgspec

from holdfast.context.legal.thoughts import WORDS
from holdfast.model.protocol import ThinkingDelta


class ChatItems:
    """Puts the items of one reply together."""

    def __init__(self) -> None:
        self._form = ""
        self._item: dict[str, object] = {}
        self._worded = False

    def take(self, form: str, items: object) -> Iterator[ThinkingDelta]:
        """The deltas of the fragments of one chunk; `form` is the name of their field."""
        for piece in items if isinstance(items, list) else ():
            if isinstance(piece, dict):
                yield from self._add(form, piece)

    def close(self) -> Iterator[ThinkingDelta]:
        """The end of the last item, because something else follows."""
        item, form = self._item, self._form
        if not item:
            return
        if self._worded:
            item.pop(WORDS[str(item["type"])], None)
        self._item, self._worded = {}, False
        try:
            yield ThinkingDelta(signature=msgspec.json.encode(item).decode(), form=form)
        except UnicodeEncodeError:  # half a character: it cannot be sent back as it came
            return

    def _add(self, form: str, piece: Mapping[str, object]) -> Iterator[ThinkingDelta]:
        field = WORDS.get(str(piece.get("type")))
        words = piece.get(field) if field else None
        if not (field and form == self._form and self._goes_on(piece, words)):
            yield from self.close()
        self._form = form
        self._item |= {name: value for name, value in piece.items() if value or not self._item.get(name)}
        if isinstance(words, str) and words:
            self._worded = True
            yield ThinkingDelta(text=words, form=form)

    def _goes_on(self, piece: Mapping[str, object], words: object) -> bool:
        """Whether it is more of the last item: words after a signature begin another."""
        same = all(self._item.get(name) == piece.get(name) for name in ("type", "index"))
        return same and not (words and self._item.get("signature"))
