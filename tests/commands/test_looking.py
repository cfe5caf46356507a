"""Looking up what was said, and taking it along."""

import json
from pathlib import Path

import pytest

from holdfast.commands.answers import Confirm, Copied, PlainLines, Prose, SwitchTo, Table
from holdfast.commands.replies import blocks
from holdfast.errors import BadInput, BeyondEnd, NotThere
from tests.commands.conversations import room

CODE = "First:\n\n```py\nprint(1)\n```\n\nthen:\n\n~~~\ntwo\nlines\n~~~\n"


async def test_the_last_messages_are_told(tmp_path: Path) -> None:
    """
    As many as were asked for, with where they stand; commands are not repeated.
    """
    async with room(tmp_path, "Noon.", "Six.") as here:
        assert "Nothing was said here yet." == await here.text("/history")
        await here.say("High water?", "Low water?")
        await here.typed("/tag sea")
        told = (await here.one("/history 3", Prose)).markdown

        assert "High water?" not in told
        assert ["Noon.", "Low water?", "Six."] == [part for part in told.split("\n\n") if not part.startswith("**")]
        assert "**You**" in told
        assert ", @6" in told
        assert "High water?" in await here.text("/history")


async def test_what_was_said_around_a_position_is_told(tmp_path: Path) -> None:
    """
    A little before it and more after it; beyond the end there is nothing.
    """
    async with room(tmp_path, *(f"answer {number}" for number in range(8))) as here:
        await here.say(*(f"question {number}" for number in range(8)))
        told = await here.text("/history @11")

        assert ["question 2", "answer 2", "question 3"] == told.replace("\n\n", "\n").splitlines()[1:6:2]
        assert "question 1" not in told
        with pytest.raises(BeyondEnd):
            await here.typed("/history @4000")


async def test_words_are_found_in_all_conversations(tmp_path: Path) -> None:
    """
    With where they stand and who said them; what commands showed is not found.
    """
    async with room(tmp_path, "By the sea.", "In the harbour.") as here:
        await here.say("Where is the harbour?")
        other = await here.another("other")
        await other.say("Where is the boat?")
        await here.typed("/rename nothing about it")
        await here.typed("/history")
        table = await here.one("/search harbour", Table)

        assert {"here @2", "other @3"} == {row[1] for row in table.rows}
        assert "/search harbour #1" in table.note
        assert "Nothing that was said has any of: whale" == await here.text("/search whale")
        assert "Nothing that was said" in await here.text('/search "the whale"')


async def test_a_find_is_gone_to_by_its_number(tmp_path: Path) -> None:
    """
    One of another conversation opens that one there; one of this is shown with what was said around it.
    """
    async with room(tmp_path, "By the sea.", "On the shore.") as here:
        await here.say("Where is the harbour?")
        other = await here.another("other")
        await other.say("And the lighthouse?")

        assert SwitchTo(key="other", at=other.context.session.state.last - 2) == await here.one(  # type: ignore[arg-type]
            "/search lighthouse #1", SwitchTo
        )
        assert "By the sea." in (await here.one("/search harbour #1", Prose)).markdown
        with pytest.raises(NotThere, match=r"there is 1 find\. Give a number from 1 on"):
            await here.typed("/search harbour #2")


async def test_the_last_reply_is_copied(tmp_path: Path) -> None:
    """
    Its words, as they were written.
    """
    async with room(tmp_path, "Noon.", CODE) as here:
        with pytest.raises(NotThere, match="no reply to copy"):
            await here.typed("/copy")
        await here.say("When?", "How?")

        assert Copied(text=CODE, what="the last reply") == await here.one("/copy", Copied)


async def test_blocks_of_code_are_counted_from_the_last(tmp_path: Path) -> None:
    """
    Through all replies; where there are not so many, it is said how many there are.
    """
    async with room(tmp_path, "```\nold\n```", "No code.", CODE) as here:
        await here.say("a", "b", "c")

        assert ["two\nlines\n", "print(1)\n", "old\n"] == [
            (await here.one(f"/copy {number}", Copied)).text for number in (1, 2, 3)
        ]
        with pytest.raises(NotThere, match="no block of code 4; the replies here have 3"):
            await here.typed("/copy 4")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("`inline` and ``` no fence", []),
        ("```\na\n```", ["a\n"]),
        ("   ```sh\n   a\n   ```", ["a\n"]),
        ("1. so\n\n   ```sh\n   if a\n     b\n   ```\n2. then\n   - ~~~\n     c\n     ~~~", ["if a\n  b\n", "c\n"]),
        ("> ```\n> quoted\n> ```", ["quoted\n"]),
        ("```\n" + "long\n" * 40 + "```\n```\nb\n```", ["long\n" * 40, "b\n"]),
        ("````md\n```\ninner\n```\n````", ["```\ninner\n```\n"]),
        ("```\n```", [""]),
        ("```\r\nx\u2028y\x0cz\r\n```", ["x\u2028y\x0cz\n"]),
        ("```\nnever closed\n", ["never closed\n"]),
    ],
)
def test_blocks_of_code_are_what_stands_between_fences(text: str, expected: list[str]) -> None:
    """
    As they are shown, and a block that was broken off counts.

    A longer fence may hold shorter ones, and what lists and quotes put before a line is no code.
    """
    assert expected == blocks(text)


