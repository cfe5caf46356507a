"""The list of all tools, and the page that describes them."""

import importlib
import inspect
import json
import pkgutil
from pathlib import Path

import pytest

import holdfast.goals
import holdfast.tools
from docs.generate_tools import PAGE, page, tools
from holdfast.agent.tool import Tool
from holdfast.errors import ToolFailed
from holdfast.tools.builtin import ToolReach, built_in
from holdfast.tools.shell.sandbox import Sandbox
from tests.tools.calling import Desk, failure, fill, text

OPEN = Sandbox(said="No sandbox here.")


def tool_classes() -> set[str]:
    """Every class of the package that has what a tool has."""
    found = set()
    modules = [
        *pkgutil.walk_packages(holdfast.tools.__path__, "holdfast.tools."),
        *pkgutil.walk_packages(holdfast.goals.__path__, "holdfast.goals."),
    ]
    for module in modules:
        if module.name.startswith("holdfast.tools.mcp"):  # its tools are those of servers
            continue
        for name, each in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if not name.startswith("_") and each.__module__ == module.name and hasattr(each, "understand"):
                found.add(name)
    return found


def named(name: str) -> Tool:
    """A tool by its name."""
    return next(each for each in tools() if each.spec.name == name)


NAMES = [each.spec.name for each in tools()]


def test_every_tool_is_in_the_kit() -> None:
    """
    A tool that is written is offered.
    """
    assert tool_classes() == {type(each).__name__ for each in tools()}
    assert len(NAMES) == len(set(NAMES))


def test_the_page_is_up_to_date() -> None:
    """
    The page says what the tools say; `make docs` writes it anew.
    """
    assert page() == PAGE.read_text()


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_complete(name: str) -> None:
    """
    Each tool has a section with its arguments, what bounds it, and what can go wrong.
    """
    tool = named(name)
    section = PAGE.read_text().partition(f"\n## `{name}`\n")[2].partition("\n## ")[0]

    assert tool.spec.description in section
    assert [] == [each for each in json.loads(tool.spec.schema)["properties"] if f"| `{each}` | " not in section]
    assert [] == [each for each in (*tool.help.limits, *tool.help.errors) if f"\n- {each}\n" not in section]
    assert tool.help.limits
    assert tool.help.errors


@pytest.mark.parametrize("name", NAMES)
def test_every_argument_is_explained(name: str) -> None:
    """
    The model is told what each argument means, and may send no other.
    """
    schema = json.loads(named(name).spec.schema)

    assert [] == [each for each, value in schema["properties"].items() if not value.get("description")]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("arguments", ["not json", "[]", "null", '{"unknown": 1}', '{"path": {}}', "\ud800"])
async def test_no_arguments_break_a_tool(name: str, arguments: str) -> None:
    """
    Whatever a model sends is answered with what to send instead.
    """
    with pytest.raises(ToolFailed, match="The arguments cannot be used"):
        await named(name).understand(arguments, Desk())


async def test_the_kit_of_a_workspace(tmp_path: Path) -> None:
    """
    How far tools reach is set once, for all of them; what was started ends with the kit.
    """
    fill(tmp_path, {"own/a": "", "letters/a": "words"})
    builtin = built_in(
        tmp_path,
        sandbox=OPEN,
        environment={},
        reach=ToolReach(folders=(tmp_path / "own",), private=("letters/*",)),
    )
    found = {each.spec.name: each for each in builtin.tools}

    assert "kept from file tools" in await failure(found["write_file"], path="own/a", content="x")
    assert "2 files that may hold secrets" in await text(found["grep"], pattern="words")
    assert ("No sandbox here.",) == builtin.notes
    assert "read_skill" not in found
    await builtin.close()


async def test_without_a_sandbox(tmp_path: Path) -> None:
    """
    Where commands must not run in the open, there are none.
    """
    builtin = built_in(tmp_path, sandbox=None, environment={})

    assert not {"shell", "shell_read", "shell_stop"} & {each.spec.name for each in builtin.tools}
    await builtin.close()
