"""Lines of a chat, read by the declarations of their commands."""

import pytest

from holdfast.commands.inputs import read_line
from holdfast.commands.run import named
from holdfast.errors import BadInput


def values(line: str) -> dict[str, object]:
    """What a line gives, by the names of the arguments."""
    name, _, rest = line.partition(" ")
    given = read_line(named(name), rest)
    found: dict[str, object] = {}
    for each in named(name).arguments:
        if given.has(each):
            found[each.name] = given.number(each.name) or given.texts(each.name) or given.text(each.name)
    return found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("/rewind", {}),
        ("/rewind 2", {"turns": 2}),
        ("/rewind @2", {"position": 2}),
        ("/fork 4", {"at": 4}),
        ("/fork @4", {"at": 4}),
        ("/rename  Tides of  spring ", {"title": "Tides of  spring"}),
        ("/tag sea #work -old", {"changes": ["sea", "#work", "-old"]}),
        ("/search harbour light #2", {"text": ["harbour", "light"], "find": 2}),
        ("/search harbour #2 light", {"text": ["harbour", "#2", "light"]}),
        ("/export", {}),
        ("/export HTML", {"format": "html"}),
        ("/export my talk.md", {"output": "my talk.md"}),
        ("/export md my talk.txt --replace", {"format": "md", "output": "my talk.txt", "replace": "True"}),
        ("/export --replace", {"replace": "True"}),
        ("/delete --yes", {"yes": "True"}),
        ("/permissions allow shell:git status*", {"action": "allow", "rule": "shell:git status*"}),
        ("/permissions shell", {"rule": "shell"}),
        ("/history clear", {"action": "clear"}),
        ("/history @7", {"position": 7}),
        ("/config limits", {"key": "limits"}),
    ],
)
def test_each_argument_is_found_where_it_is_declared(line: str, expected: dict[str, object]) -> None:
    """
    Words, positions, numbers at the end, options, and what is left.
    """
    assert expected == values(line)


@pytest.mark.parametrize(
    "line", ["/new now", "/rewind 2 3", "/rewind @", "/fork here", "/copy everything", "/history clear all", "/undo 1"]
)
def test_what_no_argument_takes_is_refused(line: str) -> None:
    """
    With the usage of the command, and before anything is run.
    """
    with pytest.raises(BadInput, match="cannot take") as refused:
        values(line)

    assert f"Usage: {named(line.partition(' ')[0]).usage}" == refused.value.hint


def test_a_question_runs_the_same_line_with_one_more_option() -> None:
    """
    Whatever else it was given.
    """
    given = read_line(named("/export"), " md my talk.md ")

    assert "/export md my talk.md --replace" == given.again("--replace")
