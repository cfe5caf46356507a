"""The page of the log format says all that the code can write, and its examples are real."""

import re
from pathlib import Path

import msgspec
import pytest

from holdfast import Blob, Drafted, Fork, Import, Source, Text, Thinking, ToolCall, Usage, open_store
from holdfast.records.codec import Record, decode_line
from holdfast.records.entries import KINDS, kind_of
from tests.docs.pages import PAGES, REFERENCE, blocks, sections

PAGE = REFERENCE / "log-format.md"
PARTS: tuple[type[msgspec.Struct], ...] = (Text, Thinking, ToolCall, Blob, Usage, Source, Fork, Import)


def examples(text: str) -> list[Record]:
    """The lines of a log that a text shows."""
    return [decode_line(line.encode()) for line in text.split("\n") if line.startswith('{"v":')]


def in_table(text: str) -> set[str]:
    """The fields that a section's table names."""
    return set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))


def section_of(kind: str) -> str:
    """What the page says about a kind."""
    found = sections(PAGE, 2)
    assert kind in found, f"{PAGE.name} has no section with the heading `{kind}`"
    return found[kind]


def name_of(part: type[msgspec.Struct]) -> str:
    """The heading of a part."""
    return str(part.__struct_config__.tag or part.__name__.lower())


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_real_example(kind: str) -> None:
    """
    Every kind that can be in a log is shown by a line whose checksum is right.
    """
    shown = examples(section_of(kind))

    assert {kind} == {kind_of(record.entry) for record in shown}


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_a_kind_is_documented(kind: str) -> None:
    """
    The table of a kind names all of its fields and no others.
    """
    assert set(KINDS[kind].__struct_fields__) == in_table(section_of(kind))


@pytest.mark.parametrize("part", PARTS, ids=name_of)
def test_every_field_of_a_part_is_documented(part: type[msgspec.Struct]) -> None:
    """
    The table of a part names all of its fields and no others.
    """
    assert set(part.__struct_fields__) == in_table(sections(PAGE, 3)[name_of(part)])


def test_every_line_shown_anywhere_is_whole() -> None:
    """
    A line of a log on any page verifies and decodes.
    """
    shown = [record for page in PAGES for block in blocks(page) for record in examples(block.text)]

    assert len(KINDS) < len(shown)


async def test_the_examples_are_one_conversation_that_still_opens(tmp_path: Path) -> None:
    """
    A log as the page shows it, written by the first version, is read and continued by this one.
    """
    lines = {record.pos: record for record in examples(PAGE.read_text().partition("## Positions")[0])}
    for text in (*sections(PAGE, 2).values(), PAGE.read_text().partition("## Versions")[2].partition("## `")[0]):
        lines |= {record.pos: record for record in examples(text) if not isinstance(record.entry, Drafted)}
    folder = tmp_path / "sessions" / "team%3aalice"
    folder.mkdir(parents=True)
    log = b"".join(lines[pos].raw + b"\n" for pos in sorted(lines))
    (folder / "000001.jsonl").write_bytes(log)

    async with open_store(tmp_path) as store:
        verdict = await store.verify("team:alice")
        async with store.session("team:alice", create=False) as session:
            state = session.state
            position = await session.say("Still here?")

    assert ((), len(lines), len(lines) - 1) == (verdict.damaged, verdict.entries, verdict.last)
    assert ("The boat", ("sea",), 1, 6) == (state.title, state.tags, state.turns, state.messages)
    assert len(lines) == position
    assert (folder / "000001.jsonl").read_bytes().startswith(log)
