"""A desk that remembers what tools did with it."""

import hashlib
from collections.abc import Sequence

from holdfast.errors import ToolFailed
from holdfast.ids import BlobId
from holdfast.records.parts import Blob


class NotedDesk:
    """Keeps what is attached, told and asked, and answers with what it was given."""

    def __init__(self, *answers: str) -> None:
        """Begin with the answers a person will give, in order."""
        self._answers = list(answers)
        self.attached: list[bytes] = []
        self.told: list[str] = []
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def attach(self, data: bytes, *, media_type: str, name: str = "") -> Blob:
        self.attached.append(data)
        blob = BlobId(hashlib.sha256(data).hexdigest())
        return Blob(blob=blob, media_type=media_type, size=len(data), name=name)

    async def kept(self, prefix: str) -> bytes:
        raise ToolFailed(f"Nothing is kept as {prefix}.")

    async def question(self, text: str, options: Sequence[str] = ()) -> str:
        self.asked.append((text, tuple(options)))
        if not self._answers:
            raise ToolFailed("Nobody is there to answer.")
        return self._answers.pop(0)

    def tell(self, text: str) -> None:
        self.told.append(text)
