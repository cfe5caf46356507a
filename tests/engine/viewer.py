"""Somebody who watches a session through many attachments, and holds each of them to what was promised."""

from holdfast import (
    Appended,
    Attachment,
    ConversationClosed,
    Engine,
    Event,
    ModelReplied,
    Resync,
    Snapshot,
    Text,
    TextStreamed,
    Thinking,
    ThinkingStreamed,
)


class Viewer:
    """What one viewer has."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.raw: list[bytes] = []
        """Every entry it was given, by position."""
        self._finals: dict[int, str] = {}
        self.reply, self.text = -1, ""
        self.attached = self.amid = self.resynced = 0

    @property
    def after(self) -> int:
        return len(self.raw) - 1

    @property
    def finals(self) -> list[str]:
        """The replies as they stand in the log."""
        return list(self._finals.values())

    async def attach(self, engine: Engine, *, limit: int = 1_000_000) -> Attachment:
        """Come back with what it has."""
        attachment = await engine.attach(self.key, after=self.after, drafted=len(self.text), limit=limit)
        self.attached += 1
        self._begin(attachment.snapshot)
        return attachment

    def _begin(self, snapshot: Snapshot) -> None:
        reply = snapshot.reply
        if reply is None:
            self.reply, self.text = -1, ""
            return
        self.amid += 1
        if reply.reply != self.reply:
            self.reply, self.text = reply.reply, ""
        assert reply.offset <= len(self.text), (reply, self.text)
        told = "".join(part.text for part in reply.parts)
        assert not reply.offset or len(self.text) == reply.offset or not told, (reply, self.text)
        self.text = self.text if not told else self.text[: reply.offset] + told

    def see(self, event: Event) -> None:
        """Take what it is given, and check that it goes on where it was."""
        match event:
            case Appended(record=record):
                assert record.pos == self.after + 1, (record.pos, self.after)
                self.raw.append(bytes(record.raw))
                if isinstance(record.entry, ModelReplied):
                    self._finish(record.entry)
            case TextStreamed() | ThinkingStreamed():
                assert event.reply <= self.after + 1, (event, self.after)
                if event.reply != self.reply:
                    self.reply, self.text = event.reply, ""
                assert event.offset == len(self.text), (event, self.text)
                self.text += event.text
            case Resync():
                assert event.position == self.after
                self.resynced += 1
            case ConversationClosed(last=last) if last is not None:
                del self.raw[last + 1 :]
                self._finals = {pos: final for pos, final in self._finals.items() if pos <= last}
                self.reply, self.text = -1, ""
            case _:
                pass

    def _finish(self, entry: ModelReplied) -> None:
        final = "".join(part.text for part in entry.parts if isinstance(part, Text | Thinking))
        self._finals[self.after] = final
        if 0 <= self.reply <= self.after:
            assert final.startswith(self.text), (final, self.text)
            self.reply, self.text = -1, ""

    async def look(self, engine: Engine, events: int) -> None:
        """Attach, see so many events, and go."""
        async with await self.attach(engine) as attachment:
            for _ in range(events):
                self.see(await anext(attachment))

    async def catch_up(self, engine: Engine) -> None:
        """See everything that is in the log now."""
        async with await self.attach(engine) as attachment:
            while self.after < attachment.snapshot.state.last:
                self.see(await anext(attachment))
