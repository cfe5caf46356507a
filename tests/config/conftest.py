"""A home and a project of their own, with files of settings in them."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from holdfast.config import Loaded, Settings, read

Variables = Mapping[str, str]
NONE: Variables = {}


class Place:
    """Somewhere to keep settings, that nothing of this machine reaches."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "home" / "work" / "boat"
        self.user_file = self.home / ".config" / "holdfast" / "config.toml"
        self.project_file = self.project / ".holdfast" / "config.toml"
        for file in (self.user_file, self.project_file):
            file.parent.mkdir(parents=True)

    def user(self, text: str) -> Path:
        """Write the user's file."""
        self.user_file.write_text(text)
        return self.user_file

    def write_project(self, text: str) -> Path:
        """Write the project's file."""
        self.project_file.write_text(text)
        return self.project_file

    def read(self, variables: Variables = NONE, *, flags: Mapping[str, object] | None = None) -> Loaded:
        """Read the settings that count in the project."""
        return read({"HOME": str(self.home), **variables}, flags=flags, where=self.project)

    def load(self, variables: Variables = NONE, *, flags: Mapping[str, object] | None = None) -> Settings:
        """The settings that count in the project."""
        return self.read(variables, flags=flags).settings


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty home with a project in it."""
    return Place(tmp_path)
