"""Words of like meaning."""

import pytest

from holdfast.stores.text_index.near_words import LEAST, NearWords, encoded, near_words


def test_a_table_gives_back_what_was_put_in() -> None:
    """
    Cosines are kept in steps of about 0.03; a word that is not there has no near words.
    """
    table = NearWords(encoded(["cat", "dog", "pup"], [[], [(2, 0.9), (0, 0.46)], [(1, 0.9)]]))

    assert {"pup": pytest.approx(0.9, abs=0.02), "cat": pytest.approx(0.46, abs=0.02)} == table("dog")
    assert ["pup", "cat"] == list(table("dog"))
    assert {} == table("cat") == table("zebra") == table("cow")


def test_the_table_of_the_package_knows_english() -> None:
    """
    It is at most a megabyte and a twentieth, and no word is near to itself.
    """
    near = near_words()

    assert {"marriage", "wife", "husband"} <= near("married").keys()
    assert "married" not in near("married")
    assert all(LEAST <= cosine < 1 for cosine in near("dog").values())
