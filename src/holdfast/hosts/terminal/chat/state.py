"""The state of a chat: its agent, its conversation, its theme, and what is saved."""

import os
from pathlib import Path

from holdfast.agent.conversation import Conversation
from holdfast.assembly.agent import AgentRuntime
from holdfast.errors import HoldfastError
from holdfast.hosts.terminal.draw.gauge import Safe
from holdfast.hosts.terminal.draw.spans import wrapped_text
from holdfast.hosts.terminal.draw.theme import Theme, Wanted, theme_for
from holdfast.hosts.terminal.input.tty import size
from holdfast.log.store import Durability
from holdfast.records.printable import printable

_MEGA = 1_000_000


class DemoDownload:
    """How far it is; told from whichever thread fetches."""

    def __init__(self) -> None:
        """Nothing is fetched."""
        self._done = self._total = 0
        self._told = False

    def progress(self, done: int, total: int) -> None:
        """So many bytes are here."""
        self._done, self._total = done, total

    @property
    def line(self) -> str:
        """How far it is; '' while nothing is fetched."""
        if not self._done or self._done == self._total:
            return ""
        share = f"{self._done // _MEGA} of {self._total // _MEGA} MB" if self._total else f"{self._done // _MEGA} MB"
        return f"fetching the built-in demo model, once: {share}"

    def news(self) -> list[str]:
        """What is said when it begins, once."""
        if self._told or not self.line:
            return []
        self._told = True
        return ["The built-in demo model is fetched now, once; it takes a moment."]


class ChatState:
    """What everything in a chat is about; commands change it."""

    def __init__(self, agent: AgentRuntime, conversation: Conversation, theme: Theme, download: DemoDownload) -> None:
        """Begin in a conversation."""
        self.agent, self.conversation, self.theme = agent, conversation, theme
        self.download = download
        self.model = ""
        """The model that answers, once it is known."""
        self.saved = -1
        """The last position that is known to be committed."""
        self.durability: Durability = "always"
        self.on_its_way = 0
        """Messages that were sent and are not in the log yet."""
        self.lost = False
        """Whether another process has taken the conversation over."""

    @property
    def columns(self) -> int:
        """How wide the terminal is."""
        return size().columns

    @property
    def folder(self) -> Path | None:
        """The folder of the session; None where there are no files."""
        return self.agent.engine.store.about(self.conversation.key).folder

    @property
    def safe(self) -> Safe:
        """What of the conversation is safe: what was appended, and what was sent and is not appended yet."""
        if self.lost:
            return "lost"
        if not self.agent.settings.persistence:
            return "unkept"
        conversation = self.conversation
        behind = conversation.session.exists and self.saved < conversation.state.last
        if self.on_its_way or conversation.session.owes or behind:
            return "saving"
        return "saved" if self.durability == "always" else "written"

    async def save(self) -> None:
        """Wait until everything appended so far is committed."""
        conversation = self.conversation
        while (
            conversation.session.exists
            and not conversation.closed
            and self.saved < conversation.state.last
            and conversation is self.conversation
        ):
            ack = await conversation.session.commit()
            self.saved, self.durability = ack.position, ack.durability

    def enter(self, conversation: Conversation) -> None:
        """Go on in another conversation."""
        self.conversation, self.saved, self.model, self.lost = conversation, -1, "", False

    def use_theme(self, wanted: Wanted) -> None:
        """Use other colours from now on."""
        self.theme = theme_for(wanted, os.environ)

    def said_of(self, error: HoldfastError) -> list[str]:
        """An error in words, with what to do."""
        text = [self.theme.painted(line, "error") for line in wrapped_text(printable(error.message), self.columns)]
        hint = wrapped_text(printable(error.hint), self.columns) if error.hint else []
        return [*text, *hint]
