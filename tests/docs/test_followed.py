"""README, the tutorials and the guides, followed from the top by somebody who was never here."""

import re
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.docs.followed import PAGES, Reader, opens_chat, typed_lines
from tests.docs.pages import ROOT, Block, blocks
from tests.first_hour.services import stand_ins

CHANGING = (
    (re.compile(r'"at":"[^"]+"'), '"at":"…"'),
    (re.compile(r'"crc":"[^"]+"'), '"crc":"…"'),
)
"""What differs from run to run."""


def place(page: Path) -> str:
    """A page by its name."""
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_a_page_holds_for_whoever_follows_it_from_the_top(
    page: Path, tmp_path: Path, shared: Path, weights: Path
) -> None:
    """
    In a fresh home with a clean PATH: what the page installs is enough for all that it shows, and prints what it says.
    """
    with stand_ins() as addresses:
        more = {"XDG_CACHE_HOME": str(weights.parent.parent), "OPENAI_BASE_URL": addresses["openai"]}
        reader = Reader(tmp_path / "home", shared, **more)

        assert "" == "\n".join(followed(page, reader))


def followed(page: Path, reader: Reader) -> Iterator[str]:
    """Do what the page says; gives what is not as it says."""
    said = ""
    for number, block in enumerate(blocks(page)):
        match block.mark or block.language:  # other blocks are files, trees and screens
            case "installs":
                reader.install(block)
            case "prints":
                shown = re.sub(re.escape(str(reader.folder)), "/path/to", said)
                if unchanging(block.text) != unchanging(shown):
                    yield f"{block.place} says:\n{block.text}and this was printed:\n{shown}"
            case "python":
                program = own_folder(page, reader, number) / "example.py"
                program.write_text(block.text)
                ran = reader.type(f"cd {program.parent} && python -W error example.py")
                said = ran.stdout
                if ran.returncode != 0:
                    yield f"{block.place} ended with {ran.returncode}:\n{said}"
            case "sh" | "console":
                said = yield from typed(block, reader, "0|6")
            case mark if mark.startswith("exits "):
                said = yield from typed(block, reader, mark.removeprefix("exits "))


def own_folder(page: Path, reader: Reader, number: int) -> Path:
    """Programs of a guide run each in an empty folder, as it says; those of other pages in the one they began in."""
    folder = reader.folder / f"program-{number}" if page.parent.name == "guides" else reader.folder
    folder.mkdir(exist_ok=True)
    return folder


def typed(block: Block, reader: Reader, codes: str) -> Generator[str, None, str]:
    """Type the lines of a block; gives what failed, and returns what the last one printed."""
    said = ""
    for line in typed_lines(block):
        if opens_chat(line):
            with reader.chat(line) as window:
                window.wait_for("saved ✓")
                window.press("ctrl-d")
                code, said = window.end(), window.transcript
        else:
            ran = reader.type(line)
            code, said = ran.returncode, ran.stdout
        last = line == typed_lines(block)[-1]
        if str(code) not in (codes.split("|") if last else ["0", "6"]):
            yield f"{block.place}: `{line}` ended with {code}:\n{said}"
    return said


def unchanging(text: str) -> str:
    """A text without what differs from run to run."""
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return text


PAGE_OF_OURS = """
<!-- installs -->
```sh
python3 -m venv ~/holdfast-env
. ~/holdfast-env/bin/activate
pip install .
```
```python
import holdfast
print(holdfast.SessionKey("a b"))
```
<!-- prints -->
```text
a b
```
```sh
holdfast where  # the store
```
"""


@pytest.mark.parametrize(
    ("right", "wrong", "found"),
    [
        pytest.param("", "", "", id="nothing wrong"),
        pytest.param("\na b\n", "\na c\n", "page.md:12 says", id="an output"),
        pytest.param("import holdfast", "import holdslow", "page.md:8 ended with 1", id="a program"),
        pytest.param("holdfast where", "holdfast were", "page.md:16: `holdfast were` ended with 2", id="a command"),
        pytest.param("<!-- installs -->\n", "", "ended with", id="what is installed"),
    ],
)
def test_a_page_that_is_wrong_is_found(right: str, wrong: str, found: str, tmp_path: Path, shared: Path) -> None:
    """
    Whatever on a page does not hold is told with its line, and nothing else is.
    """
    page = tmp_path / "page.md"
    page.write_text(PAGE_OF_OURS.replace(right, wrong) if right else PAGE_OF_OURS)

    told = "\n".join(followed(page, Reader(tmp_path / "home", shared)))

    assert (found in told) if found else not told