async def test_saving_says_where_everything_is(tmp_path: Path) -> None:
    """
    And how safe it is there.
    """
    async with room(tmp_path, "By the sea.") as here:
        await here.say("Where is the harbour?")
        last = here.context.conversation.state.last
        said = (await here.one("/save", Prose)).markdown

        assert f"Saved up to position {last}: survives a killed process" in said
        assert str(tmp_path / "store" / "sessions" / "talk") in said


@pytest.mark.parametrize(
    ("name", "begins"), [("a.md", "# talk"), ("b.html", "<!doctype html>"), ("c.json", "{"), ("d.jsonl", "{")]
)
async def test_the_ending_of_a_file_says_what_it_holds(tmp_path: Path, name: str, begins: str) -> None:
    """
    In the workspace, unless the name says otherwise; the answer says where.
    """
    async with room(tmp_path, "By the sea.") as here:
        await here.say("Where is the harbour?")
        said = (await here.one(f"/save {name}", Prose)).markdown
        written = (here.root / name).read_text()

        assert str(here.root / name) in said
        assert written.lower().startswith(begins)
        assert "By the sea." in written


async def test_a_file_is_replaced_only_when_told(tmp_path: Path) -> None:
    """
    First there is a question; what it runs replaces the file.
    """
    async with room(tmp_path, "By the sea.") as here:
        for command in ("save", "export"):
            place = here.root / f"my {command}.md"
            place.write_text("mine")
            asked = await here.one(f"/{command} my {command}.md", Confirm)
            assert (f"{place} exists. Replace it?", "mine") == (asked.question, place.read_text())
            await here.one(asked.then, Prose)
            assert "mine" != place.read_text()


async def test_an_export_has_a_name_and_a_kind(tmp_path: Path) -> None:
    """
    Both may be left out; the kind that is named counts more than an ending.
    """
    async with room(tmp_path, "By the sea.") as here:
        await here.say("Where is the harbour?")
        for line in ("/export", "/export html", "/export json x.txt", "/export y.jsonl", "/export ~/z.md"):
            await here.one(line, Prose)
        names = {each.name for each in here.root.iterdir()} - {".git"}

        assert {"talk.md", "talk.html", "x.txt", "y.jsonl"} == names
        assert "talk" == json.loads((here.root / "x.txt").read_text())["key"]
        assert (tmp_path / "z.md").is_file()


async def test_an_export_is_what_its_name_says(tmp_path: Path) -> None:
    """
    Markdown that is called a PDF opens nowhere, so an ending that says no kind is refused; one that is named counts.
    """
    async with room(tmp_path, "By the sea.") as here:
        for name in ("pdf", "talk.pdf"):
            with pytest.raises(BadInput, match=rf"What {name} is to hold cannot be told: it ends with none of \.md"):
                await here.typed(f"/export {name}")
        await here.one("/export md talk.txt", Prose)

        assert {"talk.txt"} == {each.name for each in here.root.iterdir()} - {".git"}


async def test_a_name_is_never_a_way_out_of_the_folder(tmp_path: Path) -> None:
    """
    A key with slashes and strange signs makes a plain name.
    """
    async with room(tmp_path) as here:
        other = await here.another("../team/alice: notes")
        await other.one("/export", Prose)

        assert (here.root / "..-team-alice-notes.md").is_file()


async def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """
    With what to do; nothing is left behind.
    """
    async with room(tmp_path) as here:
        with pytest.raises(BadInput, match=r"cannot be written\. Name a file in a folder that exists"):
            await here.typed("/save nowhere/a.md")


async def test_attachments_that_are_not_in_a_document_are_named(tmp_path: Path) -> None:
    """
    With where they are.
    """
    async with room(tmp_path, "A picture.") as here:
        blob = await here.context.session.attach(b"\x89PNG....", media_type="image/png", name="sea.png")
        await here.context.conversation.send((blob,))
        await here.context.conversation.idle()

        assert "1 attachment not included" in (await here.one("/export", Prose)).markdown


async def test_thinking_can_be_unfolded(tmp_path: Path) -> None:
    """
    All of the last, whatever was shown of it; where there is none, that is said.
    """
    async with room(tmp_path, [{"think": "First the tide.\n\nThen the wind."}, {"say": "At noon."}], "Yes.") as here:
        with pytest.raises(NotThere, match="No model has shown its thinking"):
            await here.typed("/thinking")
        await here.say("when?", "sure?")

        assert Prose(markdown="First the tide.\n\nThen the wind.") == await here.one("/unfold", Prose)


async def test_all_that_a_call_returned_is_shown(tmp_path: Path) -> None:
    """
    Of the last call, or of one counted from the last, with what it was about; one that is not there is refused.
    """
    calls = [{"call": {"name": "read_file", "arguments": {"path": f"{name}.txt"}}} for name in ("one", "two")]
    async with room(tmp_path, calls, "Done.") as here:
        with pytest.raises(NotThere, match="No tool has returned anything here yet"):
            await here.typed("/output")
        (here.root / "one.txt").write_text("first\n" * 20)
        (here.root / "two.txt").write_text("second\n" * 20)
        await here.say("read")
        last, before = [(await here.one(line, PlainLines)).lines for line in ("/output", "/output 2")]

        assert ("read two.txt:", 20) == (last[0], sum("second" in line for line in last))
        assert ("read one.txt:", 20) == (before[0], sum("first" in line for line in before))
        with pytest.raises(NotThere, match="There is no output 3; the calls here have 2"):
            await here.typed("/output 3")
        with pytest.raises(BadInput, match="the last one is 1"):
            await here.typed("/output 0")
