"""Sessions, models and answers for tests of memory: scripted, shipped or plain."""

import json
from collections.abc import Mapping

from holdfast import ManualClock, ScriptedModel, Session, Store, Target
from holdfast.memory.agent_memory import AgentMemory
from holdfast.memory.settings import MemorySettings
from holdfast.model.protocol import Model
from holdfast.providers.scripted.model import Cue
from holdfast.records.entries import ModelReplied, TurnEnded, UserSaid
from holdfast.records.parts import Source, Text
from holdfast.session.facts import Scope

TARGET = Target(family="openai-chat", model="drawer", provider="scripted")
ME = Scope(owner="")


def answer(*facts: Mapping[str, object], day: str = "") -> str:
    """What a model answers that draws facts."""
    return json.dumps({"day": day, "facts": list(facts)})


def adding(text: str, at: int, quote: str = "", section: str = "person") -> dict[str, object]:
    """A fact that is proposed."""
    return {"op": "add", "section": section, "text": text, "quote": quote or text, "at": [at]}


def is_secret(text: str) -> bool:
    """What the tests take for a secret."""
    return "sk-" in text


def drawer(*script: Cue) -> ScriptedModel:
    """A model that draws facts."""
    return ScriptedModel(TARGET, *script)


def remembering(
    store: Store, model: Model | None, clock: ManualClock, settings: MemorySettings | None = None, *, off: str = ""
) -> AgentMemory:
    """The memory of a store, with one model."""

    async def find() -> Model | None:
        return model

    return AgentMemory(store, settings or MemorySettings(), find, is_secret, clock, off)


async def turn(session: Session, text: str, reply: str = "I see.", *, sender: str = "") -> int:
    """A person says something and is answered; gives where they said it."""
    source = Source(host="chat", sender=sender) if sender else None
    pos = await session.append(UserSaid(parts=(Text(text=text),), source=source))
    await session.append(ModelReplied(parts=(Text(text=reply),)), TurnEnded())
    await session.commit()
    return pos


async def facts(store: Store, scope: Scope = ME) -> list[str]:
    """The facts that hold."""
    return [fact.text for fact in (await store.memory(scope)).current]
