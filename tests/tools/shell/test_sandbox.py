"""What keeps commands in: found by trying it, and said plainly."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from holdfast.tools.shell.sandbox import Sandbox, cleared, find_sandbox

FOUND = find_sandbox(os.environ)
confined = pytest.mark.skipif(not FOUND.confines, reason=FOUND.said)


def a_program(folder: Path, text: str) -> Path:
    """A script called bwrap."""
    folder.mkdir(parents=True)
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    return program


async def inside(sandbox: Sandbox, root: Path, script: str, *, network: bool = False) -> str:
    """What a script writes, with all it says of errors."""
    order = sandbox.around(["/bin/sh", "-c", script], root=root, folder=root, network=network)
    process = await asyncio.create_subprocess_exec(
        *order, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    return output.decode().strip()


def test_a_machine_without_bubblewrap_is_told_so() -> None:
    """
    Without it commands run in the open, and one line says so and how to change it.
    """
    sandbox = find_sandbox({"PATH": "/nonexistent"})

    assert not sandbox.confines
    assert sandbox.said.startswith("No sandbox: bubblewrap is not installed")
    assert "\n" not in sandbox.said
    assert ["a", "b"] == sandbox.around(["a", "b"], root=Path("/x"), folder=Path("/x"), network=False)


def test_a_folder_of_programs_that_cannot_be_looked_at_is_left_out() -> None:
    """
    PATH may name folders of another user; a name too long for the system fails as such a folder does, also for root.
    """
    home = os.environ.get("HOME", "/root")
    sandbox = find_sandbox(
        {"PATH": f"{home}/{'x' * 300}:{os.environ['PATH']}", "HOME": home}, hidden=[Path("/" + "y" * 300)]
    )

    assert not [path for path in sandbox.shown if "x" * 300 in str(path)]
    assert sandbox.around(["a"], root=Path("/tmp"), folder=Path("/tmp"), network=False)[-1] == "a"


def test_bubblewrap_that_does_not_work_is_not_used(tmp_path: Path) -> None:
    """
    A program that is there and fails, as in many containers, is as good as none, and its reason is told.
    """
    a_program(tmp_path / "bin", "echo 'No permissions to create\na new namespace' >&2; exit 1")
    sandbox = find_sandbox({"PATH": str(tmp_path / "bin")})

    assert not sandbox.confines
    assert "(No permissions to create a new namespace)" in sandbox.said


def test_bubblewrap_that_fails_without_a_word_is_told_too(tmp_path: Path) -> None:
    """
    An exit code is a reason.
    """
    a_program(tmp_path / "bin", "exit 3")

    assert "(exit code 3)" in find_sandbox({"PATH": str(tmp_path / "bin")}).said


def test_a_file_that_is_no_program_is_told_too(tmp_path: Path) -> None:
    """
    What cannot be started at all is a reason as well.
    """
    a_program(tmp_path / "bin", "").write_bytes(b"\x7fELF")

    assert "bubblewrap does not work here" in find_sandbox({"PATH": str(tmp_path / "bin")}).said


def test_whether_it_works_is_tried_once(tmp_path: Path) -> None:
    """
    The second time costs nothing.
    """
    a_program(tmp_path / "bin", f"echo x >> {tmp_path}/tried; exit 0")
    for _ in range(3):
        find_sandbox({"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"})

    assert "x\n" == (tmp_path / "tried").read_text()


def test_no_key_is_in_the_environment_of_a_command() -> None:
    """
    A few names stay; everything else goes, whatever it is called.
    """
    environment = {
        "PATH": "/bin",
        "HOME": "/h",
        "LC_TIME": "C",
        "OPENAI_API_KEY": "x",
        "LD_PRELOAD": "x",
        "BASH_ENV": "x",
        "SSH_AUTH_SOCK": "x",
        "ANYTHING": "x",
    }
    kept = cleared(environment)

    assert {"PATH", "HOME", "LC_TIME", "TERM", "PAGER", "GIT_PAGER", "GIT_TERMINAL_PROMPT"} == set(kept)
    assert "dumb" == kept["TERM"]
    assert "PATH" in cleared({})


@confined
async def test_only_the_workspace_can_be_written(tmp_path: Path) -> None:
    """
    A file in the workspace is there afterwards; elsewhere nothing can be written, or it is gone.
    """
    root = tmp_path / "workspace"
    root.mkdir()
    out = await inside(FOUND, root, "echo a > a; echo b > /usr/b; echo c > /tmp/c; echo d > ../d; echo done")

    assert "a\n" == (root / "a").read_text()
    assert "done" in out
    assert [False] * 3 == [Path(each).exists() for each in ("/usr/b", "/tmp/c", tmp_path / "d")]


@confined
@pytest.mark.parametrize("network", [False, True])
async def test_the_settings_of_the_kernel_cannot_be_written(tmp_path: Path, *, network: bool) -> None:
    """
    They are files of root's that need no power of root's, and one of them names a program that the system runs outside.
    """
    files = "/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/vm/swappiness /sys/kernel/uevent_helper"
    script = f"for each in {files}; do (: >> $each) 2>/dev/null && echo $each; done; echo looked"  # opens, and no more

    assert "looked" == await inside(FOUND, tmp_path, script, network=network)


@confined
async def test_the_home_folder_is_not_seen_and_the_programs_in_it_are(tmp_path: Path) -> None:
    """
    Keys in a home folder are not there; the workspace and the folders of PATH below it are.
    """
    home = tmp_path / "home"
    for folder in (".ssh", "work", "bin"):
        (home / folder).mkdir(parents=True)
    (home / ".ssh/id").write_text("key")
    (home / "bin/tool").write_text("tool")
    sandbox = find_sandbox({"PATH": f"{home}/bin:{os.environ['PATH']}", "HOME": str(home)})
    out = await inside(sandbox, home / "work", f"ls -A {home}; cat {home}/bin/tool; echo x > {home}/bin/tool")

    assert "bin\nwork\ntool" == out.partition("/bin/sh")[0].strip()
    assert "tool" == (home / "bin/tool").read_text()


@confined
async def test_keys_are_hidden_also_where_the_home_folder_is_the_workspace(tmp_path: Path) -> None:
    """
    Who works in the home folder does not show keys, nor the conversations that Holdfast keeps there.
    """
    folders = (".ssh", ".holdfast", ".config/rclone", "notes")
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "file").write_text(folder)
    for name in (".netrc", ".bash_history"):
        (tmp_path / name).write_text("password")
    sandbox = find_sandbox({"PATH": os.environ["PATH"], "HOME": str(tmp_path)})
    out = await inside(sandbox, tmp_path, f"cat {'/file '.join(folders)}/file .netrc .bash_history 2>/dev/null")

    assert "notes" == out


@confined
async def test_what_else_is_to_be_hidden_is_hidden(tmp_path: Path) -> None:
    """
    The store may be anywhere, even around the workspace; the workspace itself is always seen.
    """
    root = tmp_path / "store/work"
    (root / "secret").mkdir(parents=True)
    (tmp_path / "store/log").write_text("log")
    (root / "secret/a").write_text("a")
    sandbox = find_sandbox(
        {"PATH": os.environ["PATH"], "HOLDFAST_STORE": str(tmp_path / "store")}, hidden=[root / "secret"]
    )
    out = await inside(sandbox, root, "ls .. ; ls secret; cat ../log 2>&1")

    assert "work" == out.split("\n")[0]
    assert "No such file" in out
    assert (tmp_path / "store/log").exists()


@confined
async def test_there_is_no_network_unless_asked_for(tmp_path: Path) -> None:
    """
    A server on this machine is out of reach; with the network it is not.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached'"

        assert "reached" not in await inside(FOUND, tmp_path, script)
        assert "reached" == await inside(FOUND, tmp_path, script, network=True)


@confined
async def test_other_programs_are_out_of_sight(tmp_path: Path) -> None:
    """
    Commands see their own processes only, have no sockets of the system, and no powers even as root.
    """
    out = await inside(FOUND, tmp_path, "ls -d /proc/[0-9]* | wc -l; ls -A /run | wc -l; grep CapEff /proc/self/status")
    processes, sockets, powers = out.split("\n")

    assert int(processes) < 10
    assert "0" == sockets
    assert 0 == int(powers.split()[1], 16)
