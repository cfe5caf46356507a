"""What the project promises about itself.

Pinned lists, short documents, targets that prepare themselves, a core that stands on msgspec alone.
"""

import ast
import builtins
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.installation import PACKAGES

ROOT = Path(__file__).resolve().parent.parent
LISTS = sorted((ROOT / "requirements").glob("*.txt"))
TARGETS = ("run", "install", "uninstall", "test", "check", "bench", "crash")
PLAIN = {"PATH": os.defpath}
CORE = ("errors", "ids", "clock", "records", "log", "model", "session", "memory", "context", "agent", "engine")


def requirements(path: Path) -> Iterator[str]:
    """Each requirement of a list with its hashes, on one line."""
    unfolded = path.read_text().replace("\\\n", " ")
    return (line for line in unfolded.splitlines() if line.strip() and not line.lstrip().startswith("#"))


def unconditional(requirement: str) -> str:
    """A requirement without where it is needed: more may need it for tests."""
    return " ".join(re.sub(r" ;.*?(?=--hash)", " ", requirement).split())


def output_of(*command: str, folder: Path) -> str:
    """What a command prints when nothing of this test run's own make reaches it."""
    return subprocess.run(command, cwd=folder, env=PLAIN, check=True, capture_output=True, text=True).stdout


def core_files() -> list[Path]:
    """Every module of the core that exists."""
    package = ROOT / "src" / "holdfast"
    return sorted(
        path for name in CORE for path in (package / f"{name}.py", *(package / name).rglob("*.py")) if path.exists()
    )


def imported_roots(path: Path) -> set[str]:
    """Top-level names of all a module imports, wherever in the file."""
    roots = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                roots |= {name.name.partition(".")[0] for name in names}
            case ast.ImportFrom(module=str(module), level=0):
                roots.add(module.partition(".")[0])
            case _:
                pass
    return roots


def caught_whole(path: Path) -> set[str]:
    """Where a module catches everything and neither raises it again nor says that foreign code enters there."""
    text = path.read_text()
    lines, found = text.splitlines(), set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ExceptHandler):
            everything = node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"}
            raised = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
            if everything and not raised and "boundary: " not in lines[node.lineno - 1]:
                found.add(f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def hidden_builtins(path: Path) -> set[str]:
    """Builtins that annotations in a class mean, where the class has a member of that name."""
    found = set()
    for made in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)):
        members = {node.name for node in made.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        found |= {f"{made.name}: {name}" for name in members & set(dir(builtins)) & annotated_names(made)}
    return found


def annotated_names(made: ast.ClassDef) -> set[str]:
    """Every plain name in the annotations of a class and its methods."""
    annotations = [node.annotation for node in made.body if isinstance(node, ast.AnnAssign)]
    for method in made.body:
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            annotations += [
                node.annotation for node in ast.walk(method.args) if isinstance(node, ast.arg) and node.annotation
            ]
            annotations += [method.returns] if method.returns else []
    return {node.id for each in annotations for node in ast.walk(each) if isinstance(node, ast.Name)}


def test_everything_is_caught_only_where_foreign_code_enters() -> None:
    """
    And the line says so; who only tidies up raises it again.
    """
    assert set() == {place for path in sorted((ROOT / "src").rglob("*.py")) for place in caught_whole(path)}


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_lists_name_no_addresses(path: Path) -> None:
    """
    A list installs from whatever index a machine uses, so it names none.
    """
    assert [] == re.findall(r"\w+://\S+|^\s*-(?:i|f|-index|-extra|-find).*", path.read_text(), re.MULTILINE)


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.name)
def test_every_requirement_is_pinned_with_hashes(path: Path) -> None:
    """
    What is installed is what was chosen, byte for byte.
    """
    pinned = re.compile(r"[\w.\[\],-]+==\S+.*--hash=sha256:[0-9a-f]{64}")

    assert [] == [line for line in requirements(path) if not pinned.match(line)]


def test_the_run_list_is_part_of_the_dev_list() -> None:
    """
    Tests run on the versions that users get.
    """
    run, dev = (set(map(unconditional, requirements(ROOT / "requirements" / name))) for name in ("run.txt", "dev.txt"))

    assert set() == run - dev


@pytest.mark.parametrize(("name", "limit"), [("README.md", 100), ("AGENTS.md", 60)])
def test_documents_stay_short(name: str, limit: int) -> None:
    """
    A document that is read first can be read in one go.
    """
    assert limit >= len((ROOT / name).read_text().split("\n")) - 1


def test_the_wheel_carries_its_types_and_its_licence(tmp_path: Path) -> None:
    """
    Whoever installs the package gets its types checked.
    """
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], cwd=ROOT, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()

    assert {"holdfast/py.typed", "holdfast/__init__.pyi", "holdfast/events.pyi"} <= set(names)
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    assert not [name for name in names if not name.startswith("holdfast")]


@pytest.mark.parametrize("target", TARGETS)
def test_make_knows_the_target_and_prepares_first(target: str) -> None:
    """
    Each target does its own set-up, on a machine that has nothing yet.
    """
    planned = output_of("make", "--dry-run", target, folder=ROOT)

    assert "setup/prepare.sh" in planned.splitlines()[0]


