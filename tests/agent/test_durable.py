"""Nothing acts before its entry is durable: seen from where it acts."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

from holdfast.agent.conversation import Conversation, open_conversation
from holdfast.agent.events import Asked, StepBegan, ToolBegan, TurnOver
from holdfast.agent.models import ChatModel
from holdfast.agent.permissions import Answer as Said
from holdfast.agent.setup import AgentSetup
from holdfast.agent.tool import FixedTools
from holdfast.ids import Position, SessionKey
from holdfast.log.store import Ack, LogWriter
from holdfast.model.protocol import Delta, Finished, Model, Request, TextDelta
from holdfast.records.entries import Drafted
from holdfast.session.writer import open_session
from holdfast.stores.volatile import VolatileStore
from tests.agent.troupe import TARGET, PlainTool, calling, scripted, turn

KEY = SessionKey("talk")


class NotingWriter:
    """A writer that says up to where the log is durable, and when a draft was dropped."""

    def __init__(self, writer: LogWriter) -> None:
        self._writer = writer
        self.durable = Position(-1)
        self.drafts: list[str] = []
        self.drafted = asyncio.Event()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._writer, name)

    async def commit(self) -> Ack:
        """Commit, and note it."""
        ack = await self._writer.commit()
        self.durable = ack.position
        return ack

    async def draft(self, piece: Drafted) -> None:
        """Draft, and note it."""
        self.drafts.append("drafted")
        await self._writer.draft(piece)
        self.drafted.set()

    async def drop_draft(self) -> None:
        """Drop the draft, and note what was durable then."""
        self.drafts.append(f"dropped with {self._writer.end - self.durable} not durable")
        await self._writer.drop_draft()


class OneModel:
    """The one model there is."""

    def __init__(self, model: Model) -> None:
        self._chat_model = ChatModel(name="one", model=model)

    async def named(self, name: str) -> ChatModel:
        """The model."""
        del name
        return self._chat_model

    async def usual(self) -> ChatModel:
        """The model."""
        return self._chat_model

    async def close(self) -> None:
        """Nothing is held."""


async def noted(model: Model, *tools: PlainTool) -> tuple[Conversation, NotingWriter]:
    """A conversation whose writer is watched."""
    store = VolatileStore()
    writer = NotingWriter(await store.acquire(KEY))
    session = await open_session(store, cast("LogWriter", writer), KEY)
    setup = AgentSetup(models=OneModel(model), toolbox=FixedTools(tools), titles=False)
    return await open_conversation(session, setup), writer


async def test_a_step_is_durable_when_it_is_acted_on() -> None:
    """
    When the model is asked, a person is asked, a tool runs or a turn is over, all of the log is durable.
    """
    missing: list[tuple[str, int]] = []

    def note(what: str) -> None:
        missing.append((what, conversation.state.last - writer.durable))

    read = PlainTool("read", lambda *_: note("read"))
    write = PlainTool("write", lambda *_: note("write"), reads_only=False)
    model = scripted(calling(("read", "{}")), calling(("write", "{}")), "Done.")
    conversation, writer = await noted(model, read, write)
    async with conversation:
        with conversation.watch() as watch:
            await conversation.send("go")
            async for event in watch:
                if isinstance(event, StepBegan | Asked | ToolBegan | TurnOver):
                    note(type(event).__name__)
                if isinstance(event, Asked):
                    conversation.answer(event.question.id, Said(allowed=True))
                if isinstance(event, TurnOver):
                    break

    assert {"StepBegan", "Asked", "ToolBegan", "TurnOver", "read", "write"} == {what for what, _ in missing}
    assert [] == [(what, count) for what, count in missing if count]


class PatientModel:
    """Says a word, and the rest when that word is in a draft."""

    target = TARGET

    def __init__(self) -> None:
        self.drafted = asyncio.Event()

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Answer."""
        del request
        yield TextDelta(text="One. ")
        await self.drafted.wait()
        yield TextDelta(text="Two.")
        yield Finished()


async def test_a_draft_goes_when_its_reply_is_durable() -> None:
    """
    Until then the words that were shown are in one of the two.
    """
    model = PatientModel()
    conversation, writer = await noted(model)
    writer.drafted = model.drafted
    async with conversation:
        await turn(conversation, "go")

    assert ["drafted", "dropped with 0 not durable"] == writer.drafts
