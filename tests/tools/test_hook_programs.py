"""Hooks that are programs: JSON in, JSON out, bounded in time and size, and nothing left behind."""

import asyncio
import json
import os
import sys
from pathlib import Path

import msgspec
import pytest

from holdfast.agent.user_hooks import Happening, HookAnswer
from holdfast.errors import HoldfastError
from holdfast.tools.hook_programs import MOST_BYTES, HookProgram
from tests.tools.waiting import all_gone

TOLD = Happening(on="before_tool", tool="shell", arguments=msgspec.Raw(b'{"command":"ls"}'), subjects=("ls",))


def program(tmp_path: Path, text: str, *, seconds: float = 20.0) -> HookProgram:
    """A hook that is a few lines of Python."""
    (tmp_path / "guard.py").write_text(text)
    return HookProgram(
        "before_tool",
        (sys.executable, "-I", "guard.py"),
        tools=("shell", "mcp_*"),
        seconds=seconds,
        folder=tmp_path,
        environment={"PATH": os.defpath, "MINE": "1"},
    )


async def failure(hook: HookProgram) -> str:
    """How it fails."""
    with pytest.raises(HoldfastError) as failed:
        await hook.run(TOLD)
    return str(failed.value)


async def test_a_program_is_told_and_answers(tmp_path: Path) -> None:
    """
    One JSON object each way, in the workspace, with the user's environment.
    """
    hook = program(
        tmp_path,
        "import json, os, sys\n"
        "told = json.load(sys.stdin)\n"
        "words = f\"{told['on']} {told['tool']} {told['arguments']['command']} {told['subjects']}\"\n"
        "print(json.dumps({'context': words, 'arguments': {'command': os.getcwd() + os.environ['MINE']}}))\n",
    )

    answer = await hook.run(TOLD)

    assert "before_tool shell ls ['ls']" == answer.context
    assert {"command": f"{tmp_path.resolve()}1"} == json.loads(bytes(answer.arguments))


async def test_a_program_that_says_nothing_says_nothing(tmp_path: Path) -> None:
    """
    Also one that does not read what it is told.
    """
    assert HookAnswer() == await program(tmp_path, "").run(TOLD)
    assert HookAnswer() == await program(tmp_path, "print()").run(TOLD)


def test_a_program_is_about_its_tools(tmp_path: Path) -> None:
    """
    By name or pattern; at its own occasion only.
    """
    hook = program(tmp_path, "")

    assert "guard.py" == hook.name
    assert hook.wants("before_tool", "shell")
    assert hook.wants("before_tool", "mcp_files_read")
    assert not hook.wants("before_tool", "read_file")
    assert not hook.wants("after_tool", "shell")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import sys; sys.stderr.write('No\\nway.'); sys.exit(2)", "It ended with 2: No way."),
        ("raise SystemExit(3)", "It ended with 3."),
        ("print('yes')", "Its answer is not understood"),
        ('print(\'{"denny": "no"}\')', "denny"),
        ("print('{\"deny\": 1}')", "Its answer is not understood"),
        ("print('{\"arguments\": [1]}')", "Its `arguments` are not an object."),
        ('import sys; sys.stdout.buffer.write(b\'{"arguments": {"a": "\\xff"}}\')', "Its answer is not understood"),
        (f"print('x' * {MOST_BYTES + 1})", "It wrote more than 256,000 bytes."),
        ("import os; os.kill(os.getpid(), 9)", "It ended with -9."),
    ],
)
async def test_how_a_program_fails(tmp_path: Path, text: str, why: str) -> None:
    """
    Anything but a clean end with an answer that is understood to the last word is a failure.
    """
    assert why in await failure(program(tmp_path, text))


async def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    """
    The message says which setting is wrong.
    """
    hook = HookProgram("turn_end", ("/nowhere/guard",), seconds=1, folder=tmp_path, environment={})

    assert "Check `hooks` in your settings." in await failure(hook)
    assert "guard" == hook.name


async def test_a_program_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    """
    Nothing of it runs on.
    """
    text = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True)\n"
        "open('pids', 'w').write(f'{os.getpid()} {child.pid}')\n"
        "time.sleep(60)\n"
    )

    assert "It took more than 3 s." == await failure(program(tmp_path, text, seconds=3))
    assert all_gone(*map(int, (tmp_path / "pids").read_text().split()))


async def test_a_stop_ends_the_program(tmp_path: Path) -> None:
    """
    Whoever waits for it is free at once.
    """
    os.mkfifo(tmp_path / "pid")
    text = "import os, time\nwith open('pid', 'w') as pipe:\n    pipe.write(str(os.getpid()))\ntime.sleep(60)\n"
    task = asyncio.create_task(program(tmp_path, text).run(TOLD))
    pid = int(await asyncio.to_thread((tmp_path / "pid").read_text))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert all_gone(pid)
