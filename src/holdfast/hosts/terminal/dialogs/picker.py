"""Which session, and which branch of one: what is offered to choose from.

Sessions come in pages, newest first, and only as many as are looked at; whoever types has all of them searched,
and what was said in them too. `settle` is for those who cannot watch a list grow.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime

from holdfast.assembly.agent import AgentRuntime
from holdfast.commands.answers import BranchChoice
from holdfast.commands.text.times import ago, count
from holdfast.errors import HoldfastError
from holdfast.hosts.terminal.dialogs.choose import ListRow, choose
from holdfast.hosts.terminal.dialogs.io import DialogIO, io_for
from holdfast.records.codec import Record
from holdfast.records.entries import Delivered, Fork, ModelReplied, UserSaid
from holdfast.records.parts import plain_text
from holdfast.records.printable import printable, printable_line
from holdfast.session.catalog import Listed, Wanted
from holdfast.session.store import Store

PAGE = 200
"""Sessions that are loaded at once."""
AHEAD = 50
"""Sessions that are loaded beyond the one that is looked at."""
HITS = 50
"""Finds in what was said."""
PAUSE = 0.12
"""Seconds without a key before what was said is searched."""
LINE = 200
"""Characters of a text to choose."""
FAR = 40
"""Entries that are looked at for the last words."""


async def pick_session(agent: AgentRuntime, query: str = "", io: DialogIO | None = None) -> str | None:
    """Let a person choose a session of the workspace, or of all; gives its key, or None."""
    source = Sessions(agent.engine.store, agent.identity, datetime.now(UTC))
    return await choose(source, io or io_for(agent.settings.ui), query)


async def pick_branch(choices: Sequence[BranchChoice], io: DialogIO) -> int | None:
    """Let a person choose a branch of a tree; gives its number, or None."""
    heading = f"{count(len(choices), 'branch', 'branches')}; ● is the one you are on"
    # The drawing has spaces that mean something, so a line is not put together anew.
    lines = [printable(each.line).replace("\n", " ") for each in choices]
    marks = ["●" if each.current else "" for each in choices]
    rows = [ListRow(line, mark, mark) for line, mark in zip(lines, marks, strict=True)]
    index = await _pick_row(heading, rows, io)
    return None if index is None else choices[index].number


async def pick_text(texts: Sequence[str], io: DialogIO) -> int | None:
    """Let a person choose one of some texts; gives its index, or None."""
    return await _pick_row("What is to be done?", [ListRow(printable_line(each, LINE)) for each in texts], io)


async def _pick_row(heading: str, rows: Sequence[ListRow], io: DialogIO) -> int | None:
    key = await choose(Rows(heading, rows), io)
    return None if key is None else int(key)


class Sessions:
    """The sessions of a workspace, or all."""

    def __init__(self, store: Store, identity: str, now: datetime) -> None:
        """Offer the sessions of a workspace; with no identity, all of them."""
        self._store, self._identity, self._now = store, identity, now
        self._wide = not identity
        self._known: dict[str, Listed] = {}
        self._words: dict[str, str] = {}
        self._cursor: str | None = ""
        self._wanted = AHEAD
        self._query, self._hits = "", dict[str, str]()
        self._found: list[str] | None = None
        self._about: dict[str, str] = {}
        self._looked = 0
        self._news, self._quiet = asyncio.Event(), asyncio.Event()
        self._waiting = 0

    @property
    def heading(self) -> str:
        """How many there are, and of what."""
        where = "of all workspaces" if self._wide else "of this workspace"
        more = "+" if self._cursor is not None else ""
        more += f" ({self._waiting:,} still to be checked)" if self._waiting else ""
        if self._query:
            return f"Sessions {where}: {len(self.found()):,} of {len(self._known):,}{more}"
        return f"Sessions {where}: {len(self._known):,}{more}"

    @property
    def hint(self) -> str:
        """The key for more."""
        if not self._identity:
            return ""
        return "Ctrl-A only this workspace" if self._wide else "Ctrl-A all workspaces"

    def found(self) -> Sequence[str]:
        """Those that have every word in title, first words, key or tags; then those in which it was said."""
        if self._found is None:
            asked = self._query.casefold().split()
            fits = [key for key, words in self._words.items() if all(each in words for each in asked)]
            said = [key for key in self._hits if key in self._known and key not in set(fits)]
            self._found = [*fits, *said]
        return self._found

    def row(self, key: str) -> ListRow:
        """A session in one line."""
        each = self._known[key]
        marks = "! " if each.damaged else ""
        when = ago(each.updated, self._now)
        said = count(each.messages, "message")
        return ListRow(f"{marks}{printable_line(each.name, 160)}", f"{said:>12}  {when:>10}", when)

    def about(self, key: str) -> str:
        """Where the words were found, or the last thing that was said."""
        return self._hits.get(key) or self._about.get(key, "")

    def typed(self, text: str) -> None:
        """Look for something else."""
        self._query, self._hits, self._found, self._looked = text.strip(), {}, None, 0
        self._stir()

    def looked_at(self, index: int) -> None:
        """Load what comes after it, and the last words of it."""
        self._looked, self._wanted = index, max(self._wanted, index + AHEAD)
        self._stir()

    def widened(self) -> None:
        """Change between this workspace and all."""
        if self._identity:
            self._wide = not self._wide
            self._known, self._words, self._cursor, self._found, self._hits = {}, {}, "", None, {}
            self._wanted = AHEAD
            self._stir()

    def _stir(self) -> None:
        self._quiet.clear()
        self._news.set()

    async def settle(self) -> None:
        """Wait until what was asked for so far is there."""
        await self._quiet.wait()

    async def work(self, changed: Callable[[], None]) -> None:
        """Load, search and look up, the newest wish first."""
        while True:
            self._news.clear()
            if await self._load() or (not self._news.is_set() and await self._look_up()):
                changed()
            elif not self._news.is_set():
                self._quiet.set()
                await self._news.wait()

    async def _load(self) -> bool:
        """One more page, if it is needed; whether there was one."""
        cursor, wide = self._cursor, self._wide
        if cursor is None or (len(self._known) >= self._wanted and not self._query):
            return False
        # Runs of `holdfast -p` are there where all sessions are, and not among the conversations of a person.
        wanted = Wanted(limit=PAGE, cursor=cursor, workspace="" if wide else self._identity, scripts=wide)
        page = await self._store.page(wanted)
        if self._wide == wide:  # a key may have been pressed meanwhile
            self._cursor, self._waiting = page.cursor or None, page.waiting
            self._found = None
            for each in page.sessions:
                self._known[each.key] = each
                self._words[each.key] = f"{each.name} {each.preview} {each.key} {' '.join(each.tags)}".casefold()
        return True

    async def _look_up(self) -> bool:
        """What was said with these words, and the last words of the one that is looked at; whether that is news."""
        found, news = self.found(), False
        key = found[min(self._looked, len(found) - 1)] if found else None
        if key is not None and key not in self._about:
            self._about[key] = await self._last_words(self._known[key])
            news = True
        query = self._query
        if query and "" not in self._hits:
            await asyncio.sleep(PAUSE)
            if self._query == query and not self._news.is_set():
                self._hits = {"": "", **await self._said(query)}
                self._found, news = None, True
        return news

    async def _last_words(self, listed: Listed) -> str:
        """The last words of a session; of a fork, where it left the other one."""
        records, origin = self._store.read_back(listed.key), listed.origin
        if not isinstance(origin, Fork):
            return await last_words(records)
        own = await last_words(records, down_to=origin.pos + 1)
        shared = await last_words(self._store.read_back(listed.key, before=origin.pos + 1))
        left = f"forked from {printable_line(origin.key, 60)} at {origin.pos}"
        return " · ".join([left, own or shared])

    async def _said(self, query: str) -> dict[str, str]:
        try:
            hits = await self._store.search(query, limit=HITS)
        except HoldfastError:  # half a phrase in quotes, or a busy index: titles are still found
            return {}
        snippets: dict[str, str] = {}
        for hit in hits:
            snippets.setdefault(hit.key, hit.snippet)
        return snippets


class Rows:
    """A few things that are all there, such as the branches of a conversation in the order of its tree."""

    hint = ""

    def __init__(self, heading: str, rows: Sequence[ListRow]) -> None:
        """Offer these; the key of one is its index."""
        self.heading = heading
        self._rows = rows
        self._query = ""

    def found(self) -> Sequence[str]:
        """Those with what was typed."""
        asked = self._query.casefold()
        return [str(index) for index, row in enumerate(self._rows) if asked in row.text.casefold()]

    def row(self, key: str) -> ListRow:
        """One of them."""
        return self._rows[int(key)]

    def about(self, key: str) -> str:
        """Everything is in the line."""
        del key
        return ""

    def typed(self, text: str) -> None:
        """Look for words."""
        self._query = text.strip()

    def looked_at(self, index: int) -> None:
        """Everything is there."""

    def widened(self) -> None:
        """There is nothing more."""

    async def work(self, changed: Callable[[], None]) -> None:
        """Everything is there."""

    async def settle(self) -> None:
        """Everything is there."""


async def last_words(records: AsyncIterator[Record], *, down_to: int = 0) -> str:
    """The last thing that was said from a position on, on one line; '' if that is too long ago."""
    seen = 0
    async for record in records:
        if record.pos < down_to:
            break
        entry = record.entry
        seen += 1
        if isinstance(entry, UserSaid | ModelReplied | Delivered) and (words := plain_text(entry.parts).strip()):
            who = "you" if isinstance(entry, UserSaid) else "model"
            return f"{who}: {printable_line(words, 240)}"
        if seen > FAR:
            break
    return ""
