"""Memory in the catalog of a file store: what is beside the logs of the scopes."""

from pathlib import Path

from holdfast import open_store
from holdfast.ids import Position, SessionKey
from holdfast.records.facts import Forgotten, ForgottenWords
from holdfast.session.facts import Scope
from tests.session.remembering import adds


async def test_folders_that_are_no_scopes_are_passed_over(tmp_path: Path) -> None:
    """
    Nobody's memory is made of what happens to lie there.
    """
    words = ForgottenWords(key=SessionKey("a"), pos=Position(1))
    async with open_store(tmp_path) as store:
        await store.note(Scope(owner=""), adds("One."), Forgotten(words=(words,)))
        (tmp_path / "memory" / "other").mkdir()
        (tmp_path / "memory" / "%zz").mkdir()
        async with store.session("a") as session:
            await session.say("needle")

        assert [] == list(await store.search("needle"))
        assert ["One."] == [fact.text for fact in (await store.memory(Scope(owner=""))).current]


async def test_the_log_of_a_scope_is_in_files_of_its_own(tmp_path: Path) -> None:
    """
    Below `memory/`, named as sessions are, and a later process reads it.
    """
    async with open_store(tmp_path) as store:
        await store.note(Scope(owner="ann"), adds("One."))
    async with open_store(tmp_path) as store:
        found = await store.memory(Scope(owner="ann"))

    assert ["One."] == [fact.text for fact in found.current]
    assert ["of%3aann"] == [folder.name for folder in (tmp_path / "memory").iterdir()]
