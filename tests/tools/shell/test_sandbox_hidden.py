"""What a command never sees or changes, whatever is renamed, linked, mounted or made while it runs."""

import asyncio
import os
import pwd
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from holdfast.tools.files.sensitive import sensitive
from holdfast.tools.shell.hidden_places import FILES, FOLDERS
from holdfast.tools.shell.sandbox import Sandbox, find_sandbox
from holdfast.tools.shell.shell import Shell

confined = pytest.mark.skipif(not (FOUND := find_sandbox(os.environ)).confines, reason=FOUND.said)
PYTHON = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
SETTINGS, GRANTS, STORE = ".config/holdfast/config.toml", ".local/state/holdfast/workspaces/a.json", ".holdfast/log"
SECRETS = (SETTINGS, GRANTS, STORE, ".ssh/id_ed25519", ".cargo/credentials.toml", ".netrc")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with Holdfast's own files and a few secrets."""
    folder = tmp_path / "home"
    for each in SECRETS:
        (folder / each).parent.mkdir(parents=True, exist_ok=True)
        (folder / each).write_text("secret")
    return folder


def sandbox_of(home: Path, **environment: str) -> Sandbox:
    """The sandbox of somebody who lives in a folder."""
    own = [home / each for each in (".holdfast", ".config/holdfast", SETTINGS, ".local/state/holdfast")]
    return find_sandbox(
        {"PATH": os.environ["PATH"], "HOME": str(home), **environment},
        hidden=own,
        notes=home / ".local/state/holdfast/sandbox",
    )


async def started(sandbox: Sandbox, root: Path, script: str, *, network: bool = False) -> asyncio.subprocess.Process:
    """A script that runs, and that reads lines."""
    order = sandbox.around(["/bin/bash", "-c", script], root=root, folder=root, network=network)
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*order, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.STDOUT)


async def inside(sandbox: Sandbox, root: Path, script: str, *, network: bool = False) -> str:
    """What a script writes, with all it says of errors."""
    end = sandbox.hold(root)
    output, _ = await (await started(sandbox, root, script, network=network)).communicate()
    end()
    return output.decode().strip()


def contents(home: Path) -> Mapping[str, str]:
    """What the secrets are now."""
    return {each: (home / each).read_text() for each in SECRETS if (home / each).exists()}


RENAMED = {
    "as it is": ("true", "cat {}"),
    "the folder": ("mv .config x; mv .holdfast y; mv .local z; mv .ssh s; mv .cargo c; mv .netrc n", "cat */* n {}"),
    "the folder above": ("mv .config x; mv .local/state .local/t", "cat x/holdfast/* .local/t/holdfast/*/* {}"),
    "the place itself": ("mv .config/holdfast x; mv .holdfast y; mv .netrc n", "cat x/* y/* n {}"),
    "removed and made anew": (
        f"rm -rf .config .local .holdfast .ssh .netrc; mkdir -p .config/holdfast; echo evil > {SETTINGS}",
        "cat {}",
    ),
    "exchanged": ("mkdir -p new/holdfast; echo evil > new/holdfast/config.toml; mv --exchange new .config", "cat {}"),
    "a symbolic link": ("ln -s .config x; ln -s .config/holdfast y; ln -s .netrc n", "cat x/holdfast/* y/* n {}"),
    "a link in its place": ("mkdir x; rm -rf .config; ln -s x .config; ln -sfn x .holdfast", "cat x/* {}"),
    "a hard link": (f"ln {SETTINGS} x; ln .netrc n; ln {STORE} l; cp -al .config y", "cat x n l y/*/* {}"),
    "a mount": (
        """unshare -Urm sh -c 'umount .config/holdfast; umount .config; umount .netrc; cat .config/holdfast/*;
        mkdir m; mount --bind . m; cat m/.config/holdfast/* m/.netrc'""",
        "cat m/.config/holdfast/* {}",
    ),
    "through another process": ("true", "cat /proc/1/root$PWD/{} /proc/*/cwd/{} /proc/1/root/proc/1/root$PWD/.netrc"),
}


