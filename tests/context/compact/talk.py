"""Conversations to compact, and models that sum them up, well or badly."""

from collections.abc import Callable

from holdfast import CallId, ModelReplied, Session, Text, ToolCall, ToolFinished, TurnEnded, UserSaid
from holdfast.context.budget import Budget
from holdfast.context.compact.compact import Compactor
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.compact.summary import HEADINGS, Sections
from holdfast.context.view import View
from holdfast.model.protocol import Message, Request, Target
from holdfast.model.tokens import count_message, counter_for
from holdfast.providers.scripted.model import Cue, ScriptedModel
from holdfast.records.codec import Record
from holdfast.records.entries import Entry
from holdfast.records.parts import plain_text

TARGET = Target(family="openai-chat", model="gpt-4.1-mini", provider="openai")
COUNTER = counter_for("gpt-4.1-mini")
BUDGET = Budget(tokens=3_000, output=100)
SETTINGS = CompactionSettings(protected=300, window=8_000, output=600)
STORY = "and then something else happened that took a while to tell "


def cost(message: Message) -> int:
    """Tokens, as the model counts them."""
    return count_message(message, COUNTER)


def said(text: str) -> UserSaid:
    """Something a user said."""
    return UserSaid(parts=(Text(text=text),))


def replied(text: str) -> ModelReplied:
    """Something the agent answered."""
    return ModelReplied(parts=(Text(text=text),))


def used(path: str, result: str) -> tuple[Entry, ...]:
    """The agent reads a file."""
    call = ToolCall(id=CallId("c"), name="read_file", arguments=f'{{"path":"{path}"}}')
    return (
        ModelReplied(parts=(call,), stop="called"),
        ToolFinished(call=CallId("c"), name="read_file", parts=(Text(text=result),)),
    )


async def talked(session: Session, turns: int, *, long: int = 4) -> None:
    """Some turns without tools."""
    for turn in range(turns):
        await session.append(said(f"Question {turn}"), replied(f"Answer {turn}: " + STORY * long), TurnEnded())


async def read(session: Session, files: int, *, long: int = 20) -> None:
    """Some turns, each with a file that is read."""
    for number in range(files):
        await session.append(
            said(f"Read file {number}"), *used(f"src/f{number}.py", STORY * long), replied("Done."), TurnEnded()
        )


def good(request: Request) -> str:
    """A summary that names all that the request says must be named."""
    words = plain_text(request.messages[0].parts)
    wanted = [
        line.removeprefix("- ") for line in words.split("</conversation>")[1].splitlines() if line.startswith("- ")
    ]
    return Sections(goal="Go on.", files="\n".join(wanted) or "none", next_step="Go on.").text()


def summary(**sections: str) -> str:
    """A summary with some of its sections filled."""
    return Sections(**sections).text()


def without(name: str) -> str:
    """A summary in which a section is missing."""
    return summary().replace(f"## {HEADINGS[name]}", "")


def scripted(*script: Cue, then: Callable[[Request], str] | None = good, window: int = 8_000) -> ScriptedModel:
    """A model that summarizes."""
    return ScriptedModel(TARGET, *script, then=then, window=window)


def compactor(session: Session, model: ScriptedModel, settings: CompactionSettings = SETTINGS) -> Compactor:
    """What compacts a session."""
    return Compactor(session, View(session, cost), model, settings=settings)


def asked_for(model: ScriptedModel) -> list[str]:
    """What a model was asked, request by request."""
    return [plain_text(request.messages[0].parts) for request in model.requests]


async def entries(session: Session, kind: type[Entry]) -> list[Record]:
    """The records of one kind."""
    return [record async for record in session.read() if isinstance(record.entry, kind)]


async def shown(session: Session, budget: Budget = BUDGET) -> str:
    """Everything the model is shown, as text."""
    window = await View(session, cost).window(budget)
    return "\n".join(plain_text(message.parts) for message in window.messages)
