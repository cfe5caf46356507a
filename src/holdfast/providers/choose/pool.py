"""A pool of models: each is made when it is first asked for, and kept.

Which one is the usual one is found out once and said; finding it may mean to look for a server nearby,
so nothing is looked for before somebody needs it.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Protocol, runtime_checkable

from msgspec.structs import replace

from holdfast.agent.models import ChatModel
from holdfast.context.budget import Budget
from holdfast.model.context_sizes import ModelSize, size_of
from holdfast.model.protocol import Model
from holdfast.providers.choose.choose import Choice, choose, make_model, understood
from holdfast.providers.services import address


@runtime_checkable
class _Closing(Protocol):
    async def close(self) -> None: ...


@runtime_checkable
class _Sized(Protocol):
    """A model that knows its own size, because no list has it."""

    @property
    def size(self) -> ModelSize: ...

    @property
    def takes_tools(self) -> bool: ...


class ModelPool:
    """Gives models by their names."""

    def __init__(
        self,
        *,
        configured: str,
        environment: Mapping[str, str],
        cache: Path,
        endpoints: Mapping[str, str],
        budget: Callable[[ModelSize], Budget],
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Take the usual model from the settings, or find one; `budget` says how much of its size is used."""
        self._configured, self._environment = configured, environment
        self._cache, self._endpoints, self._budget, self._progress = cache, endpoints, budget, progress
        self._made: dict[str, ChatModel] = {}
        self._choice: Choice | None = None
        self._choosing = asyncio.Lock()

    async def choice(self, asked: str = "", session: str = "") -> Choice:
        """Which model answers, and why; the usual one is looked for once."""
        if asked or session:
            return await choose(asked=asked, session=session, environment=self._environment)
        async with self._choosing:
            if self._choice is None:
                self._choice = await choose(configured=self._configured, environment=self._environment)
        return self._choice

    async def named(self, name: str) -> ChatModel:
        """The model of a name."""
        if name not in self._made:
            whole = (await self.choice(asked=name)).name
            if whole not in self._made:
                model = make_model(
                    whole,
                    environment=self._environment,
                    cache=self._cache,
                    endpoints=self._endpoints,
                    progress=self._progress,
                )
                self._made[whole] = self._chat_model(whole, model)
            self._made[name] = self._made[whole]
        return self._made[name]

    def _chat_model(self, name: str, model: Model) -> ChatModel:
        if isinstance(model, _Sized):
            return ChatModel(name=name, model=model, budget=self._budget(model.size), takes_tools=model.takes_tools)
        service, size = understood(name).service, size_of(name)
        place = address(service, self._environment, self._endpoints)
        if service.way == "compatible" and place.rstrip("/").lower() != service.url:
            # Whoever started this server decided how long its window is; it knows the room that is left for a reply.
            size = replace(size, output=0)
        return ChatModel(name=name, model=model, budget=self._budget(size))

    async def usual(self) -> ChatModel:
        """The model that answers where a session names none."""
        return await self.named((await self.choice()).name)

    async def close(self) -> None:
        """Hang up everywhere."""
        models, self._made = {id(each.model): each for each in self._made.values()}, {}
        async with AsyncExitStack() as stack:  # one that fails keeps no other from being closed
            for chat_model in models.values():
                if isinstance(chat_model.model, _Closing):
                    stack.push_async_callback(chat_model.model.close)
