"""What a person says about memory outright."""

import pytest

from holdfast import BadInput, NotThere, Store
from holdfast.memory.notebook import Notebook
from tests.memory.remembering import ME, facts, is_secret


@pytest.fixture
def book(store: Store) -> Notebook:
    """The facts of the person of this machine."""
    return Notebook(store, ME, is_secret)


async def test_a_fact_is_remembered_corrected_and_taken_back(store: Store, book: Notebook) -> None:
    """
    Without any model; the history stays.
    """
    rome = await book.remember("I live in  Rome.\n")
    assert ("add", ["I live in Rome."]) == (rome.operation, await facts(store))
    bern = await book.replace(await book.named(rome.fact), "I live in Bern.")
    assert ["I live in Bern."] == await facts(store)
    await book.retract(await book.named(bern.fact[:5]))

    assert [] == await facts(store)
    assert 2 == len((await book.facts()).facts)


async def test_what_is_known_in_other_words_is_confirmed(store: Store, book: Notebook) -> None:
    """
    Saying it twice makes no second fact.
    """
    first = await book.remember("I am allergic to peanuts.")
    again = await book.remember("I'm really allergic to peanuts!")

    assert ("confirm", first.fact, 1) == (again.operation, again.fact, len(await facts(store)))


@pytest.mark.parametrize("text", ["", " \n", "\0\x1b", "x" * 301, "the key is sk-123"])
async def test_what_cannot_be_kept_is_refused(store: Store, book: Notebook, text: str) -> None:
    """
    Nothing, too much, and what looks like a secret: with what to do about it, and nothing is written.
    """
    with pytest.raises(BadInput):
        await book.remember(text)
    assert [] == await facts(store)


async def test_control_characters_and_half_characters_are_taken_out(store: Store, book: Notebook) -> None:
    """
    A fact is one line of text.
    """
    await book.remember("I like\0 te\ud800a.")

    assert ["I like te a."] == await facts(store)


async def test_ids_that_mean_nothing_or_too_much_are_told(book: Notebook) -> None:
    """
    With the ids that begin so.
    """
    one = await book.remember("I like tea.")
    await book.remember("I have two cats.")

    with pytest.raises(BadInput, match="beginning of 2 facts"):
        await book.named("F")
    for name in ("", "Fzzzz", "x"):
        with pytest.raises((NotThere, BadInput)):
            await book.named(name)
    assert one.fact == (await book.named(one.fact.upper())).id


async def test_undo_takes_back_the_newest_and_what_it_replaced_comes_back(store: Store, book: Notebook) -> None:
    """
    One step, as it was before; once more takes the undoing back.
    """
    rome = await book.remember("I live in Rome.")
    await book.replace(await book.named(rome.fact), "I live in Bern.")
    (gone,) = await book.undo()
    assert ("I live in Bern.", ["I live in Rome."]) == (gone.text, await facts(store))
    await book.undo()
    assert ["I live in Bern."] == await facts(store)


async def test_with_nothing_remembered_there_is_nothing_to_undo(store: Store, book: Notebook) -> None:
    """
    It says so; what was taken back is not there either.
    """
    await book.remember("I like tea.")
    await book.undo()
    assert [] == await facts(store)
    with pytest.raises(NotThere, match="nothing to take back"):
        await book.undo()


async def test_within_a_session_it_is_written_there(store: Store, book: Notebook) -> None:
    """
    So that it goes with the session, and a rewind takes it out.
    """
    async with store.session("a") as session:
        await book.remember("I like tea.", session=session)
        await session.rewind(0)

    assert [] == await facts(store)
