"""Secrets: from the environment or the keyring, by name, and nowhere else."""

from pathlib import Path

import pytest

from holdfast.config.key_storage import filled, secret, with_kept
from holdfast.config.secrets import looks_secret
from holdfast.errors import BadSetting

KEYRING = """
def get_password(service, name):
    if name == "BROKEN":
        raise RuntimeError("locked")
    return {("holdfast", "KEPT"): "from the keyring", ("holdfast", "EMPTY"): ""}.get((service, name))
"""


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that answers as the keyring of a system does."""
    (tmp_path / "keyring.py").write_text(KEYRING)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "keyring", raising=False)


@pytest.mark.usefixtures("keyring")
def test_the_environment_comes_first_and_then_the_keyring() -> None:
    """
    A variable is set for this once; the keyring is for good.
    """
    assert "from here" == secret("KEPT", {"KEPT": "from here"})
    assert "from the keyring" == secret("KEPT", {}) == secret("KEPT", {"KEPT": ""})


@pytest.mark.usefixtures("keyring")
@pytest.mark.parametrize("name", ["BROKEN", "EMPTY", "UNKNOWN"])
def test_a_keyring_that_has_no_answer_has_none(name: str) -> None:
    """
    One that is locked, broken or empty is as good as none.
    """
    assert None is secret(name, {})


def test_without_a_keyring_there_is_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The package for it need not be installed; that of the process counts when no environment is given.
    """
    monkeypatch.setitem(__import__("sys").modules, "keyring", None)
    monkeypatch.setenv("HERE", "x")

    assert ("x", None) == (secret("HERE"), secret("HERE", {}))


@pytest.mark.usefixtures("keyring")
def test_the_keyring_adds_to_an_environment() -> None:
    """
    What the environment has stays, and what nobody has is not there.
    """
    assert {"A": "b", "KEPT": "from the keyring"} == with_kept({"A": "b"}, ["KEPT", "UNKNOWN"])
    assert {"KEPT": "mine"} == with_kept({"KEPT": "mine"}, ["KEPT"])


def test_names_are_replaced_by_secrets() -> None:
    """
    Settings name secrets, and whoever needs them fills them in.
    """
    known = {"TOKEN": "abc", "B": "d"}

    assert {"a": "Bearer abc", "b": "dc", "c": "$ 5"} == filled({"a": "Bearer $TOKEN", "b": "${B}c", "c": "$ 5"}, known)


def test_a_secret_that_is_nowhere_is_named() -> None:
    """
    The name is no secret, so it is said what to set.
    """
    with pytest.raises(BadSetting, match=r"\$TOKEN is neither set"):
        filled({"a": "Bearer $TOKEN"}, {})


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("api_key", "x", True),
        ("API-Key", "x", True),
        ("GITHUB_TOKEN", "x", True),
        ("Authorization", "Bearer x", True),
        ("password", "x", True),
        ("password", "", False),
        ("password", "$PASSWORD", False),
        ("tokens", "x", False),
        ("keys", "vi", False),
        ("theme", "monkey", False),
        ("model", "openai:gpt-sk-1", False),
        ("model", "ghp_abcdefghijklmnopqrst", True),
        ("model", "AKIAABCDEFGHIJKLMNOP", True),
        ("url", "https://host/?page=2", False),
        ("url", "https://host:8080/a@b", False),
        ("url", "https://user:word@host", True),
        ("anything", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x", True),
    ],
)
def test_what_looks_like_a_secret(name: str, text: str, *, expected: bool) -> None:
    """
    By what it is called, or by what it looks like.
    """
    assert expected is looks_secret(name, text)
