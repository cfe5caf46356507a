"""A title for a session, drawn by the model."""

import pytest

from holdfast import Described, ModelReplied, Scripted, Session, Text, Usage, UserSaid, open_volatile
from holdfast.agent.title import CHARACTERS, draw_title
from holdfast.errors import Unavailable
from holdfast.ids import Position
from tests.agent.troupe import scripted


async def begun(*said: str) -> Session:
    """A session in which somebody said something, and was answered."""
    session = await open_volatile().open("talk")
    for index, text in enumerate(said):
        parts = (Text(text=text),)
        await session.append(ModelReplied(parts=parts) if index % 2 else UserSaid(parts=parts))
    return session


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Ebb and flow", "Ebb and flow"),
        ('  \n"Title: Ebb and flow."\nmore', "Title: Ebb and flow"),
        ("Title: **Ebb** and flow", "Ebb** and flow"),
        ("# Ebb and flow", "Ebb and flow"),
        ("„Ebbe und Flut“", "Ebbe und Flut"),
        ("\x1b[31mred\x1b[0m", None),
        ("潮の満ち引き", "潮の満ち引き"),
        ("<think>\nThe user asks about water.\n</think>\n\nEbb and flow", "Ebb and flow"),
        ("<think>\nThe user asks about", ""),
        ("…", ""),
        ("", ""),
    ],
)
async def test_a_title_is_one_tidy_line(words: str, expected: str | None) -> None:
    """
    Without what models put around titles, and without anything a terminal would obey.
    """
    session = await begun("When is high water?", "At noon.")
    answer = Scripted(parts=(Text(text=words or " "),), usage=Usage(input_tokens=1))
    await draw_title(session, scripted(answer))

    assert "\x1b" not in session.state.title
    if expected is not None:
        assert expected == session.state.title


async def test_a_title_is_short_and_what_it_cost_is_counted() -> None:
    """
    However long the model talks, and however long the beginning is.
    """
    session = await begun("When? " * 5_000, "At noon. " * 5_000, "And now?", "Now.")
    model = scripted(Scripted(parts=(Text(text="tide " * 100),), usage=Usage(input_tokens=7, output_tokens=3)))
    await draw_title(session, model)

    assert 0 < len(session.state.title) <= CHARACTERS
    assert 7 == session.state.usage.input_tokens
    assert len(str(model.requests[0].messages)) < 4_000


async def test_a_title_that_somebody_gave_stays() -> None:
    """
    Also when it was given while the model was thinking.
    """
    session = await begun("When?", "At noon.")
    await session.append(Described(title="Mine"))
    await draw_title(session, scripted("Yours"))

    assert "Mine" == session.state.title


async def test_nothing_said_is_not_asked_about() -> None:
    """
    An attachment alone has no words to make a title of.
    """
    session = await open_volatile().open("talk")
    model = scripted()
    await draw_title(session, model)

    assert [] == model.requests


async def test_what_the_model_raises_is_raised() -> None:
    """
    Whoever asked decides what to make of it.
    """
    with pytest.raises(Unavailable):
        await draw_title(await begun("When?"), scripted(Unavailable("503")))


async def test_what_was_forgotten_is_in_no_new_title() -> None:
    """
    Forgetting took the old one away; the next is drawn from what is left.
    """
    session = await begun("My debt is large.", "I see.", "When is high water?", "At noon.")
    model = scripted("Ebb and flow")
    await draw_title(session, model, frozenset({Position(1)}))

    asked = str(model.requests[0].messages)
    assert ("debt" in asked, "high water" in asked) == (False, True)
