"""`edit_file`: exact pieces, all at once, nothing else changed."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agent.permissions import Permissions, Rule
from holdfast.errors import ToolFailed
from holdfast.log.blobs import SPILL_BYTES
from holdfast.tools.files.atomic_replace import LARGEST
from holdfast.tools.files.edit import EditFile
from holdfast.tools.files.match_edits import Edit, edited
from holdfast.tools.files.workspace import WorkspaceFiles
from tests.tools.calling import Desk, asked, failure, fill, output, text


@pytest.fixture
def tool(tmp_path: Path) -> EditFile:
    """An editor of an empty workspace."""
    return EditFile(WorkspaceFiles(tmp_path))


def edit(old: str, new: str, **more: object) -> dict[str, object]:
    """One edit as a model sends it."""
    return {"old": old, "new": new, **more}


async def test_several_edits_at_once(tool: EditFile, tmp_path: Path) -> None:
    """
    Edits are made together, and the difference comes back.
    """
    fill(tmp_path, {"a.py": "one\ntwo\nthree\n"})

    shown = await text(tool, path="a.py", edits=[edit("three", "3"), edit("one\n", "")])

    assert "two\n3\n" == (tmp_path / "a.py").read_text()
    assert "Edited a.py.\n--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,2 @@\n-one\n two\n-three\n+3\n" == shown


async def test_edits_are_for_the_file_as_it_is(tool: EditFile, tmp_path: Path) -> None:
    """
    An edit does not meet what another one puts in.
    """
    fill(tmp_path, {"a": "one two"})

    await output(tool, path="a", edits=[edit("one", "two"), edit("two", "one")])

    assert "two one" == (tmp_path / "a").read_text()


async def test_all_of_them(tool: EditFile, tmp_path: Path) -> None:
    """
    With `all`, a piece is replaced wherever it stands.
    """
    fill(tmp_path, {"a": "x y x y x"})

    await output(tool, path="a", edits=[edit("x", "z", all=True)])

    assert "z y z y z" == (tmp_path / "a").read_text()


async def test_what_a_person_is_shown(tool: EditFile, tmp_path: Path) -> None:
    """
    The question shows the difference, with its place in a long file, and nothing is changed before it is answered.
    """
    fill(tmp_path, {"src/a": "".join(f"{number}\n" for number in range(1, 1001))})

    ask = await asked(tool, path="src/a", edits=[edit("\n500\n", "\nfive hundred\n")])

    assert ("edit src/a", "diff", ("src/a",), False) == (ask.title, ask.form, ask.subjects, ask.reads_only)
    assert "@@ -497,7 +497,7 @@\n 497\n 498\n 499\n-500\n+five hundred\n 501\n 502\n 503\n" in ask.detail
    assert "\n500\n" in (tmp_path / "src/a").read_text()


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        (b"one\r\ntwo\r\n", [edit("one\ntwo", "1\n2")], b"1\r\n2\r\n"),
        (b"one\r\ntwo\r\n", [edit("one\r\n", "1\n\n")], b"1\r\n\r\ntwo\r\n"),
        (b"one\r\ntwo\n", [edit("two\n", "2\n")], b"one\r\n2\n"),
        (b"a\r\nb\nc\r\nd\n", [edit("b\nc\nd", "b\nC\nC\nd")], b"a\r\nb\nC\r\nC\r\nd\n"),
        (b"a\r\nb\r\na\nb\n", [edit("a\nb\n", "c\n", all=True)], b"c\r\nc\n"),
        (b"a\r\nb\na\nb\n", [edit("a\nb\na", "1")], b"1\nb\n"),
        (b"a\r\nb\r\na\nb\r\n\n", [edit("b\n", "c\n", all=True)], b"a\r\nc\r\na\nc\r\n\n"),
        (b"\xef\xbb\xbfone", [edit("one", "zwölf")], b"\xef\xbb\xbfzw\xc3\xb6lf"),
        ("\ufeffone".encode("utf-16-be"), [edit("one", "zwölf")], "\ufeffzwölf".encode("utf-16-be")),
        (b"gr\xfcn\xff", [edit("grün", "ö")], b"\xf6\xff"),
        (b"no newline", [edit("no", "still no")], b"still no newline"),
    ],
)
async def test_what_is_not_edited_stays(
    tool: EditFile, tmp_path: Path, before: bytes, edits: list[dict[str, object]], after: bytes
) -> None:
    """
    Line ends, encoding and byte order mark stay as they are.
    """
    fill(tmp_path, {"a": before})

    await output(tool, path="a", edits=edits)

    assert after == (tmp_path / "a").read_bytes()


async def test_what_is_not_there(tool: EditFile, tmp_path: Path) -> None:
    """
    A piece that is not in the file is answered with the lines most like it.
    """
    fill(tmp_path, {"a.py": "def main(args):\n    return 1\n"})

    assert (
        "The edit does not fit a.py: `old` was found 0 times. The nearest lines are:\n     1\tdef main(args):"
        == await failure(tool, path="a.py", edits=[edit("def main(arg):", "x")])
    )
    assert "copy the text exactly" in await failure(tool, path="a.py", edits=[edit("qqqqqqqqqqqqqqqqqqqq", "x")])


async def test_what_is_there_too_often(tool: EditFile, tmp_path: Path) -> None:
    """
    A piece that stands in several places says which, also where they overlap.
    """
    fill(tmp_path, {"a": "x\ny\nx\n" + "x\n" * 9, "b": "aaa"})

    assert "found 11 times, in lines 1, 3, 4, 5, 6, …" in await failure(tool, path="a", edits=[edit("x", "z")])
    assert "found 2 times, in lines 1, 1." in await failure(tool, path="b", edits=[edit("aa", "z")])


async def test_lines_that_end_differently_are_alike(tool: EditFile, tmp_path: Path) -> None:
    """
    In a file that has both ends of lines nobody sees which one a line has, so both count.
    """
    fill(tmp_path, {"a": b"x\r\ny\nx\ny\n"})

    assert "found 2 times, in lines 1, 3" in await failure(tool, path="a", edits=[edit("x\ny", "z")])


async def test_nothing_is_changed_if_one_edit_does_not_fit(tool: EditFile, tmp_path: Path) -> None:
    """
    All edits are made or none; the error says which one is wrong.
    """
    fill(tmp_path, {"a": "one two three"})

    assert "Edit 2 does not fit" in await failure(tool, path="a", edits=[edit("one", "1"), edit("four", "4")])
    assert "Edits 1 and 2 overlap" in await failure(tool, path="a", edits=[edit("one two", "1"), edit("two t", "2")])
    assert "Edit 2 changes nothing" in await failure(tool, path="a", edits=[edit("one", "1"), edit("two", "two")])
    assert "one two three" == (tmp_path / "a").read_text()


async def test_what_cannot_be_edited(tool: EditFile, tmp_path: Path) -> None:
    """
    Each refusal says what is in the way.
    """
    fill(tmp_path, {"b.bin": b"\0\1", "latin": b"\xfc", "huge": b"x" * (LARGEST + 1), ".git/config": "x"})
    edits = [edit("x", "y")]

    assert "Did you mean b.bin" in await failure(tool, path="a.bin", edits=edits)
    assert "b.bin is a binary file" in await failure(tool, path="b.bin", edits=edits)
    assert "huge is larger" in await failure(tool, path="huge", edits=edits)
    assert "kept from file tools" in await failure(tool, path=".git/config", edits=edits)
    assert "which latin-1 cannot hold" in await failure(tool, path="latin", edits=[edit("ü", "€")])
    assert "The arguments cannot be used" in await failure(tool, path="latin", edits=[edit("", "x")])
    assert "The arguments cannot be used" in await failure(tool, path="latin", edits=[])


@pytest.mark.parametrize("new", ["x" * 1_000_000, "\u2603\u2603"])
async def test_no_edit_makes_a_file_too_large(tool: EditFile, tmp_path: Path, new: str) -> None:
    """
    A million places times a million characters would end the agent, and what is too large could not be edited again.
    """
    fill(tmp_path, {"a.txt": "y" * 2_000_000})

    said = await failure(tool, path="a.txt", edits=[edit("y", new, all=True)])

    assert "a.txt would become too long. Put less in, or change it with a command." == said


async def test_a_file_that_changed_meanwhile_is_left_alone(tool: EditFile, tmp_path: Path) -> None:
    """
    Edits are for the file that was looked at, and for no other.
    """
    fill(tmp_path, {"a": "one"})
    step = await tool.understand(json.dumps({"path": "a", "edits": [edit("one", "1")]}), Desk())
    fill(tmp_path, {"a": "one more"})

    with pytest.raises(ToolFailed, match="has changed"):
        await step.run()

    assert "one more" == (tmp_path / "a").read_text()


async def test_a_misfit_tells_nothing_of_what_may_not_be_read(tool: EditFile, tmp_path: Path) -> None:
    """
    An edit that does not fit tells of the file, so it needs the permission that reading needs; and changes nothing.
    """
    fill(tmp_path, {".env": "TOKEN=abc", "private/a": "words", "a": "words"})
    permissions = Permissions([Rule(tool="*", pattern="private/*", decision="deny")])
    wrong = [edit("TOKEN=abd", "x")]

    decisions = [permissions.decide(await asked(tool, path=path, edits=wrong)) for path in (".env", "private/a", "a")]

    assert ["ask", "deny", "allow"] == decisions


async def test_a_long_difference_is_cut(tool: EditFile, tmp_path: Path) -> None:
    """
    A person sees all of a difference, the model as much as it will be shown.
    """
    fill(tmp_path, {"a": "ä\n" * 20_000})
    arguments = json.dumps({"path": "a", "edits": [edit("ä", "ö", all=True)]})

    step = await tool.understand(arguments, Desk())
    shown = (await step.run()).parts[0].text  # type: ignore[union-attr]

    assert 20_000 == step.ask.detail.count("\n+ö")
    assert shown.endswith("[the difference goes on]")
    assert SPILL_BYTES > len(shown.encode())


@given(
    st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "ab", " "]), max_size=12).map("".join),
    st.sampled_from(["a", "b", "ab", "a\n"]),
    st.sampled_from(["", "c", "\n", "ac"]),
)
def test_all_is_what_replace_does(before: str, old: str, new: str) -> None:
    """
    Replacing everywhere gives what the language itself gives, line ends aside.
    """
    plain = before.replace("\r\n", "\n")
    if old in plain:
        assert plain.replace(old, new) == edited(plain, (Edit(old=old, new=new, all=True),), "a", most=LARGEST)
