"""What a session's log says, read in pages, and search in all of them."""

from datetime import datetime

from starlette.responses import Response

from holdfast.errors import BadInput
from holdfast.hosts.gateway.resource import Call, Resource, json
from holdfast.records.parts import Value
from holdfast.remote.server_frames import EntryFrame
from holdfast.remote.wire import entry_json

ENTRIES = 20_000
"""The most entries of one page."""
FINDS = 30
"""How many finds a search gives."""


class EntryPage(Value, frozen=True, kw_only=True, omit_defaults=False):
    """Entries that follow each other, as the frame `entry` has them."""

    entries: tuple[EntryFrame, ...]


class SearchFind(Value, frozen=True, kw_only=True, omit_defaults=False):
    """Something said that a search found."""

    session: str
    position: int
    at: datetime
    role: str
    """Who said it: user, model, tool, delivered; or that it is a title."""
    snippet: str
    title: str


class SearchFinds(Value, frozen=True, kw_only=True, omit_defaults=False):
    """The best finds of a search, the best first."""

    hits: tuple[SearchFind, ...]
    waiting: int
    """Sessions whose words are not in the search yet."""


def _number(call: Call, name: str, default: int) -> int:
    text = call.request.query_params.get(name, "")
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > len(str(1 << 62)):
        raise BadInput(f"{name} must be a whole number, not {text[:40]!r}.")
    return int(text)


async def _entries(call: Call) -> Response:
    key = call.path["key"]
    state = await call.sessions.must_own(key)
    limit = max(1, min(_number(call, "limit", 100), ENTRIES))
    if "after" in call.request.query_params:
        start = _number(call, "after", 0) + 1
    else:
        start = max(0, min(_number(call, "before", state.last + 1), state.last + 1) - limit)
    stop = min(start + limit, _number(call, "before", start + limit))
    records = await call.sessions.load(key, start=start, stop=stop)
    frames = tuple(EntryFrame(session=key, position=each.pos, entry=entry_json(each)) for each in records)
    return json(EntryPage(entries=frames))


async def _search(call: Call) -> Response:
    query = call.request.query_params.get("q", "")
    if not query.strip():
        raise BadInput("There is nothing to search for.", hint="Give words: /search?q=WORDS.")
    hits = await call.sessions.search(query, limit=FINDS, key=call.request.query_params.get("session"))
    titles = {key: (await call.sessions.must_own(key)).title for key in {hit.key for hit in hits}}
    found = tuple(
        SearchFind(
            session=hit.key, position=hit.pos, at=hit.at, role=hit.role, snippet=hit.snippet, title=titles[hit.key]
        )
        for hit in hits
    )
    return json(SearchFinds(hits=found, waiting=hits.waiting))


RESOURCES = (
    Resource("GET", "/sessions/{key}/entries", _entries, "Entries before or after a position.", answer=EntryPage),
    Resource("GET", "/search", _search, "Find what was said.", answer=SearchFinds),
)
