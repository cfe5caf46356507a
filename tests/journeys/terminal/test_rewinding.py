"""Going back with files, as a person sees it: what is offered, what is done, and what stays."""

import pytest

from tests.hosts.terminal.ptys import Terminal
from tests.journeys.terminal.house import MARK, House, ask, calling, ready, told
from tests.journeys.terminal.kept import kept

SIZES = [(80, 24), (40, 20), (120, 40)]


def since(said: str, screen: str) -> str:
    """What a screen shows from something that was typed on; all of it where that has scrolled away."""
    return screen[max(0, screen.rfind(f"{MARK} {said}")) :]


def still(window: Terminal, *texts: str) -> str:
    """The screen once texts are on it, and nothing on it moves any more."""
    told(window, *texts)
    return ready(window).screen


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_a_rewind_with_files(house: House, columns: int, rows: int) -> None:
    """
    What only the agent changed comes back, also binary; what others changed stays; undo brings both back.
    """
    binary = house.workspace / "boat.bin"
    binary.write_bytes(b"\0\1\2")
    for name in ("plan.md", "crew.txt", "gone.txt"):
        house.file(name, "before\n")
    names = ("boat.bin", "plan.md", "crew.txt", "gone.txt", "new.txt")
    house.write(*(calling("write_file", path=name, content="after\n") for name in names), {"say": "Painted."})
    with house.open("--allow", "write_file", columns=columns, rows=rows) as window:
        ask(window, "Paint the boat blue", "Painted.")
        house.file("crew.txt", "theirs\n")
        (house.workspace / "gone.txt").unlink()
        window.say("/rewind")
        window.wait_for("↑↓ move")
        offered = since("/rewind", window.screen)
        window.press("enter")
        back = since("/rewind", still(window, "files taken back"))
        window.press("ctrl-c")
        ready(window)
        assert (b"\0\1\2", False) == (binary.read_bytes(), (house.workspace / "new.txt").exists())
        assert "before\n" == (house.workspace / "plan.md").read_text()
        assert ("theirs\n", False) == (
            (house.workspace / "crew.txt").read_text(),
            (house.workspace / "gone.txt").exists(),
        )
        window.say("/undo")
        undone = since("/undo", still(window, "The rewind is undone"))

    assert (b"after\n", "after\n") == (binary.read_bytes(), (house.workspace / "new.txt").read_text())
    for name, screen in (("offered", offered), ("done", back), ("undone", undone)):
        expected, actual = kept(f"rewind-{name}-{columns}", screen, house)
        assert expected == actual
