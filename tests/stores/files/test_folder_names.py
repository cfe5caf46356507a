"""Keys and folder names: no two keys share a folder, and none climbs out of the store."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.ids import SessionKey
from holdfast.stores.files.folder_names import LONGEST, folder_name, key_of

KEYS = st.text(st.characters(), min_size=1, max_size=300).map(SessionKey)
TRICKY = st.text("aAäÄ\u0061\u0308ﬁI\u0131\u0130.~%/\\ \x00", min_size=1, max_size=6).map(SessionKey)


def folded(name: str) -> set[str]:
    """What a file system may make of a name."""
    forms = [unicodedata.normalize(form, name) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    return {form.casefold() for form in forms} | {form.upper() for form in forms}


@given(KEYS | TRICKY, KEYS | TRICKY)
def test_two_keys_never_share_a_folder(one: SessionKey, other: SessionKey) -> None:
    """
    Also where a file system folds case or normalises Unicode.
    """
    if one != other:
        assert folded(folder_name(one)).isdisjoint(folded(folder_name(other)))


@given(KEYS | TRICKY)
def test_a_name_is_safe_on_every_system(key: SessionKey) -> None:
    """
    Lower-case ASCII, not too long, no path in it, nothing a system hides, reserves or strips.
    """
    name = folder_name(key)

    assert re.fullmatch(r"[a-z0-9_%-]([a-z0-9._%~-]*[a-z0-9_%~-])?", name)
    assert len(name) <= LONGEST


@given(KEYS | TRICKY)
def test_a_name_tells_its_key_unless_it_holds_a_hash(key: SessionKey) -> None:
    """
    What can be read back is read back exactly; the rest is left to the log.
    """
    name = folder_name(key)

    assert (None if "~" in name else key) == key_of(name)


@pytest.mark.parametrize("key", ["con", "nul", "com1", "lpt9", "aux.txt", "x" * 201, "ü" * 90])
def test_reserved_and_long_keys_end_in_a_hash(key: str) -> None:
    """
    A hash stands in where the readable form cannot.
    """
    assert re.search(r"~[0-9a-f]{40}$", folder_name(SessionKey(key)))


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("notes", "notes"),
        ("team:Alice", "team%3a%41lice"),
        ("..", "%2e%2e"),
        ("a/../b", "a%2f..%2fb"),
        (".hidden", "%2ehidden"),
        ("ends.", "ends%2e"),
        (".", "%2e"),
        ("console", "console"),
        ("käse", "k%c3%a4se"),
        ("\ud800", "%ed%a0%80"),
    ],
)
def test_a_name_is_a_readable_form_of_its_key(key: str, name: str) -> None:
    """
    A person who looks into the store finds the session.
    """
    assert name == folder_name(SessionKey(key))


@pytest.mark.parametrize("name", ["", "%41%", "%2E", "Upper", "%ff", "%61", "x~y"])
def test_a_folder_that_is_not_ours_has_no_key(name: str) -> None:
    """
    What someone else put there is not taken for a session under another key.
    """
    assert key_of(name) is None
