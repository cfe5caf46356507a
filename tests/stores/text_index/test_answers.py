"""From words to what is asked for."""

from holdfast.stores.text_index import terms as t
from holdfast.stores.text_index.answers import named, near_to, word_slot


def test_a_word_is_asked_for_with_its_forms_and_near_words() -> None:
    """
    A near word that is a form already is no near word; a word of which nothing was ever said is not asked for.
    """
    slot = word_slot([("dog", 1, 3), ("dogs", 2, 1)], "dog", [(2, 1, 0.7), (5, 2, 0.6)], 100)
    assert slot is not None
    assert (t.mark(1), (t.mark(2),), ((t.mark(5), 0.6),)) == (slot.exact, slot.forms, slot.near)

    only_near = word_slot([], "dog", [(5, 2, 0.6)], 100)
    assert only_near is not None
    assert only_near.idf == 0.0 < only_near.near_idf
    assert word_slot([], "dog", [], 100) is None


def test_other_scripts_have_no_near_words() -> None:
    """
    The table is of English words.
    """
    assert near_to("dog")
    assert {} == near_to("\u732b") == near_to("x2") == near_to("caf\u00e9")


def test_a_name_without_spaces_counts_as_a_whole() -> None:
    """
    Its characters stand in other words too, and those name nobody.
    """
    number = t.number_of("\u5927\u8f14")
    speakers = [("\u5927", 1, number), ("\u8f14", 1, number)]

    assert ("\u5927\u5b66 ada", []) == named("\u5927\u5b66 ada", speakers)
    text, meant = named("\u5927\u8f14\u306e\u5927\u5b66", [*speakers, ("ada", 2, 9)])
    assert " \u306e\u5927\u5b66" == text
    assert [("ada", 2, 9), ("\u5927\u8f14", 1, number)] == meant
