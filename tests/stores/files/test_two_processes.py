"""Two processes and one session: the second is told who has it, and a sleeper that wakes changes nothing."""

from pathlib import Path

import pytest

from holdfast.errors import Held
from holdfast.stores.files.store import FileStore
from tests.contracts.talk import KEY, all_of, positions, say, texts
from tests.stores.files.neighbour import neighbour


async def test_a_paused_process_still_holds_its_session_and_is_named(tmp_path: Path) -> None:
    """
    Asleep is not dead: the second one is told whom to wake.
    """
    with neighbour(tmp_path) as sleeper:
        assert "done -1" == sleeper.asked("hold dreaming")
        sleeper.pause()
        async with FileStore(tmp_path) as store:
            with pytest.raises(Held) as told:
                await store.acquire(KEY)

    assert told.value.holder.startswith(f"process {sleeper.pid} on ")
    assert told.value.holder.endswith(", dreaming")


async def test_a_process_that_wakes_after_a_take_over_changes_nothing(tmp_path: Path) -> None:
    """
    What it says then is refused and stands nowhere; what either was acknowledged before stays.
    """
    with neighbour(tmp_path) as sleeper:
        assert "done -1" == sleeper.asked("hold dreaming")
        assert ["done 0", "done 1"] == [sleeper.asked("say one"), sleeper.asked("say two")]
        sleeper.pause()
        async with FileStore(tmp_path) as store:
            writer = await store.acquire(KEY, take_over=True)
            await say(writer, "three")
            await writer.commit()
            sleeper.wake()
            assert sleeper.asked("say a ghost").startswith("Fenced: ")
            await say(writer, "four")
            await writer.commit()
            await writer.release()
            records = await all_of(store.read(KEY))

    assert ["one", "two", "three", "four"] == texts(records)
    assert [0, 1, 2, 3] == positions(records)


async def test_a_process_that_sleeps_over_its_order_finds_the_session_taken(tmp_path: Path) -> None:
    """
    An order that waited while the session changed hands and was given back is refused too.
    """
    with neighbour(tmp_path) as sleeper:
        assert "done -1" == sleeper.asked("hold dreaming")
        assert "done 0" == sleeper.asked("say one")
        sleeper.pause()
        sleeper.order("say a ghost")
        async with FileStore(tmp_path) as store:
            for word in ("two", "three"):
                writer = await store.acquire(KEY, take_over=True)
                await say(writer, word)
                await writer.release()
            sleeper.wake()
            assert sleeper.answer().startswith("Fenced: ")
            records = await all_of(store.read(KEY))

    assert ["one", "two", "three"] == texts(records)
