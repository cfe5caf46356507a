"""What a call was about."""

from pathlib import Path

import pytest

from holdfast.ids import CallId
from holdfast.records.parts import ToolCall
from holdfast.tools.builtin import built_in
from holdfast.tools.shell.sandbox import Sandbox
from holdfast.tools.titles import call_title
from tests.tools.tool_context import NotedDesk


def _title(name: str, arguments: str) -> str:
    return call_title(ToolCall(id=CallId("1"), name=name, arguments=arguments))


@pytest.mark.parametrize(
    ("name", "arguments", "title"),
    [
        ("shell", '{"command": "echo one"}', "run echo one"),
        ("edit_file", '{"path": "a.txt", "edits": []}', "edit a.txt"),
        ("web_fetch", '{"url": "http://a.b"}', "fetch http://a.b"),
        ("their_tool", '{"count": 3, "of": "boats"}', "their_tool boats"),
        ("shell", "no json", "run"),
        ("shell", '{"command": "a\\u001b[2Jb"}', "run a␛[2Jb"),
    ],
)
def test_a_call_is_named_in_words(name: str, arguments: str, title: str) -> None:
    """
    As the tool itself says it while it runs; one that comes from elsewhere goes by its name.
    """
    assert title == _title(name, arguments)


def test_every_tool_of_ours_has_words(tmp_path: Path) -> None:
    """
    A call that was denied, or is of the past, is not shown by the name that only the model knows.
    """
    builtin = built_in(tmp_path, sandbox=Sandbox(said=""), environment={})

    assert [] == [tool.spec.name for tool in builtin.tools if "_" in _title(tool.spec.name, "{}")]
    assert "run" == _title("shell", "{}")


async def test_a_call_reads_the_same_while_it_runs_and_later(tmp_path: Path) -> None:
    """
    A tool says what it does in the words of the past, and adds what only it knows.
    """
    builtin = built_in(tmp_path, sandbox=None, environment={})
    (write,) = (tool for tool in builtin.tools if tool.spec.name == "write_file")
    arguments = '{"path": "a.txt", "content": ""}'

    assert f"{_title('write_file', arguments)} (new)" == (await write.understand(arguments, NotedDesk())).ask.title
