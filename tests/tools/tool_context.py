"""A tool context that keeps what is attached, told and asked."""

import hashlib
from collections.abc import Sequence

from holdfast.errors import ToolFailed
from holdfast.ids import BlobId
from holdfast.records.parts import Blob
from tests.tools.calling import Desk


class NotedDesk(Desk):
    """Keeps what is attached, told and asked, and answers with what it was given."""

    def __init__(self, *answers: str) -> None:
        """Begin with the answers a person will give, in order."""
        super().__init__()
        self._answers = list(answers)
        self.attached: list[bytes] = []
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    async def attach(self, data: bytes, *, media_type: str, name: str = "") -> Blob:
        self.attached.append(data)
        blob = BlobId(hashlib.sha256(data).hexdigest())
        return Blob(blob=blob, media_type=media_type, size=len(data), name=name)

    async def question(self, text: str, options: Sequence[str] = ()) -> str:
        self.asked.append((text, tuple(options)))
        if not self._answers:
            raise ToolFailed("Nobody is there to answer.")
        return self._answers.pop(0)
