"""The models that an agent asks: a model with its budget, and where models come from."""

from typing import Protocol

import msgspec

from holdfast.context.budget import Budget
from holdfast.model.protocol import Model


class ChatModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model, under the name a person calls it by."""

    name: str
    """As in the settings and in `described` entries: `openai:gpt-6-sol`, `local:smollm2`."""
    model: Model
    budget: Budget = Budget()
    takes_tools: bool = True
    """Whether tools are offered to it."""


class Models(Protocol):
    """Where models come from."""

    async def named(self, name: str) -> ChatModel:
        """The model of a name, made once and kept.

        Raises `BadInput` for a name nobody knows, and `ModelError` if it cannot be made ready.
        """
        ...

    async def usual(self) -> ChatModel:
        """The model that answers where a session names none."""
        ...

    async def close(self) -> None:
        """Release what they hold. Closing twice is once."""
        ...


class FixedModels:
    """One model, whatever it is asked for by."""

    def __init__(self, chat_model: ChatModel) -> None:
        """Give this one; it stays the caller's to close."""
        self._chat_model = chat_model

    async def named(self, name: str) -> ChatModel:
        """The model."""
        del name  # there is only one
        return self._chat_model

    async def usual(self) -> ChatModel:
        """The model."""
        return self._chat_model

    async def close(self) -> None:
        """Nothing was opened."""
