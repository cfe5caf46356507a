"""What the pages owe the reader: complete, up to date, and leading where they say."""

import ast
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import holdfast
from docs.generate import PAGE, methods, page, public_names
from docs.generate_frames import PAGE as FRAMES_PAGE
from docs.generate_frames import TYPES
from docs.generate_frames import page as frames_page
from docs.generate_frames import types as frame_types
from docs.generate_http import PAGE as HTTP_PAGE
from docs.generate_http import page as http_page
from docs.generate_picture import PICTURE, picture
from docs.generate_settings import PAGE as SETTINGS_PAGE
from docs.generate_settings import page as settings_page
from holdfast.config import SETTINGS
from holdfast.config.setting_names import KEYS
from holdfast.config.settings_file import read_file
from tests.docs.pages import PAGES, ROOT, Block, anchors, blocks

DOCUMENTS = sorted({*PAGES, *ROOT.glob("*.md")})
INVARIANTS = ROOT / "ARCHITECTURE.md"


def named(path: Path) -> str:
    """A page by its name in the project."""
    return str(path.relative_to(ROOT))


def test_the_reference_of_the_library_is_up_to_date() -> None:
    """
    The page says what the code says; `make docs` writes it anew.
    """
    assert page() == PAGE.read_text()


def test_the_picture_of_the_terminal_is_up_to_date() -> None:
    """
    README shows a screen that a test keeps; `make docs` draws it anew.
    """
    assert picture() == PICTURE.read_text()


def test_the_reference_of_the_library_has_every_public_name() -> None:
    """
    What can be imported is on the page, and nothing else is.
    """
    assert holdfast.__all__ == sorted(each.name for each in public_names())


def test_every_public_name_says_what_it_is() -> None:
    """
    Each public name has a docstring, and each public method of it too.
    """
    silent = [each.name for each in public_names() if not each.doc]
    for each in public_names():
        if isinstance(each.node, ast.ClassDef):
            silent += [f"{each.name}.{method.name}" for method in methods(each.node) if not ast.get_docstring(method)]

    assert [] == silent


def test_the_reference_of_http_is_up_to_date() -> None:
    """
    Every resource of the gateway, with what it takes and gives; `make docs` writes it anew.
    """
    assert http_page() == HTTP_PAGE.read_text()


def test_the_reference_and_the_types_of_the_frames_are_up_to_date() -> None:
    """
    The page and the TypeScript types say what the code says; `make docs` writes them anew.
    """
    assert frames_page() == FRAMES_PAGE.read_text()
    assert frame_types() == TYPES.read_text()


def test_the_reference_of_the_settings_is_up_to_date() -> None:
    """
    The page says what the code says; `make docs` writes it anew.
    """
    assert settings_page() == SETTINGS_PAGE.read_text()


@pytest.mark.parametrize("setting", [*KEYS, *SETTINGS])
def test_every_setting_is_documented(setting: str) -> None:
    """
    Each setting is on the page, by its name in files and by its name in the environment.
    """
    assert f"`{setting}`" in SETTINGS_PAGE.read_text()


def test_no_setting_goes_without_words() -> None:
    """
    No row of a table ends with nothing said.
    """
    assert [] == [line for line in SETTINGS_PAGE.read_text().splitlines() if re.search(r"\|\s*\|$", line)]


def place(block: Block) -> str:
    """Where a block stands."""
    return block.place


FILES = [block for document in PAGES for block in blocks(document) if block.language == "toml"]


@pytest.mark.parametrize("block", FILES, ids=place)
def test_a_file_of_settings_on_a_page_can_be_read(block: Block, tmp_path: Path) -> None:
    """
    Who copies settings from a page has settings.
    """
    (tmp_path / "config.toml").write_text(block.text)

    assert read_file(tmp_path / "config.toml", project=False)


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_no_page_names_a_setting_that_does_not_exist(document: Path) -> None:
    """
    A setting that a page tells to set has an effect.
    """
    assert set() == set(re.findall(r"\bHOLDFAST_[A-Z_]+\b", document.read_text())) - set(SETTINGS)


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_links_lead_somewhere(document: Path) -> None:
    """
    A link within the project leads to a file that is there, and to a heading on it.
    """
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        path, _, anchor = target.partition("#")
        there = document.parent / path if path else document
        if "://" not in target and not (there.exists() and (not anchor or anchor in anchors(there))):
            lost.append(target)

    assert [] == lost


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_what_a_page_imports_is_there(document: Path) -> None:
    """
    Who copies an import from a page has what it names, also after modules have moved.
    """
    found = re.findall(r"^ *from (holdfast[\w.]*) import ([\w, ]+)$", document.read_text(), re.MULTILINE)
    named = [(module, name) for module, names in found for name in names.split(", ")]

    assert [] == [each for each in named if find_spec(each[0]) is None or not hasattr(import_module(each[0]), each[1])]


def test_the_index_leads_to_every_page() -> None:
    """
    Who begins at the index of the documentation can reach all of it.
    """
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / target).resolve() for target in re.findall(r"\]\(([^)#\s]+)", index.read_text())}

    assert set() == set((ROOT / "docs").rglob("*.md")) - linked - {index}


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_no_page_names_a_place_on_our_machines(document: Path) -> None:
    """
    A path on a page is one that a reader has.
    """
    assert [] == re.findall(r"(?<![\w.~$/])/(?:work|root|home|Users)\b\S*", document.read_text())


def invariants() -> dict[int, list[str]]:
    """Each numbered invariant with the tests it names."""
    found = {}
    items = re.split(r"^[|\s*-]*(?=I\d+\b)", INVARIANTS.read_text(), flags=re.MULTILINE)
    for item in items[1:]:
        number, text = re.split(r"\b", item.partition("\n\n")[0], maxsplit=2)[1:]
        found[int(number[1:])] = re.findall(r"tests/[\w/]+\.py::\w+", text)
    return found


def test_every_invariant_names_a_test() -> None:
    """
    A promise counts from one on, and says which test would fail.
    """
    found = invariants()

    assert list(range(1, len(found) + 1)) == sorted(found)
    assert found
    assert [] == [number for number, tests in found.items() if not tests]


def test_the_tests_of_invariants_exist() -> None:
    """
    The test that a promise names is there.
    """
    lost = []
    for test in (each for tests in invariants().values() for each in tests):
        path, _, name = test.partition("::")
        file = ROOT / path
        tree = ast.parse(file.read_text()) if file.exists() else ast.Module([], [])
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        lost += [] if name in functions else [test]

    assert [] == lost
