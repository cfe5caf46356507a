"""`todo` and `read_output`: the list of what is to be done, and long results page by page."""

import pytest

from holdfast.agent.permissions import Permissions
from holdfast.log.blobs import SPILL_BYTES
from holdfast.tools.pages import LONGEST_LINE
from holdfast.tools.stored_output import ReadOutput
from holdfast.tools.todo import MOST_ITEMS, Todo
from tests.tools.calling import Desk, asked, failure, text


async def test_the_list_is_given_back() -> None:
    """
    The whole list is in the answer, so that the log and the model have the newest one.
    """
    items = [{"text": "read", "state": "done"}, {"text": "write\nit", "state": "doing"}, {"text": "test"}]

    assert "[x] read\n[>] write it\n[ ] test" == await text(Todo(), items=items)
    assert "(nothing to do)" == await text(Todo(), items=[])


async def test_a_list_needs_no_permission() -> None:
    """
    A list changes nothing, so nobody is asked.
    """
    ask = await asked(Todo(), items=[{"text": "read", "state": "done"}])

    assert ("allow", "note what is to be done (1 of 1 done)") == (Permissions().decide(ask), ask.title)


@pytest.mark.parametrize(
    "items", [[{"text": ""}], [{"text": "x", "state": "maybe"}], [{"text": "x"}] * (MOST_ITEMS + 1)]
)
async def test_a_list_that_is_none(items: list[dict[str, str]]) -> None:
    """
    A wrong item is an error that names what is taken.
    """
    assert "Send a JSON object with `items`." in await failure(Todo(), items=items)


async def test_a_long_result_is_read_to_its_end() -> None:
    """
    Page by page, all of a result can be read, also a line without end; no page is so long that it is cut again.
    """
    context = Desk()
    lines = ["first", "x" * LONGEST_LINE * 20 + "end", *(f"line {number}" for number in range(3000)), "last"]
    blob = await context.attach("\n".join(lines).encode(), media_type="text/plain")
    seen: list[str] = []

    start = 1
    while start:
        shown = await text(ReadOutput(), context, id=blob.blob[:12], start=start)
        assert SPILL_BYTES > len(shown.encode())
        rows = shown.split("\n")
        start = int(rows.pop().rpartition("=")[2].rstrip("]")) if rows[-1].startswith("[") else 0
        seen += [row.partition("\t")[2] for row in rows]

    assert "".join(lines) == "".join(seen)


async def test_some_lines_of_a_result() -> None:
    """
    A page can begin anywhere.
    """
    context = Desk()
    blob = await context.attach(b"one\ntwo\nthree", media_type="text/plain")

    shown = await text(ReadOutput(), context, id=blob.blob, start=2, count=1)

    assert "     2\ttwo\n[lines 2 to 2 of 3; go on with start=3]" == shown


async def test_what_cannot_be_read_on() -> None:
    """
    Each error says what is wrong: no such id, not an id at all, no text, beyond the end.
    """
    context = Desk()
    picture = await context.attach(b"\x89PNG\0\0", media_type="image/png")
    words = await context.attach(b"words", media_type="text/plain")

    assert "Nothing is kept as 0123456789ab." == await failure(ReadOutput(), context, id="0123456789ab")
    assert "`id`, `start`, `count`" in await failure(ReadOutput(), context, id="../../etc")
    assert "is not text" in await failure(ReadOutput(), context, id=picture.blob[:12])
    assert "has 1 lines" in await failure(ReadOutput(), context, id=words.blob[:12], start=2)
