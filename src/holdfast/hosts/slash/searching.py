"""`/search`: where something was said."""

import re

from holdfast.commands.text.times import ago, count
from holdfast.errors import NotThere
from holdfast.hosts.slash.answer import Answers, Column, SwitchTo, Table, Words
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.history import around
from holdfast.hosts.slash.run import misused
from holdfast.session.catalog import Hit

FINDS = 10
_NUMBER = re.compile(r"(?:^|\s)#(\d{1,9})$")


async def search(rest: str, desk: SlashDesk) -> Answers:
    """Find words, or go to one of the finds."""
    number = _NUMBER.search(rest)
    words = rest[: number.start()].strip() if number else rest
    if not words:
        raise misused("search", "What is to be found?")
    # What a command showed was said elsewhere too, and this search itself would be the best find.
    hits = [each for each in await desk.store.search(words, limit=FINDS * 2) if each.role != "command"][:FINDS]
    if not hits:
        return (Words(markdown=f"Nothing that was said has all of: {words}"),)
    return await _at(int(number[1]), hits, desk) if number else (_listed(words, hits, desk),)


def _listed(words: str, hits: list[Hit], desk: SlashDesk) -> Table:
    rows = tuple(
        (f"#{index}", _where(each, desk), f"{each.role}, {ago(each.at, desk.now())}", each.snippet)
        for index, each in enumerate(hits, 1)
    )
    return Table(
        columns=(Column(name=""), Column(name="Where"), Column(name="Who and when"), Column(name="What")),
        rows=rows,
        note=f"`/search {words} #1` goes to the first of them.",
    )


def _where(hit: Hit, desk: SlashDesk) -> str:
    return f"here @{hit.pos}" if hit.key == desk.conversation.key else f"{hit.key} @{hit.pos}"


async def _at(number: int, hits: list[Hit], desk: SlashDesk) -> Answers:
    if not 0 < number <= len(hits):
        raise NotThere(
            f"There is no find #{number}; there {'is' if len(hits) == 1 else 'are'} {count(len(hits), 'find')}.",
            hint="Give a number from 1 on, as the list shows them.",
        )
    hit = hits[number - 1]
    if hit.key == desk.conversation.key:
        return (await around(hit.pos, desk),)
    return (SwitchTo(key=hit.key, at=hit.pos),)
