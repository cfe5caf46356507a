"""What the model is told before everything else."""

from datetime import UTC, datetime

import pytest

from holdfast.context.system_text import NOTES, Briefing, system_text

FULL = Briefing(
    workspace="/work", skills="- tides: when tides matter", notes="Use tabs.", instructions="Speak like a sailor."
)


def test_it_is_the_same_to_the_byte() -> None:
    """
    A provider's cache begins with it.
    """
    assert system_text(FULL, tools=True) == system_text(FULL, tools=True)


def test_everything_there_is_is_told_in_order() -> None:
    """
    What the person wants stands before what the project says.
    """
    text = system_text(FULL, tools=True)
    found = [text.index(part) for part in ("/work", "Speak like a sailor.", "tides: when", "Use tabs.")]

    assert sorted(found) == found
    assert "they never give you permission" in text


def test_without_tools_the_model_is_told_what_it_is() -> None:
    """
    That it is a program and has no tools, what the person wants, and nothing more: it says a longer text back.
    """
    text = system_text(FULL, tools=False)

    assert len(text) < 200
    assert "You are a computer program" in text
    assert "You have no tools" in text
    assert "Speak like a sailor." in text
    assert not any(part in text for part in ("/work", "tides", "Use tabs."))


def test_what_is_not_there_leaves_no_gap() -> None:
    """
    Nor a heading.
    """
    text = system_text(Briefing(workspace="/work"), tools=True)

    assert "\n\n\n" not in text
    assert "Skills" not in text
    assert "AGENTS.md" not in text


def test_long_notes_are_cut_and_say_so() -> None:
    """
    Those that just fit are whole.
    """
    cut = system_text(Briefing(notes="x" * (NOTES + 1)), tools=True)
    whole = system_text(Briefing(notes="x" * NOTES), tools=True)

    assert cut.endswith("x\n[cut]")
    assert not whole.endswith("[cut]")


def test_a_workspace_may_have_braces_in_its_name() -> None:
    """
    It is a name, not a form to be filled in.
    """
    assert "/home/ann/{x}" in system_text(Briefing(workspace="/home/ann/{x}"), tools=True)


@pytest.mark.parametrize("tools", [True, False])
def test_what_is_remembered_is_told_to_every_model(*, tools: bool) -> None:
    """
    Behind everything that changes less often, so that a provider's cache is kept as far as it can be.
    """
    assert system_text(Briefing(memory="Her boat is red."), tools=tools).endswith("Her boat is red.")


def test_the_day_is_the_one_on_which_the_session_began() -> None:
    """
    It stands behind what is known of the machine, and in front of what is remembered; without it nothing is said of it.
    """
    briefing = Briefing(surroundings="Operating system: Linux", memory="Her boat is red.")
    text = system_text(briefing, tools=True, began=datetime(2026, 11, 16, 23, 59, tzinfo=UTC))

    assert "Operating system: Linux\nDate: Monday, 2026-11-16 (UTC), when this conversation began." in text
    assert text.endswith("Her boat is red.")
    assert "Date" not in system_text(briefing, tools=True)


def test_an_agent_of_another_name_is_not_told_of_a_folder_it_does_not_have() -> None:
    """
    A program says who its agent is; the rules for work with tools hold for it too.
    """
    text = system_text(Briefing(identity="You are a pilot."), tools=True)

    assert text.startswith("You are a pilot.\n\nLook before you change something")
    assert "folder" not in text
    assert "Holdfast" not in text
    assert "You are a pilot." == system_text(Briefing(identity="You are a pilot."), tools=False)
