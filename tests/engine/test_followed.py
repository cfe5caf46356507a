"""Sessions of other processes, followed for those who watch here."""

from holdfast import Text, UserSaid, open_volatile
from holdfast.engine.followed import FollowedSessions


async def test_a_session_is_followed_as_long_as_somebody_watches() -> None:
    """
    A session that nobody watches any more is left, and the one who comes next follows it anew.
    """
    async with open_volatile() as store:
        async with store.session("talk") as session:
            await session.append(UserSaid(parts=(Text(text="go"),)))
        followed = FollowedSessions(store)
        first = await followed.follow("talk")
        watch = first.watch()
        followed.tidy()
        kept = await followed.follow("talk")
        watch.close()
        followed.tidy()

        assert (first, True, False) == (kept, first.closed, followed.any)
        assert await followed.follow("talk") is not first
        followed.close()
