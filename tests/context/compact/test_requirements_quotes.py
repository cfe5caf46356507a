"""What users demand is found by code and kept to the letter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.context.compact.requirements import LINE, MOST, PER_MESSAGE, demands, newest


@pytest.mark.parametrize(
    "line",
    [
        "Don't touch main.",
        "dont do that",
        "You must ask me first",
        "Never push.",
        "Always run the tests",
        "Use tabs instead",
        "It is not a list but a set",
        "No, the other one",
        "no! leave it",
        "STOP",
        "Bitte nicht löschen",
        "Das darf nie passieren",
        "Nein, anders.",
        "Nunca borres nada",
        "No, al revés",
        "Ne touche pas à ça",
        "N'efface jamais rien",
        "Não apague isso",
        "Non toccare",
        "Никогда не удаляй",
        "不要删除",
        "必须先问我",
        "消さないでください",
        "必ず確認して",
    ],
)
def test_lines_that_forbid_demand_or_correct_are_found(line: str) -> None:
    """
    In English and in the languages that most users write.
    """
    assert [line] == demands(f"Hello there\n  {line}\nThanks")


@pytest.mark.parametrize("line", ["Read the file", "What is this?", "", "Noted", "Danke schön", "notebook"])
def test_other_lines_are_left_to_the_summary(line: str) -> None:
    """
    Where nothing is demanded, nothing is kept.
    """
    assert [] == demands(line)


def test_a_long_line_is_taken_apart_into_sentences() -> None:
    """
    Of a long paragraph only the sentences that demand something are kept, and none is longer than a line.
    """
    told = "It went on and on. " * 40
    endless = "never " * 200

    assert ["Never push to main!"] == demands(f"{told}Never push to main! {told}")
    assert ["不要删除。"] == demands("好的。" * 200 + "不要删除。" + "好的。" * 20)
    assert [endless[:LINE].rstrip()] == demands(endless)


def test_a_page_that_was_pasted_does_not_crowd_out_the_rest() -> None:
    """
    So many lines of one message are kept, and so many of all; the newest count, and each once.
    """
    assert PER_MESSAGE == len(demands("never\n" * 100))
    assert tuple(f"never {n}" for n in range(60, 100)) == newest(f"never {n}" for n in range(100))
    assert MOST == 40
    assert ("b", "a") == newest(["a", "b", "a"])


@given(st.text(st.sampled_from("never no,don't .!?\n\u2028 不要x"), max_size=1500))
def test_what_is_kept_is_what_was_said_to_the_letter(text: str) -> None:
    """
    Every quote is one line that stands in the message exactly so.
    """
    found = demands(text)

    assert all(quote in text and quote.splitlines() == [quote] and len(quote) <= LINE for quote in found)
    assert len(found) <= PER_MESSAGE
