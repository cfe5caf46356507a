"""What the model is told of the machine and the workspace, with real repositories."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from holdfast.assembly.surroundings import surroundings
from holdfast.context.system_text import system_text
from tests.assembly.workplace import Workplace

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    """A home and a workspace."""
    return Workplace(tmp_path)


def git(folder: Path, *words: str) -> str:
    """Run git, as nobody in particular."""
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false"]
    env = {"HOME": str(folder), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    ran = subprocess.run(["git", *who, *words], cwd=folder, env=env, capture_output=True, text=True, check=False)
    return ran.stdout.strip()


def state(folder: Path) -> list[str]:
    """The lines about git."""
    return [line.partition(" at the start: ")[2] for line in surroundings([folder]).splitlines() if "Git" in line]


def test_without_a_repository_nothing_is_said_of_one(tmp_path: Path) -> None:
    """
    Nor where what is there is none.
    """
    assert ["Operating system", "Shell of commands"] == [
        line.partition(":")[0] for line in surroundings([]).splitlines()
    ]
    for head in ("", "ref: elsewhere\n", "ref: refs/heads/a b\n", "x" * 10_000):
        (tmp_path / ".git").mkdir(exist_ok=True)
        (tmp_path / ".git" / "HEAD").write_text(head)
        assert [] == state(tmp_path)


@needs_git
def test_branch_and_state_are_those_of_git(tmp_path: Path) -> None:
    """
    Without a commit, with one, packed, in a worktree, detached, and within a merge.
    """
    git(tmp_path, "init", "-b", "main")
    assert ["main", "without a commit yet"] == state(tmp_path)

    git(tmp_path, "commit", "--allow-empty", "-m", "one")
    commit = git(tmp_path, "rev-parse", "HEAD")[:12]
    assert ["main", f"at commit {commit}"] == state(tmp_path)

    git(tmp_path, "pack-refs", "--all")
    assert ["main", f"at commit {commit}"] == state(tmp_path)

    git(tmp_path, "worktree", "add", "-b", "topic/deep", "beside")
    assert ["topic/deep", f"at commit {commit}"] == state(tmp_path / "beside")

    (tmp_path / ".git" / "MERGE_HEAD").write_text("0" * 40)
    assert ["main", f"at commit {commit}, a merge is not finished"] == state(tmp_path)

    (tmp_path / ".git" / "MERGE_HEAD").unlink()
    git(tmp_path, "checkout", "--detach")
    assert ["none, the head is detached", f"at commit {commit}"] == state(tmp_path)


def test_the_model_is_told_of_the_workspace_it_works_in(place: Workplace) -> None:
    """
    Behind everything that changes less often, and no program of the repository is started for it.
    """
    hidden = place.root / ".git"
    hidden.mkdir()
    (hidden / "HEAD").write_text("ref: refs/heads/main\n")
    (hidden / "config").write_text(f"[core]\nfsmonitor = touch {place.home}/started\n")
    (place.root / "AGENTS.md").write_text("Use tabs.")
    text = system_text(place.agent().engine.setup.briefing, tools=True)
    parts = (str(place.root), "Use tabs.", "Operating system: ", "Git branch at the start: main")

    assert sorted(found := [text.index(part) for part in parts]) == found
    assert not (place.home / "started").exists()
