"""The shell tool: it asks with the very command, runs it within limits, and leaves nothing running."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast.agent.permissions import Permissions
from holdfast.agent.tool import Ask, Output, Tool
from holdfast.errors import ToolFailed
from holdfast.records.parts import plain_text
from holdfast.tools.shell.jobs import guarded
from holdfast.tools.shell.sandbox import Sandbox, find_sandbox
from holdfast.tools.shell.shell import LONGEST, MOST_OUTPUT, Shell, ShellRead, ShellStop, ending
from tests.tools.tool_context import NotedDesk
from tests.tools.waiting import alive, wait_until

FOUND = find_sandbox(os.environ)
OPEN = Sandbox(said="No sandbox: for a test.")
confined = pytest.mark.skipif(not FOUND.confines, reason=FOUND.said)
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "SOME_API_KEY": "do-not-show"}
AGENT = """
import asyncio, os, sys
from pathlib import Path
from holdfast.tools.shell.sandbox import find_sandbox
from holdfast.tools.shell.shell import Shell

async def main():
    shell = Shell(Path(sys.argv[1]), find_sandbox(os.environ), environment=os.environ)
    command = "setsid sh -c 'echo x > started; exec sleep 61' & exec sleep 61"
    await shell.finish(await shell.start(command, Path(sys.argv[1]), most=10_000), 0, print)

asyncio.run(main())
"""

AT_ONCE = """
import asyncio, os, signal, sys
from pathlib import Path
from holdfast.tools.shell.sandbox import find_sandbox
from holdfast.tools.shell.shell import Shell

async def main():
    shell = Shell(Path(sys.argv[1]), find_sandbox(os.environ), environment=os.environ)
    await shell.start("exec sleep 64", Path(sys.argv[1]), most=100)
    await asyncio.sleep(int(sys.argv[2]) / 1000)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.fixture(params=[pytest.param(FOUND, id="inside", marks=confined), pytest.param(OPEN, id="open")])
async def shell(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Shell]:
    """A shell in an empty workspace, inside a sandbox and in the open."""
    made = Shell(tmp_path, request.param, environment=ENVIRONMENT)
    yield made
    await made.jobs.close()


async def run(tool: Tool, **arguments: object) -> Output:
    """Make a call and run it."""
    return await (await tool.understand(json.dumps(arguments), NotedDesk())).run()


async def told(tool: Tool, **arguments: object) -> str:
    """What a call says."""
    return plain_text((await run(tool, **arguments)).parts)


async def asked(tool: Tool, **arguments: object) -> Ask:
    """What a call asks for."""
    return (await tool.understand(json.dumps(arguments), NotedDesk())).ask


async def test_a_command_runs_in_the_workspace(shell: Shell, tmp_path: Path) -> None:
    """
    The result is the exit code and what was written; files stay.
    """
    assert f"exit code 0\n{tmp_path}" == await told(shell, command="pwd; echo x > a")
    assert "x\n" == (tmp_path / "a").read_text()


async def test_a_command_that_fails_says_how(shell: Shell) -> None:
    """
    Output and exit code are both told, and the result is not ok.
    """
    output = await run(shell, command="echo out; echo err >&2; exit 3")

    assert ("exit code 3\nout\nerr", False) == (plain_text(output.parts), output.ok)
    assert "exit code 0\n(no output)" == await told(shell, command="true")


async def test_no_key_reaches_a_command(shell: Shell) -> None:
    """
    The environment is cleared inside and outside.
    """
    text = await told(shell, command="env")

    assert "do-not-show" not in text
    assert "TERM=dumb" in text


async def test_time_is_limited_and_what_was_written_is_told(shell: Shell) -> None:
    """
    After its time a command is stopped, with its children; the output so far is not lost.
    """
    output = await run(shell, command="echo begun; sleep 60 & sleep 60", seconds=1)

    assert plain_text(output.parts).startswith("stopped after 1 seconds, the time limit\nbegun")
    assert not output.ok


