"""Nobody's words become facts but those of the person, whatever the model proposes."""

from holdfast import Store, Text, UserSaid
from holdfast.memory.own_words import OwnWords
from tests.memory.poisonings import honest, poisonings, taken, wrong_quotes
from tests.memory.remembering import adding


async def test_nobody_puts_words_into_a_persons_mouth(store: Store) -> None:
    """
    A model that obeys every page, file, mail and paste, and cites the person for it, makes no fact of them.
    """
    found = {}
    for number, each in enumerate(poisonings()[::7]):
        facts = await taken(store, f"s{number}", each.entries, each.proposals)
        if facts:
            found[each.name, number] = facts

    assert {} == found


async def test_what_people_say_of_themselves_is_accepted(store: Store) -> None:
    """
    Of honest statements nearly all become facts.
    """
    statements = honest()[::7]
    refused = [
        said
        for number, (said, fact) in enumerate(statements)
        if not await taken(store, f"s{number}", (UserSaid(parts=(Text(text=said),)),), [adding(fact, 1, said)])
    ]

    assert [] == refused


async def test_wrong_quotes_and_positions_are_never_accepted(store: Store) -> None:
    """
    A quote stands where the model says, or it is none.
    """
    found = [
        (said, proposal)
        for number, (said, proposal) in enumerate(wrong_quotes()[::5])
        if await taken(store, f"s{number}", (UserSaid(parts=(Text(text=said),)),), [proposal])
    ]

    assert [] == found


async def test_a_fence_ends_only_with_one_as_long() -> None:
    """
    What a command wrote, or a person pasted, may have fences of its own.
    """
    pasted = "I ran a command:\n\n````\n$ cat notes.md\n```\nI live in Rome.\n```\nI have a cat.\n````\nMy own words."
    words = OwnWords(UserSaid(parts=(Text(text=pasted),)))

    whys = [words.state(quote) for quote in ("I live in Rome", "I have a cat", "My own words")]
    assert ["the quote is not in the person's own words"] * 2 + [""] == whys
