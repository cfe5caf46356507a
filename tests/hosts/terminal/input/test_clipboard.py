"""Pictures from the clipboard."""

import base64
from pathlib import Path

import pytest

from holdfast.errors import BadInput
from holdfast.hosts.terminal.input.clipboard import command, keep_picture, picture
from tests.records.pictures import png

PNG = png()


def program(folder: Path, name: str, data: bytes) -> dict[str, str]:
    """An environment in which a program writes these bytes, after its arguments into a file."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    (folder / "data").write_text(base64.b64encode(data).decode())
    file.write_text(f'#!/bin/sh\necho "$@" > {folder}/asked\nbase64 -d {folder}/data\n')
    file.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("variable", "name", "asked"),
    [("WAYLAND_DISPLAY", "wl-paste", "--type image/png"), ("DISPLAY", "xclip", "-target image/png -out")],
)
async def test_a_picture_is_kept_with_what_is_typed(tmp_path: Path, variable: str, name: str, asked: str) -> None:
    """
    Each has a name of its own, and the program is asked for a picture.
    """
    environment = {**program(tmp_path / "bin", name, PNG), variable: "x"}
    session = tmp_path / "session"
    session.mkdir()

    assert "clipboard-1.png" == await keep_picture(environment, session)
    assert "clipboard-2.png" == await keep_picture(environment, session)
    assert PNG == (session / "typed" / "clipboard-2.png").read_bytes()
    assert asked in (tmp_path / "bin" / "asked").read_text()


@pytest.mark.parametrize("data", [b"", b"only text"])
async def test_a_clipboard_without_a_picture_says_so(tmp_path: Path, data: bytes) -> None:
    """
    Nothing is put into the message.
    """
    environment = {**program(tmp_path / "bin", "xclip", data), "DISPLAY": ":0"}

    with pytest.raises(BadInput, match="holds no picture"):
        await picture(environment)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"WAYLAND_DISPLAY": "x"}, "Install the package wl-clipboard"),
        ({"DISPLAY": "x"}, "Install the package xclip"),
        ({}, "no desktop is reached"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, environment: dict[str, str], said: str) -> None:
    """
    With the package to install, or another way.
    """
    with pytest.raises(BadInput, match=said):
        command({**environment, "PATH": str(tmp_path)}, "linux")


def test_macos_has_what_it_needs(tmp_path: Path) -> None:
    """
    `pngpaste` where it is installed, and the system's own otherwise.
    """
    assert "osascript" == command({"PATH": str(tmp_path)}, "darwin")[0]
    assert str(tmp_path / "pngpaste") == command(program(tmp_path, "pngpaste", PNG), "darwin")[0]
