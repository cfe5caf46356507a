"""The command that adds a package, for each way in which the program can have been installed."""

import sys
from pathlib import Path

import pytest

from holdfast.installation import command_to_add, how_to_mend, installer


@pytest.mark.parametrize(
    ("file", "made_by"), [("pipx_metadata.json", "pipx"), ("uv-receipt.toml", "uv"), ("pyvenv.cfg", "pip")]
)
def test_what_made_an_environment_is_seen_in_its_files(file: str, made_by: str, tmp_path: Path) -> None:
    """
    Pipx and uv leave a file of their own in each environment; everything else is pip's.
    """
    (tmp_path / file).touch()

    assert made_by == installer(tmp_path)


def test_a_virtual_environment_is_named_by_its_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The command works in every shell, whichever environment is active there.
    """
    assert f"{sys.executable} -m pip install 'pypdf>=7.1'" == command_to_add("pdf")
    assert f"{sys.executable} -m pip install keyring" == command_to_add("keyring")

    monkeypatch.setenv("HOME", str(Path(sys.executable).parent))
    assert "~/python -m pip install keyring" == command_to_add("keyring")


def test_a_pipx_environment_is_named_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    It may have a suffix, so the name is that of its folder.
    """
    prefix = tmp_path / "holdfast-new"
    prefix.mkdir()
    (prefix / "pipx_metadata.json").touch()
    monkeypatch.setattr(sys, "prefix", str(prefix))

    assert "pipx inject holdfast-new 'pypdf>=7.1'" == command_to_add("pdf")


def test_an_environment_without_pip_gets_it_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    From uv, where that is installed; otherwise Python brings pip.
    """
    monkeypatch.setitem(sys.modules, "pip", None)
    monkeypatch.setenv("PATH", "")

    python = sys.executable
    assert f"{python} -m ensurepip && {python} -m pip install keyring" == command_to_add("keyring")


def test_what_cannot_be_loaded_is_mended_by_what_is_missing() -> None:
    """
    A library of the system comes with the system's packages, anything else with the packages of the extra.
    """
    library = ImportError("libgomp.so.1: cannot open shared object file: No such file or directory")

    assert how_to_mend(library, "local").endswith("`apt-get update && apt-get install -y libgomp1`")
    assert how_to_mend(ImportError("No module named 'x'"), "local").endswith(f"`{command_to_add('local')}`")
