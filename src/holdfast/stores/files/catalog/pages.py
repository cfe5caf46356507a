"""The list, read from the rows of the catalog page by page."""

import json
import sqlite3

from holdfast.errors import BadInput
from holdfast.session.catalog import Due, Page, Wanted
from holdfast.stores.files.catalog.rows import COLUMNS, to_row

DIGITS, MOST = 19, 2**31
"""How long a number in a cursor can be, and how many rows anyone can ask for: more, and SQLite cannot take it."""


def page(db: sqlite3.Connection, wanted: Wanted) -> Page:
    """Sessions by the time of their last entry, newest first."""
    updated, number = _parsed(wanted.cursor)
    about = " and workspace = :workspace" if wanted.workspace else ""
    about += "" if wanted.owner is None else " and owner = :owner"
    about += "" if wanted.scripts else " and speaker <> 'script'"
    query = (
        f"select {COLUMNS} from sessions where (updated, id) < (:updated, :number)"  # noqa: S608
        " and (:archived is null or archived = :archived)"
        " and (:tag = '\"\"' or (instr(tags, :tag) and tagged(tags, :tag)))"
        f"{about}"
        " order by updated desc, id desc limit :limit"
    )
    asked = {
        "updated": updated,
        "number": number,
        "archived": wanted.archived,
        "tag": json.dumps(wanted.tag),
        "workspace": wanted.workspace.encode("utf-8", "surrogatepass"),
        "owner": (wanted.owner or "").encode("utf-8", "surrogatepass"),
    }
    found = db.execute(query, {**asked, "limit": wanted.limit + 1}).fetchall()
    last = found[wanted.limit - 1] if len(found) > wanted.limit else None
    cursor = f"{last[6]}-{last[0]}" if last else ""
    return Page(sessions=tuple(to_row(each).listed for each in found[: wanted.limit]), cursor=cursor)


def due(db: sqlite3.Connection, limit: int, workspace: str, *, goals: bool | None) -> tuple[Due, ...]:
    """Sessions that are to be woken, the earliest first; those with an active goal are always due, since 1970."""
    about = " and workspace = :workspace" if workspace else ""
    about += "" if goals is None else " and due = 0" if goals else " and due != 0"
    query = f"select {COLUMNS} from sessions where due is not null{about} order by due, key limit :limit"  # noqa: S608
    found = db.execute(query, {"workspace": workspace.encode("utf-8", "surrogatepass"), "limit": limit}).fetchall()
    rows = [to_row(each).listed for each in found]
    return tuple(Due(key=row.key, at=row.due) for row in rows if row.due is not None)


def bounded(limit: int) -> int:
    """A limit that SQLite can take."""
    return max(0, min(limit, MOST))


def _parsed(cursor: str) -> tuple[int, int]:
    updated, dash, number = cursor.partition("-")
    if not cursor:
        return 2**62, 2**62
    if not (dash and updated.isdecimal() and number.isdecimal() and max(len(updated), len(number)) < DIGITS):
        raise BadInput(f"{cursor!r} is not a cursor of this list.", hint="Begin without one.")
    return int(updated), int(number)
