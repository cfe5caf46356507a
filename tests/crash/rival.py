"""A process that takes a session over again and again, whoever holds it, and goes on with it.

`python -m tests.crash.rival ROOT NAME`: each line it prints is a record that was
acknowledged to it, or an error that none of ours should be. After the first it pauses itself.
"""

import asyncio
import os
import random
import signal
import sys
from pathlib import Path
from typing import Final

from holdfast.errors import Fenced
from holdfast.session.store import Store
from tests.crash.speaker import open_plain, saying

KEY: Final = "disputed"


async def hold(store: Store, name: str, draw: random.Random, said: int) -> int:
    """Take the session over and say things until another one has it; how many were said so far."""
    try:
        async with store.session(KEY, take_over=True, doing=f"being {name}") as session:
            for _ in range(draw.randrange(1, 12)):
                said += 1
                token = f"#{name}{said}#"
                at = await session.append(saying(token, (20, 300, 900)[said % 3]))
                await session.commit()
                os.write(1, f"A {at} {token}\n".encode())
                if said == 1:
                    # Paused by others, it might keep a lock that the next one waits for before it has said a word.
                    os.kill(os.getpid(), signal.SIGSTOP)
    except Fenced:
        return said
    return said


async def main(root: Path, name: str) -> None:
    """Do it for ever."""
    draw, said = random.Random(name), 0
    async with open_plain(root, segment_bytes=4_000) as store:
        while True:
            said = await hold(store, name, draw, said)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
