"""A recap for somebody who comes into a conversation or back to it, and what is left behind on going.

What it is and from when, the last exchange, and whatever is not as it should be: a turn that was broken off, bytes
that were set aside, messages that still wait. Bounded, however long the conversation is; `/history` has the rest.
"""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from holdfast.agent.conversation import Conversation
from holdfast.commands.keys import line
from holdfast.commands.text.times import ago, count
from holdfast.commands.text.width import clip
from holdfast.commands.typed_lines import remove_shared
from holdfast.config.places import state_folder
from holdfast.hosts.terminal.chat.state import ChatState
from holdfast.hosts.terminal.chat.welcome import KEYS, PLAIN_KEYS, is_first_time, remember_welcome, welcome_lines
from holdfast.hosts.terminal.draw.activity import Activity, Look
from holdfast.hosts.terminal.draw.spans import wrapped_text
from holdfast.hosts.terminal.draw.theme import Role
from holdfast.hosts.terminal.plain import is_plain
from holdfast.ids import Position
from holdfast.log.store import Damaged
from holdfast.records.codec import Record
from holdfast.records.entries import CommandRan, Delivered, ModelReplied, ToolFinished, TurnEnded, UserSaid
from holdfast.records.parts import plain_text
from holdfast.records.printable import printable, printable_line
from holdfast.session.state import on_path

FAR = 300
"""Entries back that are looked at for the beginning of the last exchange."""
ROWS = 16
"""Lines of the last exchange."""
FIRST = 4
"""Of these, lines from its beginning."""
CONTINUE = "Press Enter on an empty line, or /continue, to go on with it; say something else to leave it."
GOAL_WAITS = "There is a goal: “{said}”. It is {doing}. /goal resume goes on with it, /goal cancel ends it."
GOAL_LEFT = "Its goal “{said}” stays {doing}: `holdfast goal run {key}` goes on with it."

_Shown = UserSaid | ModelReplied | ToolFinished | TurnEnded | Delivered | CommandRan


async def shown_on_return(
    conversation: Conversation,
    look: Look,
    now: datetime,
    *,
    folder: Path | None = None,
    rows: int = ROWS,
) -> list[str]:
    """The lines for somebody who opens a conversation; none for a new one without damage.

    `folder` is the session's own, where it has one: damaged bytes are kept below it.
    """
    records = await _last_exchange(conversation)
    lines = _damage(conversation.session.repaired, folder, look)
    if missing := await _missing(conversation):
        text = f"{count(missing, 'entry', 'entries')} cannot be read; everything before and after is here."
        lines += _said(f"{text} `{line('verify', conversation.key)}` says where.", "warning", look)
    if not records:
        return lines
    name = conversation.state.title or conversation.key
    when = ago(records[-1].at, now)
    head = f"Continuing “{printable_line(name, 80)}” from {when}. --new begins another."
    activity = Activity(look)
    body = _folded([each for record in records for each in activity.spaced(record.entry)], rows, look)
    return [*_said(head, "dim", look), "", *body, *(["", *lines] if lines else [])]


async def open_ends(conversation: Conversation, look: Look) -> list[str]:
    """What waits to be gone on with, and how; none where everything was answered."""
    lines: list[str] = []
    goal = conversation.state.goal
    if goal is not None:
        how = GOAL_WAITS.format(said=printable_line(goal.said, 120), doing=goal.doing)
        lines += _said(how, "warning", look)
    if conversation.unfinished is not None:
        lines += _said(conversation.unfinished.text, "warning", look)
    for each in conversation.state.queued:
        async for record in conversation.session.read(start=each.pos, stop=each.pos + 1):
            if isinstance(record.entry, UserSaid):
                lines += _said(f"waiting: {printable_line(plain_text(record.entry.parts), 200)}", "dim", look)
    if conversation.unfinished is not None:
        lines += _said(CONTINUE, "strong", look)
    return lines


async def _last_exchange(conversation: Conversation) -> list[Record]:
    """The entries from the last thing that was said and answered on, oldest first."""
    state, found = conversation.state, list[Record]()
    path, waiting = state.path, {each.pos for each in state.queued}
    async for record in conversation.session.read_back(before=state.head + 1):
        if record.pos < state.head - FAR:
            break
        if not on_path(record.pos, path) or record.pos in waiting or not isinstance(record.entry, _Shown):
            continue
        found.append(record)
        if isinstance(record.entry, UserSaid) and record.entry.enters == "now":
            break
    return found[::-1]


async def _missing(conversation: Conversation) -> int:
    """How many of the newest entries are not there although later ones are."""
    seen, expected = 0, conversation.state.last
    missing = 0
    async for record in conversation.session.read_back():
        missing += expected - record.pos
        seen, expected = seen + 1, Position(record.pos - 1)
        if seen >= FAR:
            break
    return missing


