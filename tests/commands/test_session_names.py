"""By what names a session is found."""

from pathlib import Path

import pytest

from holdfast import BadInput, Described, Store, open_store
from holdfast.commands.session_names import LAST, find_session, whole_name
from holdfast.errors import NotThere


async def stored(store: Store, **titles: str) -> None:
    """Sessions with titles."""
    for key, title in titles.items():
        async with store.session(key) as session:
            await session.say(f"words of {key}")
            await session.append(Described(title=title, workspace="here"))


async def test_a_session_is_found_by_the_beginning_of_its_key_and_by_its_title(tmp_path: Path) -> None:
    """
    A key that exists comes first, then a whole title, then the only key that begins so.
    """
    async with open_store(tmp_path) as store:
        await stored(store, notes="The boat", notes_2="notes_", harbour="Ropes")

        for text, key in {
            "notes": "notes",
            "the BOAT": "notes",
            "notes_": "notes_2",
            "har": "harbour",
            LAST: "harbour",
            "nothing": "nothing",
        }.items():
            assert key == await find_session(store, text, "here"), text


async def test_several_that_fit_are_named(tmp_path: Path) -> None:
    """
    None of them is chosen.
    """
    async with open_store(tmp_path) as store:
        await stored(store, a1="", a2="", a3="", a4="")

        with pytest.raises(BadInput, match="'a' fits 4 sessions: a4, a3, a2, …"):
            await find_session(store, "a", "here")


async def test_a_whole_name_is_never_a_part_of_one(tmp_path: Path) -> None:
    """
    Where something is removed or created, neither a beginning nor a title counts.
    """
    async with open_store(tmp_path) as store:
        await stored(store, notes="The boat")

        for text, key in {"not": "not", "The boat": "The boat", LAST: "notes", "notes": "notes"}.items():
            assert key == await whole_name(store, text, "here"), text
        with pytest.raises(NotThere, match="This folder has no conversation yet"):
            await whole_name(store, LAST, "there")
