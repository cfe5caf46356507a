"""Settings: read once, from the environment, and what is wrong is said by name."""

from pathlib import Path

import pytest

from holdfast.config import DURABILITY, RETENTION, SETTINGS, STORE, Settings, load
from holdfast.errors import BadInput


def test_settings_change_only_on_purpose() -> None:
    """
    A name in the environment is kept in people's files, so it shows here.
    """
    assert ("HOLDFAST_STORE", "HOLDFAST_DURABILITY", "HOLDFAST_RETENTION_DAYS") == SETTINGS
    assert len(SETTINGS) == len(Settings.__struct_fields__)


@pytest.mark.parametrize("environment", [{}, {STORE: "", DURABILITY: "", RETENTION: ""}])
def test_nothing_has_to_be_set(environment: dict[str, str]) -> None:
    """
    As it is, conversations are in the home folder, durable, and kept for good; empty means not set.
    """
    expected = Settings(store=Path.home() / ".holdfast", durability="always", retention_days=0.0)

    assert expected == load(environment)


@pytest.mark.parametrize("durability", ["always", "interval", "os"])
def test_everything_can_be_set(durability: str) -> None:
    """
    Each setting is taken as it is given.
    """
    found = load({STORE: "/srv/talk", DURABILITY: durability, RETENTION: "30.5"})

    assert (Path("/srv/talk"), durability, 30.5) == (found.store, found.durability, found.retention_days)


def test_a_tilde_is_the_home_folder() -> None:
    """
    A path reads as it does in a shell.
    """
    assert Path.home() / "talk" == load({STORE: "~/talk"}).store


def test_the_environment_of_the_process_is_the_one_that_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Without being given another, that is.
    """
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(STORE, "/srv/talk")

    assert Settings(store=Path("/srv/talk")) == load()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (DURABILITY, "sometimes"),
        (DURABILITY, "Always"),
        (RETENTION, "a month"),
        (RETENTION, "-1"),
        (RETENTION, "nan"),
        (RETENTION, "inf"),
    ],
)
def test_a_wrong_setting_is_named_with_what_it_can_be(name: str, value: str) -> None:
    """
    Nothing is guessed: the name, the value and what would fit are said.
    """
    with pytest.raises(BadInput) as refused:
        load({name: value})

    assert f"{name} is {value!r}." == refused.value.message
    assert refused.value.hint