def test_make_alone_lists_the_targets() -> None:
    """
    Who does not know the targets types `make`.
    """
    shown = output_of("make", folder=ROOT)

    assert [] == [target for target in TARGETS if f"make {target} " not in shown]


def test_an_unfit_python_is_refused_with_what_to_do() -> None:
    """
    Set-up on a Python that is too old or broken stops before it touches anything, and says how to go on.
    """
    script = ROOT / "setup" / "prepare.sh"
    env = {**PLAIN, "PYTHON": "false"}

    ran = subprocess.run(["sh", script, "run"], check=False, capture_output=True, text=True, env=env)

    assert (1, "") == (ran.returncode, ran.stdout)
    assert "no Python 3.11 to 3.14 found" in ran.stderr
    assert "make PYTHON=" in ran.stderr


@pytest.mark.parametrize(("broken", "code"), [("nothing", 0), ("check", 1), ("test", 1)])
def test_ci_runs_both_parts_and_fails_with_either(tmp_path: Path, broken: str, code: int) -> None:
    """
    CI is `make check` and `make test`, and green only when both are.
    """
    (tmp_path / ".ci").mkdir()
    script = shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    (tmp_path / "Makefile").write_text(f"check test:\n\t@echo $@\n\t@test $@ != {broken}\n")

    ran = subprocess.run([script], check=False, capture_output=True, text=True, env=PLAIN)

    assert (code, ["check", "test"]) == (ran.returncode, ran.stdout.split())


def test_the_core_stands_on_msgspec_alone() -> None:
    """
    What keeps conversations safe depends on one package besides the standard library.
    """
    allowed = sys.stdlib_module_names | {"msgspec", "holdfast"}

    assert {} == {str(path): foreign for path in core_files() if (foreign := imported_roots(path) - allowed)}


def test_the_base_install_has_the_chat_and_the_providers() -> None:
    """
    Whoever installs it has a program that works. The runtime of the demo model is large, and an extra.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    base = ["cronsim", "h11", "httpx2", "markdown-it-py", "msgspec", "prompt_toolkit", "pygments", "wcwidth"]

    assert base == [re.split(r"[^\w-]", each)[0] for each in project["dependencies"]]
    assert {"terminal": [], "anthropic": [], "google": []} == {name: each for name, each in extras.items() if not each}
    assert ["xllamacpp", "pip"] == [re.split(r"\W", each)[0] for each in extras["local"]]


def test_make_run_installs_what_the_project_names() -> None:
    """
    The list of `make run` and `make install` has the base packages and those of the extra `agent`.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = (ROOT / "requirements" / "run.in").read_text().split()
    extras = re.search(r"\[(.*)\]", project["optional-dependencies"]["agent"][0])
    assert extras is not None
    wanted = [each for name in extras[1].split(",") for each in project["optional-dependencies"][name]]

    # pip is in every environment that we make.
    assert {"pip"} == {each for each in (*project["dependencies"], *wanted) if each not in listed}


def test_no_text_names_a_package_that_is_on_no_index() -> None:
    """
    Holdfast itself is not, so whoever types `pip install 'holdfast[…]'` gets an error.
    """
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    wrong = re.compile(r"holdfast\[\w|(?:pip|pipx|uv tool|uv) (?:install|add) '?holdfast\b")

    assert [] == [str(path.relative_to(ROOT)) for path in pages if wrong.search(path.read_text())]


def test_messages_name_what_the_extras_stand_for() -> None:
    """
    The command that a message prints installs what the extra would have installed.
    """
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    filled = {name: tuple(each) for name, each in extras.items() if each and name != "agent"}

    assert filled == PACKAGES


def test_every_exception_to_the_style_has_its_reason() -> None:
    """
    A rule is off only where the reason stands beside it.
    """
    text = (ROOT / "pyproject.toml").read_text()
    style = text[text.index("[tool.ruff.lint]") : text.index("[tool.mypy]")]
    codes = [line for line in style.splitlines() if re.match(r'\s+"[A-Z]+\d*",', line)]

    assert [] == [line for line in codes if not re.search(r"# \S+ \S+", line)]
    assert codes


def test_no_pattern_repeats_a_group_possessively() -> None:
    """
    Python 3.11 matches those wrongly before 3.11.5, and Debian has 3.11.2; a set of characters is repeated right.
    """
    group = re.compile(r"\)(?:[*+?]|\{[0-9,]*\})\+")
    texts = {
        f"{path.relative_to(ROOT)}:{node.lineno}": node.value
        for path in sorted((ROOT / "src").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }

    assert [] == [place for place, text in texts.items() if group.search(text)]


def test_no_method_hides_a_type_that_its_class_names() -> None:
    """
    From Python 3.14 on an annotation is read when someone asks for it, and `list` is then the method of that name.
    """
    files = sorted((ROOT / "src").rglob("*.py"))

    assert {} == {str(path): hidden for path in files if (hidden := hidden_builtins(path))}
    assert files
