"""Where a store and its logs lie, in words."""

from holdfast import LogStore, Opened, Position, SessionKey, StoreAbout

TALK, OTHER = SessionKey("talk"), SessionKey("other")


async def test_a_store_says_where_it_and_each_log_lies(store: LogStore) -> None:
    """
    In words, the same before and after something is written. Asking makes nothing; a folder is the one of the words.
    """
    place, talk = store.about(), store.about(TALK)
    assert place.place
    assert talk.place
    assert _folder_is_named(place)
    assert _folder_is_named(talk)
    assert talk.folder is None or not talk.folder.exists()

    writer = await store.acquire(TALK)
    await writer.append([Opened(key=TALK)], expect=Position(0))
    await writer.release()
    assert (place, talk) == (store.about(), store.about(TALK))
    assert talk.folder is None or (talk.folder.is_dir() and talk.folder != store.about(OTHER).folder)


def _folder_is_named(about: StoreAbout) -> bool:
    return about.folder is None or (str(about.folder), True) == (about.place, about.kept)
