"""What a person allowed always: theirs, for one workspace, and brought along by nothing."""

import os
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from holdfast.agent.permissions import Rule
from holdfast.config.grants import add_grants, load_grants, save_grants
from holdfast.config.workspace_identity import workspace_identity
from holdfast.errors import BadInput, BadSetting, NotWritten

MAKE = Rule(tool="shell", pattern="make test", decision="allow")
LIST = Rule(tool="shell", pattern="ls", decision="allow")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The user's folder, which is made when it is needed."""
    return tmp_path / "state" / "holdfast"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace."""
    (tmp_path / "boat" / ".git").mkdir(parents=True)
    return tmp_path / "boat"


def loaded(state: Path, root: Path) -> tuple[Rule, ...]:
    """What is allowed in a workspace."""
    return load_grants(state, workspace_identity(root, state), root)


def save(state: Path, root: Path, *rules: Rule) -> Path:
    """Keep rules for a workspace; gives the file."""
    identity = workspace_identity(root, state)
    save_grants(state, identity, root, rules)
    return state / "workspaces" / f"{identity}.json"


def test_what_was_allowed_is_allowed_the_next_time(state: Path, root: Path) -> None:
    """
    And nothing is, before anything was.
    """
    before = loaded(state, root)
    save(state, root, MAKE)

    assert ((), (MAKE,)) == (before, loaded(state, root))


def test_saving_replaces_and_adding_adds(state: Path, root: Path) -> None:
    """
    What is saved is all there is; what is added is there once.
    """
    save(state, root, MAKE)
    save(state, root, LIST)
    added = add_grants(state, workspace_identity(root, state), root, (MAKE, LIST))

    assert (LIST, MAKE) == added == loaded(state, root)


def test_it_is_for_its_owner_alone(state: Path, root: Path) -> None:
    """
    File and folders can be read and written by nobody else, and no half-written file is left.
    """
    file = save(state, root, MAKE)

    assert 0o600 == stat.S_IMODE(file.stat().st_mode)
    assert 0o700 == stat.S_IMODE(file.parent.stat().st_mode) == stat.S_IMODE(state.stat().st_mode)
    assert [file.name] == os.listdir(file.parent)


def test_it_moves_with_the_workspace(state: Path, root: Path, tmp_path: Path) -> None:
    """
    A renamed folder is the same workspace.
    """
    save(state, root, MAKE)
    moved = root.rename(tmp_path / "ship")

    assert (MAKE,) == loaded(state, moved)
    assert (MAKE, LIST) == add_grants(state, workspace_identity(moved, state), moved, (LIST,))


def test_a_copy_is_asked_about_again(state: Path, root: Path, tmp_path: Path) -> None:
    """
    A copy may become something else.
    """
    save(state, root, MAKE)
    copy = shutil.copytree(root, tmp_path / "copy")

    assert ((), (MAKE,)) == (loaded(state, copy), loaded(state, root))


def test_another_user_has_none_of_it(root: Path, tmp_path: Path) -> None:
    """
    A checked-in id brings no permission to who clones it: that lies in the folder of who gave it.
    """
    (root / ".git").rmdir()
    save(tmp_path / "alice", root, MAKE)
    clone = shutil.copytree(root, tmp_path / "clone")
    shutil.rmtree(root)

    assert () == loaded(tmp_path / "bob", clone)


def test_who_copies_an_id_gets_nothing(state: Path, root: Path, tmp_path: Path) -> None:
    """
    A folder that says it is a workspace, while that workspace is there, is not believed and changes nothing.
    """
    save(state, root, MAKE)
    identity = workspace_identity(root, state)
    thief = tmp_path / "thief"
    (thief / ".git").mkdir(parents=True)
    (thief / ".git" / "holdfast-id").write_text(f"{identity}\n/gone/away\n")

    assert identity == workspace_identity(thief, state)
    assert () == loaded(state, thief)
    with pytest.raises(BadInput, match="says that it is the workspace at"):
        save(state, thief, LIST)
    assert (MAKE,) == loaded(state, root)


@pytest.mark.parametrize("identity", ["", "..", "../x", "A" * 32, "a" * 33])
def test_an_id_is_no_path(state: Path, root: Path, identity: str) -> None:
    """
    What a workspace says of itself leads nowhere but to its own file.
    """
    with pytest.raises(BadInput, match="is no id of a workspace"):
        load_grants(state, identity, root)


@pytest.mark.parametrize("decision", ["ask", "deny"])
def test_only_what_is_allowed_is_kept(state: Path, root: Path, decision: str) -> None:
    """
    Rules that tighten belong into the settings, where they can be seen.
    """
    with pytest.raises(BadInput, match="Only what is allowed is kept"):
        save(state, root, Rule(tool="shell", decision=decision))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"root": 1}', b"\xff"])
def test_a_damaged_file_allows_nothing_and_says_so(state: Path, root: Path, text: bytes) -> None:
    """
    The hint is to remove it: then it is asked again.
    """
    file = save(state, root, MAKE)
    file.write_bytes(text)

    with pytest.raises(BadSetting, match="is damaged"):
        loaded(state, root)


def test_a_root_that_is_no_path_is_nobodys(state: Path, root: Path) -> None:
    """
    Rules of a folder that cannot be there are those of one that has moved here.
    """
    file = save(state, root, MAKE)
    file.write_bytes(file.read_bytes().replace(str(root).encode(), b"\\u0000"))

    assert (MAKE,) == loaded(state, root)


@pytest.mark.parametrize("how", ["folder", "loop", "no folder"])
def test_a_file_that_cannot_be_read_allows_nothing_and_says_so(state: Path, root: Path, how: str) -> None:
    """
    The user is told which it is and what to do, and nothing is taken for allowed.
    """
    file = save(state, root, MAKE)
    file.unlink()
    match how:
        case "folder":
            file.mkdir()
        case "loop":
            file.symlink_to(file)
        case _:
            file.parent.rmdir()
            file.parent.write_text("")

    with pytest.raises(BadSetting, match="cannot be read from") as refused:
        loaded(state, root)
    assert str(file) in refused.value.message
    assert "you will be asked again" in refused.value.hint


def test_a_pipe_in_its_place_is_not_waited_for(state: Path, root: Path) -> None:
    """
    Who can put one there does not stop every start.
    """
    file = save(state, root, MAKE)
    file.unlink()
    os.mkfifo(file, 0o600)

    with pytest.raises(BadSetting, match="is damaged"):
        loaded(state, root)


def test_what_cannot_be_kept_is_said_in_our_words(state: Path, root: Path) -> None:
    """
    Nothing of it counts the next time, and the user is told why.
    """
    state.mkdir(parents=True)
    (state / "workspaces").write_text("")

    with pytest.raises(NotWritten, match=r"cannot be kept in .*: Not a directory"):
        save(state, root, MAKE)


def test_what_others_can_write_does_not_count(state: Path, root: Path) -> None:
    """
    A permission is the user's own, and nobody else's to give.
    """
    save(state, root, MAKE).chmod(0o620)

    with pytest.raises(BadSetting, match="can be written by others"):
        loaded(state, root)


def test_sessions_that_add_at_once_lose_nothing(state: Path, root: Path) -> None:
    """
    Each answer of a person is kept.
    """
    identity = workspace_identity(root, state)
    rules = [Rule(tool="shell", pattern=str(number), decision="allow") for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda rule: add_grants(state, identity, root, (rule,)), rules))

    assert set(rules) == set(loaded(state, root))


def test_a_folder_whose_name_is_no_text_can_have_them_too(state: Path, tmp_path: Path) -> None:
    """
    Names of folders are bytes.
    """
    root = tmp_path / os.fsdecode(b"caf\xe9")
    root.mkdir()
    save(state, root, MAKE)

    assert (MAKE,) == loaded(state, root)
