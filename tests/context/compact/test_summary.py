"""A summary parses, and says in the user's own words only what the user said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.context.compact.requirements import Requirements
from holdfast.context.compact.summary import HEADINGS, Sections, named, parse, with_quotes
from tests.context.compact.talk import without

LINES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="#*\x85`"), min_size=1)
FILLED = st.builds(
    Sections,
    **{name: LINES.map(str.strip).filter(lambda text: bool(text) and text[0] not in ">-") for name in HEADINGS},
)


@given(FILLED)
def test_a_summary_that_is_written_down_can_be_read_again(sections: Sections) -> None:
    """
    A later compaction knows the sections of an earlier summary.
    """
    assert sections == parse(sections.text())


@pytest.mark.parametrize("name", HEADINGS)
def test_a_text_without_one_of_the_sections_is_no_summary(name: str) -> None:
    """
    A model that leaves a section out has not done what it was asked.
    """
    assert None is parse(without(name))


@pytest.mark.parametrize(
    "text",
    [
        "Here is the summary:\n\n{}",
        "```markdown\n{}\n```",
        "\n\n{}\n\n",
    ],
)
def test_what_models_write_around_a_summary_is_not_part_of_it(text: str) -> None:
    """
    Talk before it and a fence around it are taken off.
    """
    sections = Sections(goal="Go.", next_step="Run `make`.")

    assert sections == parse(text.format(sections.text()))


def test_headings_are_known_in_every_dress() -> None:
    """
    Models write headings of another level, in bold, in capitals, with a colon; and one twice.
    """
    text = "\n".join(f"# {title.upper()}:\n{name}" for name, title in HEADINGS.items() if name != "goal")

    parsed = parse(f"{text}\n**Goal:**\none\n### goal\ntwo")

    assert Sections(goal="one\ntwo", **{name: name for name in HEADINGS if name != "goal"}) == parsed


def test_an_empty_section_says_that_there_is_nothing() -> None:
    """
    A heading with nothing under it is a section.
    """
    assert Sections() == parse("\n".join(f"## {title}" for title in HEADINGS.values()))


def test_the_users_own_words_are_put_in_to_the_letter() -> None:
    """
    Whatever the model made of them; and what it calls a quote without there being one is no quote.
    """
    sections = Sections(
        constraints="- Never push.\n> - be nice\n> The user hates tabs.\n- Prefers short answers.\nnone"
    )

    quoted = with_quotes(sections, ("Never push.", "- be nice"))

    assert "> Never push.\n> - be nice\n- The user hates tabs.\n- Prefers short answers." == quoted.constraints
    assert Sections() == with_quotes(Sections(), ())


def test_a_later_summary_must_name_what_an_earlier_one_did() -> None:
    """
    Quotes and files are handed on from summary to summary.
    """
    sections = Sections(
        constraints="> Never push.\n- Be brief.", files="- `src/a.py`: the parser\n- docs/b.md, and c.txt"
    )

    assert Requirements(quotes=("Never push.",), files=("src/a.py", "docs/b.md", "c.txt")) == named(sections.text())
    assert Requirements() == named("something another program wrote")
