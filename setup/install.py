"""`make install` and `make uninstall`: the command `holdfast` for one user.

It runs from an environment of its own with a copy of the sources, so this checkout may be cleaned, moved
or deleted afterwards. A link in ~/.local/bin puts it on the PATH. Conversations and settings lie elsewhere
and are never touched.
"""

from __future__ import annotations

import os
import pwd
import shutil
import sys
from pathlib import Path

from environment import Environment, only_one
from packages import say


def main(arguments: list[str]) -> int:
    """Install, or remove what was installed."""
    home = Path(os.environ.get("HOME") or pwd.getpwuid(os.geteuid()).pw_dir)
    data = Path(os.environ.get("XDG_DATA_HOME") or "")
    # A relative path in XDG_DATA_HOME is to be ignored, says its specification.
    folder = (data if data.is_absolute() else home / ".local" / "share") / "holdfast"
    launcher = home / ".local" / "bin" / "holdfast"
    environment = Environment(folder / "venv", editable=False)
    refuse_foreign(home, launcher, environment)
    if arguments[0] == "uninstall":
        uninstall(launcher, environment)
    else:
        install(launcher, environment)
    return 0


def refuse_foreign(home: Path, launcher: Path, environment: Environment) -> None:
    """Stop before anything is done where something of somebody else would be changed."""
    if not home.is_dir():
        raise SystemExit(f"holdfast: the home folder {home} does not exist. Set HOME to yours.")
    if os.geteuid() == 0 and home.stat().st_uid != 0:
        raise SystemExit(f"holdfast: {home} belongs to another user than root. Run make without sudo.")
    if os.path.lexists(launcher) and not is_ours(launcher, environment):
        leads = f" leads to {launcher.readlink()} and" if launcher.is_symlink() else ""
        raise SystemExit(
            f"holdfast: {launcher}{leads} was not put there by make install.\n"
            f"holdfast: move it away, or remove it with the program that made it, then run make again."
        )


def is_ours(launcher: Path, environment: Environment) -> bool:
    """Whether the link leads into our environment, whether that still exists or not."""
    return launcher.is_symlink() and launcher.readlink() == environment.home / "bin" / "holdfast"


def install(launcher: Path, environment: Environment) -> None:
    """Bring the environment up to date, and put the command on the PATH."""
    environment.home.parent.mkdir(parents=True, exist_ok=True)
    launcher.parent.mkdir(parents=True, exist_ok=True)
    with only_one(environment.home.parent):
        took = None if environment.is_ready("run") else environment.build("run")
        if not is_ours(launcher, environment):
            launcher.symlink_to(environment.home / "bin" / "holdfast")
    if took is None:
        say(f"{launcher} is installed already, from these sources.")
    else:
        say(f"installed {launcher} in {took:.0f} s. It does not need this folder.")
    print_path(launcher)


def print_path(launcher: Path) -> None:
    """Say what to type; the shell may not look into the folder, or find another command first."""
    folders = [Path(each).expanduser() for each in os.environ.get("PATH", "").split(os.pathsep) if each]
    first = shutil.which("holdfast")
    if launcher.parent not in folders:
        say(f"{launcher.parent} is not on your PATH, so your shell does not find `holdfast` yet.")
        if Path(os.environ.get("SHELL", "")).name == "fish":
            say(f"type this once: fish_add_path {launcher.parent}")
        else:
            say(f"""add this line to ~/.profile and to the file of your shell, then open a new terminal:
  export PATH="{launcher.parent}:$PATH\"""")
        say(f"until then, type {launcher}")
    elif first and Path(first) != launcher:
        say(f"your shell finds {first} first. Remove that one, or type {launcher}")
    else:
        say("type `holdfast` in any folder to begin.")


def uninstall(launcher: Path, environment: Environment) -> None:
    """Remove the command and its environment, and nothing else."""
    found = [path for path in (launcher, environment.home) if os.path.lexists(path)]
    if not found:
        say("nothing to remove: `make install` has not installed anything here.")
        return
    launcher.unlink(missing_ok=True)
    if environment.home.exists():
        with only_one(environment.home.parent):
            shutil.rmtree(environment.home)
        if not any(environment.home.parent.iterdir()):
            environment.home.parent.rmdir()
    say(f"removed {' and '.join(map(str, found))}.")
    say("conversations (~/.holdfast) and settings (~/.config/holdfast) are kept.")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        sys.exit(f"holdfast: cannot {sys.argv[1]}: {error}")
    except KeyboardInterrupt:
        sys.exit("\nholdfast: interrupted; `make install` again finishes it.")
