"""A title for a session, drawn by the model after the first turn.

It is a convenience: without one, lists show the first words that were said.
"""

import re
from collections.abc import Awaitable, Callable

from holdfast.agent.models import ChatModel
from holdfast.agent.stream_task import IdleTimeout
from holdfast.errors import HoldfastError
from holdfast.ids import Position
from holdfast.model.prices import priced
from holdfast.model.protocol import Model, Request, UserMessage
from holdfast.model.stream import collected
from holdfast.records.entries import Described, Fork, ModelReplied, TurnEnded, UserSaid
from holdfast.records.parts import Text, plain_text
from holdfast.records.printable import printable_line
from holdfast.session.state import forked
from holdfast.session.writer import Session

ASKED = (
    "Here is the beginning of a conversation. Answer with a title for it and nothing else: two to six words,"
    " in the language of the conversation, without quotes.\n\n"
)
CHARACTERS = 60
"""A longer title is cut."""
SHOWN = 1_200
"""So many characters of each message are shown."""
FAR = 64
"""So many entries are looked at."""


class TitleAfterTurn:
    """Draws a title after the first turn that was answered."""

    def __init__(
        self,
        find: Callable[[], Awaitable[ChatModel]],
        hidden: Callable[[], frozenset[Position]],
        *,
        named: bool,
        idle: float,
    ) -> None:
        """`find` gives the model to ask, `hidden` what was forgotten; `named`: the model was chosen for titles."""
        self._find, self._hidden, self._named, self._idle = find, hidden, named, idle
        self._done = False

    async def after_turn(self, session: Session, ended: TurnEnded) -> None:
        """Draw it, unless there is one."""
        # Only what was answered has a model for certain: a turn may end because none is to be had.
        if self._done or ended.why != "answered" or session.state.title:
            return
        try:
            chat_model = await self._find()
            # One too small for tools finds titles that say less than the first words of the conversation.
            if chat_model.takes_tools or self._named:
                self._done = True
                await draw_title(session, IdleTimeout(chat_model.model, self._idle), self._hidden())
        except HoldfastError as error:
            self._done = True
            raise HoldfastError(f"The session has no title: {error}") from error


async def draw_title(session: Session, model: Model, hidden: frozenset[Position] = frozenset()) -> None:
    """Ask for a title and write it down, unless somebody gave one meanwhile. Raises what the model raises.

    What was forgotten is `hidden`: a title must not bring it back.
    """
    beginning = await _beginning(session, hidden)
    if not beginning:
        return
    said = UserMessage(parts=(Text(text=ASKED + beginning),))
    reply = await collected(model, Request(target=model.target, messages=(said,), max_output_tokens=512))
    title = _tidy(plain_text(reply.parts))
    if title and not session.state.title:
        title = forked(title) if isinstance(session.state.origin, Fork) else title
        usage = None if reply.usage is None else priced(model.target.model, reply.usage)
        await session.append(Described(title=title, usage=usage))


async def _beginning(session: Session, hidden: frozenset[Position]) -> str:
    """The first words of a person, and of the model after them."""
    found: list[str] = []
    async for record in session.read(stop=FAR):
        if isinstance(record.entry, UserSaid | ModelReplied) and record.pos not in hidden:
            who = "Person" if isinstance(record.entry, UserSaid) else "Assistant"
            words = plain_text(record.entry.parts).strip()[:SHOWN]
            found += [f"{who}: {words}"] if words else []
    return "\n\n".join(found[:2])


def _tidy(text: str) -> str:
    """A title of what a model said: its first line, without what models put around titles."""
    # Servers on one's own machine often pass thinking on as words; what was cut within it has no title yet.
    text = re.sub(r"^\s*<think>.*?(</think>|$)", "", text, flags=re.DOTALL)
    lines = [line for line in text.strip().splitlines() if line.strip()]
    if not lines:
        return ""
    title = printable_line(lines[0].removeprefix("Title:").strip(" \t\"'*#.“”„«»"), CHARACTERS)
    return title if any(char.isalnum() for char in title) else ""
