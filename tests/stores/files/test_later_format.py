"""A session in which a later Holdfast wrote: read, listed, searched, and never written to."""

from pathlib import Path

import pytest

from holdfast import LaterFormat, Text, UserSaid, open_store
from holdfast.records.codec import suffix
from holdfast.stores.files.later_format import later_line
from tests.stores.files.catalog.talk import found, keys, say

AT = "2030-01-01T00:00:00.000000Z"


def later(pos: int, fields: str, version: int = 2) -> bytes:
    """A line as a later Holdfast may write it."""
    body = f'{{"v":{version},"pos":{pos},"at":"{AT}",{fields}'.encode()
    return body + suffix(body) + b"\n"


def spoken(pos: int, text: str) -> bytes:
    """Something said, with a part that this version does not know, and the version that can write it."""
    parts = f'[{{"kind":"smell","of":"rain"}},{{"kind":"text","text":"{text}"}}]'
    return later(pos, f'"kind":"user_said","parts":{parts},"holdfast":"2.1"')


async def written(root: Path, *lines: bytes) -> Path:
    """A session of two entries of ours, and then these lines; gives its segment."""
    async with open_store(root) as store:
        await say(store, "a", "ours")
    segment = root / "sessions" / "a" / "000001.jsonl"
    with segment.open("ab") as file:
        file.writelines(lines)
    return segment


async def test_a_log_of_a_later_format_is_read_listed_and_searched(tmp_path: Path) -> None:
    """
    As far as this version understands it; what it does not understand is kept.
    """
    await written(tmp_path, spoken(2, "needle"), later(3, '"kind":"acme.new","x":1'))
    async with open_store(tmp_path) as store:
        records = [record async for record in store.read("a")]
        assert [1, 1, 2, 2] == [record.version for record in records]
        assert UserSaid(parts=(Text(text="needle"),)) == records[2].entry
        assert 1 == len([each async for each in store.reindex()])
        assert ["a"] == await keys(store)
        assert [("a", 2)] == await found(store, "needle")
        assert 2 == (await store.state("a")).messages
        assert (await store.verify("a")).good


async def test_a_log_of_a_later_format_is_never_written_to(tmp_path: Path) -> None:
    """
    Appending, describing, rewinding, repairing and taking over are refused, and the error names who can.
    """
    segment = await written(tmp_path, spoken(2, "x" * 20_000))
    before = segment.read_bytes()
    async with open_store(tmp_path) as store:
        for work in (
            lambda: store.open("a"),
            lambda: store.open("a", take_over=True),
            lambda: store.rewind("a", 1),
            lambda: store.repair("a"),
        ):
            with pytest.raises(LaterFormat, match=r"format 2; this Holdfast writes format 1.*Holdfast 2\.1") as told:
                await work()
            assert ("a", 2, "2.1") == (told.value.key, told.value.version, told.value.holdfast)
    assert before == segment.read_bytes()
    assert ["000001.jsonl", "lock"] == sorted(path.name for path in segment.parent.iterdir())


async def test_a_later_line_that_is_torn_or_unreadable_is_not_cut_away(tmp_path: Path) -> None:
    """
    A later format may have other checksums, so bytes that look damaged may be good.
    """
    for line in (b'{"v":2,"pos":2,"at":"20', b'{"v":3,"pos":2,"sum":"other"}\n'):
        root = tmp_path / str(len(line))
        segment = await written(root, line)
        before = segment.read_bytes()
        async with open_store(root) as store:
            with pytest.raises(LaterFormat, match="a Holdfast that writes format"):
                await store.open("a")
        assert before == segment.read_bytes()


async def test_a_damaged_version_is_damage_and_no_later_format(tmp_path: Path) -> None:
    """
    One changed byte keeps nobody from going on.
    """
    segment = await written(tmp_path)
    first, second = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(first + second.replace(b'{"v":1', b'{"v":5'))
    async with open_store(tmp_path) as store, store.session("a") as session:
        assert 1 == len(session.repaired)


async def test_a_draft_of_a_later_format_is_kept(tmp_path: Path) -> None:
    """
    Its words are not dropped by a version that cannot read all of them.
    """
    segment = await written(tmp_path)
    draft = segment.with_name("draft.jsonl")
    draft.write_bytes(later(0, '"kind":"drafted","reply":2,"text":"shown"'))
    before = draft.read_bytes()
    async with open_store(tmp_path) as store:
        with pytest.raises(LaterFormat):
            await store.open("a")
        assert ("a",) == await store.keys()
    assert before == draft.read_bytes()


async def test_a_session_of_a_later_format_can_be_removed_and_forked_before_it(tmp_path: Path) -> None:
    """
    Removing needs no understanding. A fork that holds later lines would go on in two formats.
    """
    await written(tmp_path, spoken(2, "needle"))
    async with open_store(tmp_path) as store:
        await store.fork("a", "before", at=1)
        async with store.session("before") as session:
            assert 3 == await session.append(UserSaid(parts=(Text(text="on"),)))
        with pytest.raises(LaterFormat):
            await store.fork("a", "after")
        assert not await store.exists("after")
        await store.throw_away("a")
        (trashed,) = await store.trash()
        assert "a" == await store.bring_back(trashed.name)
        await store.delete("a")
        assert ["before"] == await keys(store)


def test_a_line_says_who_writes_its_format() -> None:
    """
    The name of the version is optional, and JSON like everything else.
    """
    assert later_line(later(0, '"kind":"x.y"')[:-1]) is not None
    assert None is later_line(later(0, '"kind":"x.y"', version=1)[:-1])
