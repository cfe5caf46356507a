"""What a slash command works on."""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import msgspec

from holdfast.agent.conversation import Conversation
from holdfast.assembly.agent import Agent
from holdfast.session.store import Store
from holdfast.session.writer import Session


def _now() -> datetime:
    return datetime.now(UTC)


def _nothing() -> None:
    """There is nothing to forget where nothing is brought back."""


class SlashDesk(msgspec.Struct, frozen=True, kw_only=True):
    """An agent and the conversation that the person is in."""

    agent: Agent
    conversation: Conversation
    environment: Mapping[str, str] = msgspec.field(default_factory=lambda: os.environ)
    """Where keys of services, and the user's own folder, are found."""
    now: Callable[[], datetime] = _now
    forget_typed: Callable[[], None] = _nothing
    """Has the host bring back nothing that was typed before."""

    @property
    def store(self) -> Store:
        """Where all sessions are."""
        return self.agent.engine.store

    @property
    def session(self) -> Session:
        """The session that the person is in."""
        return self.conversation.session