async def test_cancelling_takes_effect_at_once_and_leaves_nothing(shell: Shell, tmp_path: Path) -> None:
    """
    Also a command that does not want to end is given up within 100 ms, and has ended soon after.
    """
    running = asyncio.create_task(run(shell, command="trap '' TERM; setsid sleep 62 & touch begun; sleep 62; sleep 62"))
    await asyncio.to_thread(wait_until, (tmp_path / "begun").exists)
    before = time.thread_time()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    used = time.thread_time() - before
    await shell.jobs.close()

    assert used < 0.1
    assert wait_until(lambda: not sleeping("62"))


async def test_stopping_while_the_sandbox_is_made_leaves_nothing(shell: Shell, tmp_path: Path) -> None:
    """
    Whenever a command is stopped, right after its start too, nothing of it runs on.
    """
    for milliseconds in range(0, 20, 2):
        job = await shell.start("sleep 63; touch ended", tmp_path, most=100)
        await job.wait_for_news(milliseconds / 1000)
        job.stop()
        await job.ended.wait()

    assert wait_until(lambda: not sleeping("63"))


async def test_long_output_is_kept_up_to_a_bound(shell: Shell) -> None:
    """
    Of more than four megabytes the beginning and the end are told, and how much is missing.
    """
    text = await told(shell, command="echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo last")

    assert text.startswith("exit code 0\nfirst\nx")
    assert text.endswith("xlast")
    assert " bytes left out …]" in text
    assert len(text) < MOST_OUTPUT + 200


async def test_a_command_in_the_background_is_read_and_stopped(shell: Shell) -> None:
    """
    It is started and named; new output is told once; stopping tells the rest.
    """
    reading, stopping = ShellRead(shell.jobs), ShellStop(shell.jobs)
    started = await told(shell, command="echo one; sleep 60", background=True)

    assert started.startswith("Started in the background as job-1.")
    assert "job-1 is running\none" == await told(reading, job="job-1", seconds=10)
    assert "job-1 is running\n(no new output)" == await told(reading, job="job-1")
    assert (await told(stopping, job="job-1")).startswith("job-1 has ended: ")
    assert (await told(reading, job="job-1")).endswith("\n(no new output)")


async def test_reading_and_stopping_need_no_permission() -> None:
    """
    Both are about what a person allowed before; a job that is not there is an error with the names of those that are.
    """
    shell = Shell(Path("/"), OPEN, environment=ENVIRONMENT)
    await run(shell, command="exec sleep 60", background=True)
    asks = [await asked(tool, job="job-1") for tool in (ShellRead(shell.jobs), ShellStop(shell.jobs))]
    with pytest.raises(ToolFailed, match="Jobs of this agent: job-1"):
        await asked(ShellRead(shell.jobs), job="job-2")
    await shell.jobs.close()

    assert ["allow", "allow"] == [Permissions().decide(ask) for ask in asks]
    assert [("job-1",)] * 2 == [ask.subjects for ask in asks]


async def test_a_person_is_asked_with_the_very_command(tmp_path: Path) -> None:
    """
    Everything is shown, what cannot be seen too; what may be a surprise is named.
    """
    ask = await asked(Shell(tmp_path, FOUND, environment={}), command="echo a\x1b[2J\nrm $b")

    assert "run echo a␛[2J (and 1 more lines)" == ask.title
    assert ask.detail.startswith("echo a␛[2J\nrm $b\n# may do more than it says: ")
    assert ("command", True, False) == (ask.form, ask.opaque, ask.reads_only)
    assert "ask" == Permissions().decide(ask)


