"""The program on the page about hooks does what the page says."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from holdfast.agent.user_hooks import Happening
from tests.docs.pages import ROOT, blocks

PAGE = ROOT / "docs" / "guides" / "hooks.md"


@pytest.mark.parametrize(
    ("command", "stopped"), [("git push --force origin main", True), ("git push", False), ("ls --force", False)]
)
def test_the_program_on_the_page_stops_what_it_says(tmp_path: Path, command: str, *, stopped: bool) -> None:
    """
    Told as Holdfast tells it.
    """
    (program,) = [block.text for block in blocks(PAGE) if block.text.startswith("#!")]
    (tmp_path / "hook.py").write_text(program)
    told = Happening(on="before_tool", tool="shell", arguments=msgspec.Raw(json.dumps({"command": command}).encode()))

    ran = subprocess.run(
        [sys.executable, tmp_path / "hook.py"], input=msgspec.json.encode(told), capture_output=True, check=True
    )

    assert stopped == (b"deny" in ran.stdout)


def test_every_field_is_on_the_page() -> None:
    """
    What a hook is told, by its name.
    """
    text = PAGE.read_text()

    assert [] == [name for name in Happening.__struct_fields__ if f"`{name}`" not in text]
