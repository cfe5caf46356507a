"""Keys that a person gave once: kept where nobody else reads them, found by their names, and gone when removed."""

import stat
import threading
from pathlib import Path

import pytest

from holdfast.config.key_file import key_file, read_keys, write_key
from holdfast.config.key_storage import KEYRING, forget, keep, kept_in, secret, with_kept
from holdfast.errors import BadSetting, NotWritten

KEYRING_PACKAGE = """
kept = {}

def get_password(service, name):
    return kept.get((service, name))

def set_password(service, name, value):
    kept[service, name] = value

def delete_password(service, name):
    del kept[service, name]
"""
BROKEN_PACKAGE = """
def get_password(service, name):
    return "stuck" if name == "STUCK" else None

def set_password(service, name, value):
    raise RuntimeError("locked")

def delete_password(service, name):
    raise RuntimeError("locked")
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of somebody without a keyring."""
    monkeypatch.setitem(__import__("sys").modules, "keyring", None)
    return {"HOME": str(tmp_path)}


def install(package: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a package stand in for the keyring of the system."""
    place = folder / "packages"
    place.mkdir()
    (place / "keyring.py").write_text(package)
    monkeypatch.syspath_prepend(place)
    monkeypatch.delitem(__import__("sys").modules, "keyring", raising=False)


def test_a_key_is_kept_in_a_file_that_only_its_owner_reads(home: dict[str, str]) -> None:
    """
    Beside the settings, with mode 0600 in a folder with mode 0700, and no other file is left there.
    """
    place = keep("ACME_API_KEY", "sk-1", home)
    keep("OTHER_API_KEY", "sk-2", home)
    file = key_file(home)

    assert str(file) == place
    assert (0o600, 0o700) == (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode))
    assert [file] == list(file.parent.iterdir())
    assert "sk-1" == secret("ACME_API_KEY", home)
    assert {"ACME_API_KEY": place} == kept_in(["ACME_API_KEY", "NONE"], home)


def test_a_key_is_replaced_and_removed(home: dict[str, str]) -> None:
    """
    The others stay; with the last one the file goes.
    """
    keep("ACME_API_KEY", "sk-1", home)
    keep("ACME_API_KEY", "sk-2", home)
    keep("OTHER_API_KEY", "sk-3", home)

    assert {"ACME_API_KEY": "sk-2", "OTHER_API_KEY": "sk-3"} == read_keys(home)
    assert [True, False] == [forget("ACME_API_KEY", home), forget("ACME_API_KEY", home)]
    assert {"OTHER_API_KEY": "sk-3"} == read_keys(home)
    assert forget("OTHER_API_KEY", home)
    assert not key_file(home).exists()


def test_the_environment_counts_before_what_is_kept(home: dict[str, str]) -> None:
    """
    Also under another name for the same key.
    """
    keep("GEMINI_API_KEY", "kept", home)
    names = [("GEMINI_API_KEY", "GOOGLE_API_KEY")]
    set_here = {**home, "GOOGLE_API_KEY": "mine"}

    assert {**home, "GEMINI_API_KEY": "kept"} == with_kept(home, names)
    assert set_here == with_kept(set_here, names)


def test_two_at_once_lose_no_key(home: dict[str, str]) -> None:
    """
    One writes after the other.
    """
    names = [f"KEY_{number}" for number in range(8)]
    threads = [threading.Thread(target=write_key, args=(name, "sk", home)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert names == sorted(read_keys(home))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o622])
def test_a_file_that_others_can_reach_does_not_count(mode: int, home: dict[str, str]) -> None:
    """
    It is said how to mend it, and the key is not.
    """
    keep("ACME_API_KEY", "sk-very-secret", home)
    key_file(home).chmod(mode)

    with pytest.raises(BadSetting, match="others can read it") as raised:
        read_keys(home)

    assert "chmod 600" in raised.value.hint
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("text", ["", "sk-secret", '{"A": 7}', '["sk-secret"]', '{"A": "sk-secret'])
def test_a_damaged_file_is_named_without_its_words(text: str, home: dict[str, str]) -> None:
    """
    An error that quoted the file would show a key.
    """
    keep("ACME_API_KEY", "x", home)
    key_file(home).write_text(text)

    with pytest.raises(BadSetting, match="damaged") as raised:
        read_keys(home)

    assert raised.value.__cause__ is None
    assert "sk-secret" not in str(raised.value) + raised.value.hint


def test_a_folder_in_its_place_is_named(home: dict[str, str]) -> None:
    """
    What cannot be read is an error of ours.
    """
    key_file(home).mkdir(parents=True)

    with pytest.raises(BadSetting, match="cannot be read"):
        read_keys(home)


def test_a_folder_that_cannot_be_written_is_named(home: dict[str, str], tmp_path: Path) -> None:
    """
    Nothing is kept then, and it is said.
    """
    (tmp_path / ".config").touch()

    assert {} == read_keys(home)
    with pytest.raises(NotWritten, match="cannot be kept"):
        keep("ACME_API_KEY", "sk-1", home)


def test_the_keyring_is_used_where_there_is_one(
    home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Then the file keeps no copy, also of a key that it kept before.
    """
    keep("ACME_API_KEY", "old", home)
    install(KEYRING_PACKAGE, tmp_path, monkeypatch)

    assert KEYRING == keep("ACME_API_KEY", "sk-1", home)
    assert not key_file(home).exists()
    assert "sk-1" == secret("ACME_API_KEY", home)
    assert {"ACME_API_KEY": KEYRING} == kept_in(["ACME_API_KEY"], home)
    assert forget("ACME_API_KEY", home)
    assert None is secret("ACME_API_KEY", home)


def test_a_keyring_that_fails_is_not_relied_on(
    home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    The file is used instead; a key that the keyring does not give up is said to be there.
    """
    install(BROKEN_PACKAGE, tmp_path, monkeypatch)

    assert str(key_file(home)) == keep("ACME_API_KEY", "sk-1", home)
    assert forget("ACME_API_KEY", home)
    with pytest.raises(NotWritten, match="STUCK"):
        forget("STUCK", home)
