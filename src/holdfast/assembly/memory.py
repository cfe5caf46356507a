"""Memory, put together from settings: which model draws facts, and why none does where that is so."""

from holdfast.agent.redact import Redactor
from holdfast.agent.tool import Tool
from holdfast.clock import SystemClock
from holdfast.config.settings import Settings
from holdfast.memory.agent_memory import AgentMemory
from holdfast.model.protocol import Model
from holdfast.providers.choose.pool import ModelPool
from holdfast.session.store import Store

SCRIPTED = "scripted"
"""A model that follows a script says its lines to whoever asks next, so it draws facts only where it is named."""


def agent_memory(
    store: Store, settings: Settings, pool: ModelPool, redactor: Redactor, *, unattended: bool
) -> AgentMemory | None:
    """The memory of an agent; None where it is switched off."""
    if not settings.memory.enabled:
        return None
    off = ""
    if not settings.persistence:
        off = "Conversations are not kept here (`persistence` is false), so nothing is remembered from them."
    elif unattended:
        off = "Nobody is there, so nothing is remembered from this session unless you ask for it."

    async def find() -> Model | None:
        name = settings.memory.model or settings.summary_model
        chat_model = await (pool.named(name) if name else pool.usual())
        drawing = bool(name) or (chat_model.takes_tools and not chat_model.name.startswith(SCRIPTED))
        return chat_model.model if drawing else None

    def is_secret(text: str) -> bool:
        return redactor.redacted(text)[1] > 0

    return AgentMemory(store, settings.memory, find, is_secret, SystemClock(), off)


def memory_tools(memory: AgentMemory | None) -> tuple[Tool, ...]:
    """The tools that change what is remembered; loaded where there is something to change."""
    if memory is None:
        return ()
    from holdfast.tools.memory import memory_tools as tools

    return tools(memory)
