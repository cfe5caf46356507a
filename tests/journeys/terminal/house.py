"""A person's machine for one journey: a home, a workspace, a script for the model, and windows on them.

Windows wait for what a person waits for, never for time. The welcome of the first run is seen only by the
journeys that are about it.
"""

from collections.abc import Sequence
from pathlib import Path

from holdfast.stores.files.drafts import read_drafts
from tests.hosts.processes import COMMAND
from tests.hosts.terminal.ptys import Place, Terminal

KEY = "journey"
MARK = "\u203a"
"""What stands before the input, and before what was said."""
TITLE = {"say": "Boats", "when": "Answer with a title"}
"""Titles are asked for in the background; this takes no line of a script away."""
SLOW = 0.03
"""Seconds between the pieces of a reply that a person interrupts."""


def words(count: int, *, name: str = "word") -> str:
    """Numbered words, so that what is missing has a name."""
    return " ".join(f"{name}{number}" for number in range(count))


def slowly(text: str, delay: float = SLOW) -> list[dict[str, object]]:
    """A reply that takes its time."""
    return [{"delay": delay}, {"say": text}]


def calling(name: str, *, say: str = "", **arguments: object) -> list[dict[str, object]]:
    """A reply that calls a tool."""
    called: dict[str, object] = {"call": {"name": name, "arguments": arguments}}
    return [{"say": say}, called] if say else [called]


class House(Place):
    """Where a journey takes place."""

    def __init__(self, folder: Path, *, welcomed: bool = True) -> None:
        """Move in; without `welcomed`, for the first time. The store is where it is when nobody says otherwise."""
        super().__init__(folder, welcomed=welcomed)
        self.store = self.home / ".holdfast"
        self.store.mkdir(mode=0o700)
        del self.environment["HOLDFAST_STORE"]
        self.write()

    def write(self, *lines: object) -> None:
        """Write the script of the model."""
        super().write(*lines, TITLE)

    def chat(self, *words: str, columns: int = 80, rows: int = 24, **more: str) -> Terminal:
        """Open a window; the model is named as one would by hand, so that it looks the same in every folder."""
        return self.start(*words, "--model", f"scripted:../{self.script.name}", columns=columns, rows=rows, **more)

    def start(self, *words: str, columns: int = 80, rows: int = 24, **more: str) -> Terminal:
        """Open a window with nothing but these words."""
        env = {**self.environment, **more}
        return Terminal([*COMMAND, *words], env=env, cwd=self.workspace, columns=columns, rows=rows)

    def open(self, *wishes: str, columns: int = 80, rows: int = 24, **more: str) -> Terminal:
        """Open a window on the session of the journey, and wait for its prompt."""
        window = self.chat("--session", KEY, *wishes, columns=columns, rows=rows, **more)
        return ready(window)

    def file(self, name: str, text: str) -> Path:
        """Put a file into the workspace."""
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def segment(self, key: str = KEY) -> Path:
        """The file that holds a short session."""
        return self.store / "sessions" / key / "000001.jsonl"

    def drafted(self, key: str = KEY) -> str:
        """What is kept of a reply that is not over."""
        return "".join(piece.text for piece in read_drafts(self.store / "sessions" / key))

    def drafts(self, key: str = KEY) -> list[Path]:
        """The files of what was typed and not sent."""
        return sorted((self.store / "sessions" / key / "typed").glob("unsent.*"))

    def kinds(self, key: str = KEY) -> list[str]:
        """What kinds of entries a log has."""
        return [str(entry["kind"]) for entry in self.entries(key)]

    def replies(self, key: str = KEY) -> list[str]:
        """What the model said in a session."""
        return [_text(entry) for entry in self.entries(key) if entry["kind"] == "model_replied"]

    def results(self, key: str = KEY) -> list[tuple[str, str]]:
        """How each call ended, and what the model was told."""
        ended = [entry for entry in self.entries(key) if entry["kind"] == "tool_finished"]
        return [(str(entry.get("outcome", "ok")), _text(entry)) for entry in ended]


def _text(entry: dict[str, object]) -> str:
    parts = entry["parts"]
    return "".join(str(part.get("text", "")) for part in parts) if isinstance(parts, list) else ""


def told(window: Terminal, *texts: str) -> None:
    """Wait until texts are to be seen, wherever their lines are broken."""
    window.wait_until(lambda: all(text in " ".join(window.transcript.split()) for text in texts), f"to be told {texts}")


def ready(window: Terminal) -> Terminal:
    """Wait until a window has a prompt, nothing runs, and everything is saved."""
    window.wait_until(lambda: is_ready(window.lines), "a prompt")
    return window


def is_ready(lines: Sequence[str]) -> bool:
    """Whether a screen ends with an input and with a status that says that everything is saved."""
    full = [line for line in lines if line]
    return bool(full) and "✓" in full[-1] and "working" not in full[-1] and any(MARK in line for line in lines)


def ask(window: Terminal, said: str, answer: str) -> str:
    """Say something, and wait until the answer stands there once more than before; gives the screen."""
    before = window.transcript.count(answer)
    window.say(said)
    window.wait_until(lambda: window.transcript.count(answer) > before, f"the answer {answer!r}")
    ready(window)
    return window.screen