@confined
@pytest.mark.parametrize(("first", "second"), RENAMED.values(), ids=RENAMED)
async def test_hidden_places_stay_hidden_over_two_commands(home: Path, first: str, second: str) -> None:
    """
    Neither the first command nor the next one sees or changes a secret or what is Holdfast's own.
    """
    sandbox, before = sandbox_of(home), contents(home)
    outputs = [
        await inside(sandbox, home, f"({each.replace('{}', ' '.join(SECRETS))}) 2>/dev/null")
        for each in (first, second)
    ]
    again = await inside(sandbox_of(home), home, f"cat {' '.join(SECRETS)} 2>/dev/null; ls -A .config")

    assert [] == [each for each in (*outputs, again) if "secret" in each or "evil" in each]
    assert before == contents(home)


@confined
@pytest.mark.parametrize("at", [".", "..", "/"], ids=["home", "above", "root"])
async def test_hidden_places_are_hidden_from_every_workspace_around_them(
    home: Path, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    The workspace may be the home folder, the folder above it, or everything.
    """
    # The home folder of whoever runs the tests is part of everything, and is left alone.
    monkeypatch.setattr(pwd, "getpwuid", lambda user: pwd.struct_passwd(("x", "x", user, 0, "", str(home), "")))
    root = (home / at).resolve()
    sandbox, names = sandbox_of(home), " ".join(str(home / each) for each in SECRETS)
    script = f"mv {home}/.config {home}/x; mv {home} {home}2; cat {names} {home}/x/*/* {home}2/.config/*/* 2>/dev/null"

    assert "secret" not in await inside(sandbox, root, script)
    assert set(SECRETS) == set(contents(home))


PARENTS = (".cargo", ".config")
"""Not hidden, but on the way to what is."""


@confined
@pytest.mark.parametrize("place", [*PARENTS, ".ssh", ".netrc", ".aws", ".config/holdfast", ".holdfast"])
@pytest.mark.parametrize("how", ["mkdir -p {0}; echo evil > {0}/a", "echo evil > {0}", "mkdir x; ln -s x {0}"])
async def test_a_hidden_place_that_is_missing_cannot_be_made(tmp_path: Path, place: str, how: str) -> None:
    """
    What was not there when the command started is not made by it, and can still be made afterwards by its owner.
    """
    sandbox = sandbox_of(tmp_path)
    await inside(sandbox, tmp_path, how.format(place))
    made = [each for each in tmp_path.rglob("*") if each.is_file() and "evil" in each.read_text()]

    assert not (tmp_path / place).is_symlink()
    assert place in PARENTS or [] == made
    assert not (tmp_path / place).is_file()


@confined
@pytest.mark.parametrize("place", [".ssh/id", ".netrc", ".config/gh/hosts.yml", ".config/holdfast/config.toml"])
async def test_a_hidden_place_that_is_made_meanwhile_is_not_seen(tmp_path: Path, place: str) -> None:
    """
    A command that runs for long does not see the key that its owner makes beside it.
    """
    sandbox = sandbox_of(tmp_path)
    end = sandbox.hold(tmp_path)
    process = await started(sandbox, tmp_path, f"echo ready; read; cat {place} 2>/dev/null; echo looked")
    assert process.stdout is not None
    assert b"ready\n" == await process.stdout.readline()
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_text("secret\n")
    output, _ = await process.communicate(b"\n")
    end()

    assert b"looked\n" == output
    assert "secret\n" == (tmp_path / place).read_text()


@confined
async def test_what_is_made_for_a_command_is_gone_afterwards(tmp_path: Path) -> None:
    """
    No empty folders and files are left in a home folder, except for Holdfast's own; what somebody filled stays.
    """
    sandbox = sandbox_of(tmp_path)
    await inside(sandbox, tmp_path, "echo x > .cargo/config.toml")

    assert {".holdfast", ".config", ".local", ".cargo"} == {each.name for each in tmp_path.iterdir()}
    assert ["config.toml"] == os.listdir(tmp_path / ".cargo")
    assert [] == os.listdir(tmp_path / ".config/holdfast")


@confined
async def test_a_home_folder_whose_name_is_no_text_is_protected_as_well(tmp_path: Path) -> None:
    """
    Names of files are bytes; what was made there is found again and removed.
    """
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    out = await inside(sandbox_of(folder), folder, "mkdir .aws/x; ls .aws; echo evil > .netrc")

    assert out.startswith("x")
    assert {".holdfast", ".config", ".local"} == {each.name for each in folder.iterdir()}


@confined
async def test_two_commands_share_what_is_made_for_them(tmp_path: Path) -> None:
    """
    The first that ends takes nothing away from the other.
    """
    sandbox, other = sandbox_of(tmp_path), sandbox_of(tmp_path)
    first, second = sandbox.hold(tmp_path), other.hold(tmp_path)
    first()
    assert (tmp_path / ".ssh").is_dir()
    second()

    assert not (tmp_path / ".ssh").exists()


@confined
async def test_what_a_killed_process_left_is_removed(home: Path) -> None:
    """
    The next start removes it, also where the workspace is another then.
    """
    program = "from pathlib import Path; from tests.tools.shell.test_sandbox_hidden import sandbox_of; import os, sys\n"
    program += "sandbox_of(Path(sys.argv[1])).hold(Path(sys.argv[1])); os._exit(9)"
    subprocess.run(
        ["python3", "-c", program, home],
        check=False,
        env={**os.environ, "PYTHONPATH": ":".join(__import__("sys").path)},
    )
    assert (home / ".aws").is_dir()
    sandbox_of(home)

    assert not (home / ".aws").exists()
    assert "secret" == (home / ".netrc").read_text()


@confined
async def test_a_link_to_a_hidden_place_cannot_be_replaced(home: Path) -> None:
    """
    Where `.config` is a link into another folder of the workspace, neither the link nor that folder can be moved.
    """
    (home / "dotfiles").mkdir()
    (home / ".config").rename(home / "dotfiles/config")
    (home / ".config").symlink_to("dotfiles/config")
    sandbox = sandbox_of(home)
    script = "mv dotfiles x; mv dotfiles/config y; rm -f .config; mkdir -p .config/holdfast; echo evil > " + SETTINGS
    out = await inside(sandbox, home, f"({script}) 2>/dev/null; echo new > dotfiles/a; cat .config/holdfast/*")

    assert "secret" not in out
    assert "new\n" == (home / "dotfiles/a").read_text()
    assert (home / ".config").is_symlink()
    assert "secret" == (home / SETTINGS).read_text()


@confined
async def test_a_link_to_a_secret_may_go_and_the_secret_stays_hidden(home: Path) -> None:
    """
    Where `.ssh` is a link, what it led to is hidden also after the link was renamed.
    """
    (home / "dotfiles").mkdir()
    (home / ".ssh").rename(home / "dotfiles/ssh")
    (home / ".ssh").symlink_to("dotfiles/ssh")
    first = await inside(sandbox_of(home), home, "mv .ssh s; cat s/*; mv dotfiles/ssh t; cat t/*")
    second = await inside(sandbox_of(home), home, "cat s/* dotfiles/ssh/*")

    assert "secret" not in first + second


@confined
@pytest.mark.skipif(os.getuid() != 0, reason="only root mounts")
async def test_a_place_that_is_mounted_twice_is_hidden_twice(home: Path) -> None:
    """
    A second mount of the disk or of a folder gives a place a second name.
    """
    (home / "m").mkdir()
    command = ["unshare", "-m", "--propagation", "private", sys.executable, "-c"]
    program = "import asyncio, subprocess, sys; from pathlib import Path\n"
    program += "from tests.tools.shell.test_sandbox_hidden import *\n"
    program += (
        "home = Path(sys.argv[1]); subprocess.run(['mount', '--bind', home / '.config', home / 'm'], check=True)\n"
    )
    program += "print(asyncio.run(inside(sandbox_of(home), home, 'cat m/*/*; mv m n; ls -A m')))"
    done = subprocess.run(
        [*command, program, home],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": ":".join(__import__("sys").path)},
    )

    assert "holdfast" in done.stdout
    assert "secret" not in done.stdout


@confined
@pytest.mark.parametrize("root", ["/", "/dev", "/dev/shm", "/proc", "/sys"])
async def test_a_workspace_around_devices_and_processes_has_them(root: str) -> None:
    """
    What every sandbox has of its own is there also where the workspace contains it.
    """
    out = await inside(FOUND, Path(root), "echo x > /dev/null && ls -d /proc/self && ls -d /proc/[0-9]* | wc -l")

    assert "/proc/self" == out.split("\n")[0]
    assert int(out.split("\n")[1]) < 10


@pytest.fixture
def corner() -> Iterator[Path]:
    """A folder outside of every folder that is empty in a sandbox."""
    folder = Path("/srv" if os.access("/srv", os.W_OK) else Path.cwd()) / f"holdfast-test-{os.getpid()}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


@confined
async def test_the_shell_tool_hides_them_too(home: Path) -> None:
    """
    It makes ready what is missing before each command, and takes it away before the result is told.
    """
    shell = Shell(home, sandbox_of(home), network=True, environment={**os.environ, "HOME": str(home)})
    ran = [
        await shell.finish(await shell.start(command, home, most=10_000), 9, lambda _: None)
        for command in ("mv .config x; ls -d .aws; echo evil > .aws", f"cat x/*/* {SETTINGS}; echo looked")
    ]
    first, second = ran
    await shell.jobs.close()

    assert ".aws" in str(first)
    assert "looked" in str(second)
    assert "secret" not in str((first, second))
    assert not (home / ".aws").exists()
    assert set(SECRETS) == set(contents(home))


@confined
@pytest.mark.parametrize("network", [False, True])
async def test_sockets_outside_the_workspace_cannot_be_reached(corner: Path, *, network: bool) -> None:
    """
    A program that listens outside, under a path or an abstract name, hears nothing; one in the workspace does.
    """
    (corner / "work").mkdir()
    names = [str(corner / "a"), str(corner / "work/b"), f"\0holdfast-{os.getpid()}"]
    servers = []
    for name in names:
        servers.append(socket.socket(socket.AF_UNIX))
        servers[-1].bind(name)
        servers[-1].listen()
    lines = ["import socket", f"for name in {names!r}:", "  try: socket.socket(socket.AF_UNIX).connect(name)"]
    lines += ["  except OSError: print('refused')", "  else: print('reached')"]
    (corner / "work/connect.py").write_text("\n".join(lines))
    out = await inside(FOUND, corner / "work", "exec /usr/bin/env python3 connect.py", network=network)
    for each in servers:
        each.close()

    assert ["refused", "reached", "refused"] == out.split()


@confined
async def test_without_landlock_no_unix_socket_is_opened_beside_the_network(tmp_path: Path) -> None:
    """
    On an older kernel a filter refuses them, except for pairs that lead nowhere else.
    """
    script = """import socket
for what in ((socket.AF_UNIX,), (socket.AF_INET,)):
    try: socket.socket(*what) and print("ok")
    except OSError as error: print(error.strerror)
for kind in (socket.SOCK_STREAM, socket.SOCK_STREAM | socket.SOCK_NONBLOCK, socket.SOCK_DGRAM):
    try: socket.socketpair(socket.AF_UNIX, kind) and print("ok")
    except OSError as error: print(error.strerror)
"""
    python = os.path.realpath(sys.executable)  # the environment may lie in a folder that is hidden
    order = FOUND.around([python, "-c", script], root=tmp_path, folder=tmp_path, network=True)
    order.insert(4, "--filter")
    process = await asyncio.create_subprocess_exec(*order, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    refused = "Address family not supported by protocol"

    assert [refused, "ok", "ok", "ok", refused] == output.decode().splitlines()


@confined
async def test_pipes_outside_the_workspace_cannot_be_reached(corner: Path) -> None:
    """
    What is written into a named pipe outside goes nowhere; one in the workspace works.
    """
    (corner / "work").mkdir()
    ends = []
    for name in ("a", "work/b"):
        os.mkfifo(corner / name)
        ends.append(os.open(corner / name, os.O_RDWR | os.O_NONBLOCK))
    await inside(FOUND, corner / "work", "echo out > ../a; echo in > b")
    read = []
    for each in ends:
        try:
            read.append(os.read(each, 99))
        except BlockingIOError:
            read.append(b"")
        os.close(each)

    assert [b"", b"in\n"] == read


@confined
@pytest.mark.parametrize("root", ["/usr", "/"])
async def test_the_passwords_of_the_system_are_not_read(root: str) -> None:
    """
    Root's commands do not see them either, nor their copies.
    """
    out = await inside(
        FOUND, Path(root), "cat /etc/*shadow* /var/backups/* /etc/ssl/private/* 2>/dev/null; echo looked"
    )

    assert "looked" == out


@pytest.mark.parametrize("place", [*(f"{each}/x" for each in FOLDERS), *FILES])
def test_what_no_command_sees_is_read_by_file_tools_only_after_asking(place: str) -> None:
    """
    Both keep the same places.
    """
    assert sensitive(place)
    assert sensitive(f"home/{place}")