def _folded(lines: list[str], rows: int, look: Look) -> list[str]:
    """The beginning and the end."""
    if len(lines) <= rows:
        return lines
    left = len(lines) - rows + 1
    more = look.theme.painted(clip(f"  … {count(left, 'line')} more; /history shows all", look.width), "dim")
    return [*lines[:FIRST], more, *lines[FIRST + left :]]


def _damage(repaired: Sequence[Damaged], folder: Path | None, look: Look) -> list[str]:
    lines: list[str] = []
    for each in repaired:
        lost = f"{count(each.missing, 'entry', 'entries')} cannot be read" if each.missing else "no entry is missing"
        where = each.aside if folder is None else str(folder / each.aside)
        kept = f"They are kept in {where}." if each.aside else ""
        text = f"{count(each.length, 'byte')} at the end of the log were damaged and set aside; {lost}. {kept}"
        lines += _said(text.strip(), "warning", look)
    return lines


def _said(text: str, role: Role, look: Look) -> list[str]:
    return [look.theme.painted(line, role) for line in wrapped_text(printable(text), look.width)]


SHARED_REMOVED = "The up key brings back what was typed in this session. The list shared by all sessions was removed."
UNUSED = 1
"""The last position of a session in which nothing happened but that it was begun for a workspace."""


async def found_here(chat_state: ChatState) -> list[str]:
    """What the conversation is, and how it was left."""
    found = await shown_on_return(
        chat_state.conversation,
        _look(chat_state),
        datetime.now(UTC),
        folder=chat_state.folder,
    )
    # Who is here for the first time is welcomed instead.
    return found or ([] if is_first_time(os.environ) else _dim("A new conversation.", chat_state))


async def left_open(chat_state: ChatState) -> list[str]:
    """What waits for the person: a turn that was broken off, messages that are queued."""
    conversation, look = chat_state.conversation, _look(chat_state)
    files = ""
    if conversation.state.jumps:
        from holdfast.commands.rewound_files import files_left

        files = await files_left(conversation.session, chat_state.agent, os.environ)
    return [*(_said(files, "warning", look) if files else []), *await open_ends(conversation, look)]


async def who_answers(chat_state: ChatState) -> list[str]:
    """Which model answers and why; the first time, what else there is to know."""
    setup, agent = chat_state.agent.engine.setup, chat_state.agent
    choice = await agent.pool.choice(asked=setup.model, session=chat_state.conversation.state.model)
    chat_state.model = chat_state.model or choice.name
    over = agent.loaded.passed_over
    if remove_shared(state_folder(os.environ)):
        over = f"{SHARED_REMOVED}\n{over}" if over else SHARED_REMOVED
    passed_over = (
        [chat_state.theme.painted(line, "warning") for line in wrapped_text(over, chat_state.columns)] if over else []
    )
    if not is_first_time(os.environ):
        return [*passed_over, *_dim(choice.said, chat_state)]
    remember_welcome(os.environ)
    plain = is_plain(os.environ, screen_reader=agent.settings.ui.screen_reader)
    welcome = welcome_lines(
        choice, agent.engine.store.about(), _look(chat_state), os.environ, PLAIN_KEYS if plain else KEYS
    )
    return [*passed_over, *welcome]


def kept(chat_state: ChatState) -> list[str]:
    """What is said to somebody who leaves."""
    state = chat_state.conversation.state
    if state.last <= UNUSED or not chat_state.conversation.session.exists:
        return []
    if not chat_state.agent.settings.persistence:
        return _dim("Nothing of this conversation is kept, as the settings say: persistence is off.", chat_state)
    name = f"“{printable_line(state.title, 60)}”" if state.title else "The conversation"
    goal = state.goal
    left = (
        ""
        if goal is None
        else f" {GOAL_LEFT.format(said=printable_line(goal.said, 60), doing=goal.doing, key=state.key)}"
    )
    return _dim(f"{name} is kept as {state.key}; `holdfast` goes on with it here.{left}", chat_state)


async def tidy(chat_state: ChatState) -> None:
    """Leave no trace of a conversation that was begun and never used."""
    conversation = chat_state.conversation
    used = conversation.state.last > UNUSED or not conversation.session.exists
    if conversation.closed and not used and chat_state.agent.settings.persistence:
        await chat_state.agent.engine.store.delete(conversation.key)


def _look(chat_state: ChatState) -> Look:
    return Look(theme=chat_state.theme, width=chat_state.columns, thinking=chat_state.agent.settings.ui.thinking)


def _dim(text: str, chat_state: ChatState) -> list[str]:
    return [chat_state.theme.painted(line, "dim") for line in wrapped_text(printable(text), chat_state.columns)]
