"""Nobody's words become facts but those of the person, whatever the model proposes."""

from holdfast import Store, Text, UserSaid
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
