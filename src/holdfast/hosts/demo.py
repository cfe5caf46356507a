"""A short demonstration: a conversation survives `kill -9` in the middle of a write.

A child process says things and tells its parent, through a pipe, what was
acknowledged. The parent kills it without warning, opens the session and compares.
"""

import asyncio
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from holdfast.assembly import open_store
from holdfast.ids import Position
from holdfast.records.entries import Drafted, ModelReplied, UserSaid
from holdfast.records.parts import Text, plain_text
from holdfast.session.store import Store

KEY = "demo"
KILL_AFTER = 201
"""So many messages are acknowledged before the child is killed."""
REPLY = "This reply arrives word by word, as from a model."


def main(arguments: Sequence[str] | None = None) -> int:
    """Show it in a folder that is removed afterwards; with a folder, be the child that is killed."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given:
        asyncio.run(_talk(Path(given[0])))
        return 0
    with tempfile.TemporaryDirectory(prefix="holdfast-") as root:
        return asyncio.run(_show(Path(root)))


async def _talk(root: Path) -> None:
    """Say things until killed; print each position once it is on the disk."""
    async with open_store(root) as store, store.session(KEY, doing="talking") as session:
        number = 0
        while True:
            number += 1
            print(await session.say(f"message {number}"), flush=True)
            for word in REPLY.split():
                await session.draft(Drafted(reply=Position(session.state.last + 1), text=f"{word} "))
            print(await session.finish(ModelReplied(parts=(Text(text=REPLY),), model="demo")), flush=True)


async def _show(root: Path) -> int:
    async with open_store(root) as store:
        await _first_words(root, store)
        acknowledged = _kill_a_writer(root)
        print(f"3. It is dead. The last it had acknowledged stands at position {acknowledged:,}.\n")
        lost = await _look(store, acknowledged)
    print(f"\n{'Nothing that was acknowledged is lost.' if not lost else f'{lost} LOST.'}")
    print("To look after sessions of your own: holdfast --help")
    return 1 if lost else 0


async def _first_words(root: Path, store: Store) -> None:
    print("1. A conversation is a file of plain lines. This one is on the disk:\n")
    async with store.session(KEY) as session:
        await session.say("Remember: the launch is on Friday.")
    log = root / "sessions" / KEY / "000001.jsonl"
    print(f"   {log.relative_to(root)}")
    print(f"   {log.read_text().splitlines()[-1]}\n")


def _kill_a_writer(root: Path) -> int:
    print(f"2. Another process talks on. After {KILL_AFTER} acknowledged messages: kill -9.\n")
    command = [sys.executable, "-m", "holdfast.hosts.demo", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:  # noqa: S603
        assert child.stdout is not None  # noqa: S101
        heard = [child.stdout.readline() for _ in range(KILL_AFTER)]
        child.send_signal(signal.SIGKILL)
        heard += child.stdout.readlines()
    whole = [line for line in heard if line.endswith("\n")]
    return int(whole[-1])


async def _look(store: Store, acknowledged: int) -> int:
    """Open the session again, go on, and tell how many acknowledged positions are not there."""
    async with store.session(KEY, doing="going on after the crash") as session:
        for torn in session.repaired:
            print(f"   It died within a line: {torn.length} bytes are set aside in {torn.aside}.")
        await session.say("Are you still there?")
        await session.finish(ModelReplied(parts=(Text(text="Yes. The launch is on Friday."),), model="demo"))
    found = {record.pos: record.entry async for record in store.read(KEY)}
    for pos, entry in found.items():
        if isinstance(entry, ModelReplied) and entry.stop == "interrupted":
            print(f"   A reply was half said. What was seen of it is kept, at {pos}:")
            print(f"   {plain_text(entry.parts)!r}")
    print(f"   The session opens and goes on. It has {len(found):,} entries; the last two:\n")
    for pos in sorted(found)[-2:]:
        entry = found[pos]
        who = "you  " if isinstance(entry, UserSaid) else "model"
        print(f"   {pos:>4}  {who}  {plain_text(entry.parts) if isinstance(entry, UserSaid | ModelReplied) else ''}")
    verdict = await store.verify(KEY)
    print(f"\n   Every byte checked: {verdict.entries:,} entries, {len(verdict.damaged)} damaged stretches.")
    return sum(pos not in found for pos in range(acknowledged + 1))


if __name__ == "__main__":
    sys.exit(main())
