"""The composition root: what is opened is what was asked for."""

from pathlib import Path

import pytest

from holdfast import ManualClock, Place, Store, StoreAbout, open_store, open_volatile
from holdfast.clock import at_time
from holdfast.errors import BadInput, BadKey

KEY = "team:alice"


async def talked(store: Store) -> None:
    """Say something, and find it again."""
    async with store, store.session(KEY) as session:
        await session.say("the harbour")
        assert [KEY] == [each.key for each in (await store.list()).sessions]
        assert [KEY] == [hit.key for hit in await store.search("harbour")]


async def test_a_store_in_files_is_made_when_something_is_written(tmp_path: Path) -> None:
    """
    Opening and asking leave no trace; writing makes the folder, and the next program finds what was said.
    """
    root = tmp_path / "deep" / "store"
    async with open_store(root) as store:
        assert () == await store.keys()
    assert not root.exists()
    await talked(open_store(str(root)))

    async with open_store(root) as store:
        assert (KEY,) == await store.keys()


@pytest.mark.parametrize("durability", ["Always", "sync", ""])
def test_a_durability_there_is_not_is_refused(tmp_path: Path, durability: str) -> None:
    """
    A slip in its name must not become a store that waits for nothing.
    """
    with pytest.raises(BadInput, match="Give 'always', 'interval' or 'os'"):
        open_store(tmp_path, durability=durability)  # type: ignore[arg-type]


def test_a_store_has_a_place() -> None:
    """
    An unset variable does not spread sessions over the folder that one happens to be in.
    """
    with pytest.raises(BadInput, match="path of the store is empty"):
        open_store("")


@pytest.mark.parametrize("url", ["postgres://localhost/db", "s3://bucket", "file:///srv/store"])
def test_a_store_that_is_a_url_is_refused(url: str) -> None:
    """
    Else sessions would lie in a folder with the name of the scheme, and not where somebody meant.
    """
    with pytest.raises(BadInput, match=f"no stores of the kind '{url.partition(':')[0]}'"):
        open_store(url)


async def test_a_folder_may_be_named_like_a_url(tmp_path: Path) -> None:
    """
    Given by its whole path, it is a folder as any other.
    """
    async with open_store(tmp_path / "s3:" / "bucket") as store, store.session(KEY):
        assert (tmp_path / "s3:" / "bucket").is_dir()


async def test_a_store_stays_where_it_was_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Also if the program goes to another folder, and its name was relative to the first.
    """
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path)
    async with open_store("store") as store, store.session(KEY) as session:
        await session.say("here")
        monkeypatch.chdir("away")
        await session.say("and there")
        assert [KEY] == [hit.key for hit in await store.search("there")]

    assert ["away", "store"] == sorted(each.name for each in tmp_path.iterdir())


@pytest.mark.parametrize("durability", ["always", "interval", "os"])
async def test_an_acknowledgement_says_what_the_store_was_opened_for(tmp_path: Path, durability: str) -> None:
    """
    The word that was given is the word in the answer.
    """
    async with open_store(tmp_path, durability=durability) as store, store.session(KEY) as session:  # type: ignore[arg-type]
        assert durability == (await session.commit()).durability


async def test_a_store_tells_the_time_of_its_clock(tmp_path: Path) -> None:
    """
    Who gives a clock owns the times in the log.
    """
    clock = ManualClock()
    for store in (open_store(tmp_path, clock=clock), open_volatile(clock=clock)):
        await talked(store)
        assert at_time(clock.now_ns()) == (await store.state(KEY)).created


async def test_a_store_in_memory_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    It keeps and finds like any other, and another one knows nothing of it.
    """
    monkeypatch.chdir(tmp_path)
    await talked(open_volatile())

    assert [] == list(tmp_path.iterdir())
    assert () == await open_volatile().keys()


async def test_where_a_session_lies_is_known_before_and_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    `where` can say it of a session that does not exist yet, and it is where the session then is.
    """
    monkeypatch.setenv("HOME", str(tmp_path))
    about = open_store("~/store").about(KEY)
    assert about.folder is not None
    assert not about.folder.exists()
    await talked(open_store("~/store"))

    assert (about.folder / "000001.jsonl").exists()
    assert (str(about.folder), str(about.folder / "blobs"), True) == (about.place, about.attachments, about.kept)
    assert str(tmp_path / "store") == open_store("~/store").about().place
    with pytest.raises(BadKey):
        open_store(tmp_path).about("")


def test_a_place_is_shown_without_what_logs_in() -> None:
    """
    An address may hold a password; no list and no error shows it.
    """
    place = Place(url="postgres://alice:secret@db.example.org/talks")
    assert "postgres://db.example.org/talks" == str(place)

    with pytest.raises(BadInput, match="no stores of the kind 'postgres'") as refused:
        open_store(place)
    assert "secret" not in str(refused.value)


def test_a_store_in_memory_lies_nowhere() -> None:
    """
    Nobody can look into it, and no file can be kept beside its sessions.
    """
    assert StoreAbout(place="memory", kept=False) == open_volatile().about() == open_volatile().about(KEY)