async def test_a_person_is_told_where_a_command_runs(tmp_path: Path) -> None:
    """
    No sandbox, the network, another folder, the background: each is a line below the command.
    """
    (tmp_path / "a").mkdir()
    inside = Sandbox(program="/usr/bin/bwrap", said="inside")
    plain = await asked(Shell(tmp_path, inside, environment={}), command="make")
    networked = await asked(Shell(tmp_path, inside, network=True, environment={}), command="make")
    bare = await asked(Shell(tmp_path, OPEN, environment={}), command="make", folder="a", background=True)

    assert "make" == plain.detail
    assert "make\n# with the network" == networked.detail
    assert "make\n# in the folder a\n# in the background\n# No sandbox: for a test." == bare.detail


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "  "},
        {"command": "a\0b"},
        {"command": "a" * (LONGEST + 1)},
        {"command": "a", "folder": ".."},
        {"command": "a", "folder": "/etc"},
        {"command": "a", "folder": "none"},
        {"command": "a", "folder": "link"},
        {"command": "a", "folder": "file"},
        {"command": "a", "folder": "\0"},
        {"command": "a", "seconds": -1},
        {"command": "a", "seconds": 10_000},
        {"command": "a", "sudo": True},
        {},
    ],
)
async def test_what_cannot_be_run_is_refused_before_anyone_is_asked(
    arguments: dict[str, object], tmp_path: Path
) -> None:
    """
    Empty, too long, out of the workspace, too patient: the model is told what to send instead.
    """
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("/etc")

    with pytest.raises(ToolFailed):
        await asked(Shell(tmp_path, OPEN, environment={}), **arguments)


async def test_a_folder_of_the_workspace_can_be_chosen(shell: Shell, tmp_path: Path) -> None:
    """
    The command runs there.
    """
    (tmp_path / "a b").mkdir()

    assert f"exit code 0\n{tmp_path}/a b" == await told(shell, command="pwd", folder="a b")


@confined
def test_no_command_outlives_an_agent_that_is_killed(tmp_path: Path) -> None:
    """
    In the sandbox nothing is left after `kill -9` of the agent, not even what went to a session of its own.
    """
    agent = subprocess.Popen([sys.executable, "-c", AGENT, str(tmp_path)])
    wait_until((tmp_path / "started").exists)
    agent.send_signal(signal.SIGKILL)
    agent.wait()

    assert wait_until(lambda: not sleeping("61"))


@confined
@pytest.mark.parametrize("milliseconds", [0, 2, 4, 6, 8, 10, 15, 20, 30, 50])
def test_no_command_outlives_an_agent_that_is_killed_while_the_sandbox_is_made(
    tmp_path: Path, milliseconds: int
) -> None:
    """
    Bubblewrap has two processes, and for a while the second would go on without the first.
    """
    agent = subprocess.Popen([sys.executable, "-c", AT_ONCE, str(tmp_path), str(milliseconds)])
    agent.wait()

    assert wait_until(lambda: not sleeping("64"))


@confined
def test_a_command_ends_with_the_pipe_that_its_agent_held(tmp_path: Path) -> None:
    """
    An agent dies thread by thread, and a sandbox made meanwhile may have missed it: the pipe closes with the last one.
    """
    order = FOUND.around(guarded("/bin/bash", "exec sleep 66"), root=tmp_path, folder=tmp_path, network=False)
    with subprocess.Popen(order, stdin=subprocess.PIPE, env=ENVIRONMENT) as process:
        wait_until(lambda: bool(sleeping("66")))
        assert process.stdin is not None
        process.stdin.close()
        assert 128 + signal.SIGKILL == process.wait(timeout=30)

    assert not sleeping("66")


@pytest.mark.parametrize(
    ("code", "words"),
    [(0, "exit code 0"), (-9, "killed by SIGKILL"), (-63, "killed by signal 63"), (None, "exit code None")],
)
def test_endings_are_told_in_words(code: int | None, words: str) -> None:
    """
    A signal is named.
    """
    assert words == ending(code)


def sleeping(seconds: str) -> list[int]:
    """Processes that sleep so many seconds."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes() == f"sleep\0{seconds}\0".encode() and alive(int(path.parent.name)):
                found.append(int(path.parent.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found
