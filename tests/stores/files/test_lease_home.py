"""A store in a forked child of the process that opened it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import Closed, open_store
from tests.stores.files.catalog.talk import keys, say

FORKING = """
import asyncio, os, sys
from holdfast import Closed, open_blocking, open_store

async def used(store):
    async with store.session("a") as session:
        await session.say("hello")
    return [each.key for each in (await store.list()).sessions]

async def tried(*works):
    answers = await asyncio.gather(*works, return_exceptions=True)
    assert all(isinstance(each, Closed) and "parent of this process" in str(each) for each in answers), answers

store, blocking = open_store(sys.argv[1]), open_blocking(sys.argv[1])
asyncio.run(used(store))
blocking.list()
child = os.fork()
if not child:
    asyncio.run(tried(used(store), store.list(), store.search("hello"), store.verify("a")))
    asyncio.run(store.close())
    try:
        blocking.list()
    except Closed as error:
        print(error)
    blocking.close()
    with open_blocking(sys.argv[1]) as own, own.session("b") as session:
        session.say("from the child")
        print(len(list(own.read("a"))))
    sys.stdout.flush()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(asyncio.run(used(store)))
blocking.close()
"""


def test_a_forked_child_is_told_to_open_the_store_itself(tmp_path: Path) -> None:
    """
    It would wait for the parent's threads without end. What it opens itself works, and so does what the parent has.
    """
    command = [sys.executable, "-c", FORKING, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)

    told = "The store belongs to the parent of this process. Open it again here."
    assert f"{told}\n2\n['a', 'b']\n" == done.stdout


async def test_a_child_is_known_by_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Nothing is given to threads that are not there, not even to close; reading needs none.
    """
    async with open_store(tmp_path) as store:
        await say(store, "a", "hello")
        assert ["a"] == await keys(store)
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: -1)
            for work in (store.list(), store.verify("a"), store.delete("a")):
                with pytest.raises(Closed, match="parent of this process"):
                    await work
            assert 2 == len([record async for record in store.read("a")])

        assert ["a"] == await keys(store)
