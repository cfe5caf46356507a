"""nanobot's chat in a terminal: its command without a message, in a session of the same length.

Runs inside nanobot's environment. Its other terminal is a program of its own that talks to a server of its own, so the
classic one is measured. Whatever it needs to know of a model is in its settings, so that it asks nothing.
"""

import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from nanobot.session.manager import SessionManager  # type: ignore[import-not-found]

from bench.child import Job, Task
from bench.on_terminal import Chat, Figure
from bench.peers.nanobot_turns import KEY, configured, filled
from bench.texts import texts

_NOWHERE = "http://127.0.0.1:9/v1"


def _chat(figure: Figure) -> Callable[[Job], Task]:
    def task(job: Job) -> Task:
        workspace = job.path("workspace")
        workspace.mkdir()
        SessionManager(workspace).save(filled(KEY, islice(texts(1), job.size)))
        command = [str(Path(sys.executable).with_name("nanobot")), "agent", "--classic", "-s", KEY]
        return Chat(figure, command, configured(job, workspace, _NOWHERE), job.folder)

    return task


TASKS: dict[str, Callable[[Job], Task]] = {"prompt": _chat("wall"), "idle_memory": _chat("memory")}
"""Each by its name."""
