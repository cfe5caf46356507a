"""Words and forms that prose does not use here, each with the better one; `make check` runs it.

It reads the pages of docs/, README.md, and the texts of the program that a person meets: help, errors, questions.
Docstrings and comments are for developers and are not read.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FORMS = ROOT / "setup" / "words.txt"
GENERATED = {"library.md", "odd-servers.md"}
"""Pages made from docstrings, and from the words of others."""


def forms(text: str) -> list[tuple[re.Pattern[str], str]]:
    """The forms of a list, each with the better one: a line is `form => better`."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    pairs = [line.split(" => ") for line in lines]
    return [(re.compile(rf"\b(?:{form})\b", re.IGNORECASE), better) for form, better in pairs]


def texts_of(source: str) -> Iterator[tuple[int, str]]:
    """The texts of a module that are sentences, and no docstrings, with their lines."""
    tree = ast.parse(source)
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in (each for each in ast.walk(tree) if isinstance(each, ast.Constant)):
        if isinstance(node.value, str) and " " in node.value and id(node) not in documented | alone:
            yield node.lineno, node.value


def found(root: Path, wrong: list[tuple[re.Pattern[str], str]]) -> list[str]:
    """Each place where such a form stands, with what to write instead."""
    said = []
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        if page.name not in GENERATED:
            said += [(page, number, line) for number, line in enumerate(page.read_text().splitlines(), 1)]
    for module in sorted((root / "src").rglob("*.py")):
        said += [(module, number, text) for number, text in texts_of(module.read_text())]
    return [
        f"{path.relative_to(root)}:{number}: “{match[0]}”; write: {better}"
        for path, number, line in said
        for form, better in wrong
        if (match := form.search(line))
    ]


if __name__ == "__main__":
    wrong_places = found(ROOT, forms(FORMS.read_text()))
    print("\n".join(wrong_places))
    sys.exit(bool(wrong_places))
