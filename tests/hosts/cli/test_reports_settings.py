"""`config`: every setting that counts here, and who said so."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.config.setting_names import KEYS
from tests.hosts.conftest import Ran
from tests.hosts.processes import COMMAND, environment, on_terminal


class Desk:
    """A home and a project, and the command run there."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "project"
        self.file = self.home / ".config" / "holdfast" / "config.toml"
        self.file.parent.mkdir(parents=True)
        (self.project / ".holdfast").mkdir(parents=True)

    def variables(self, **more: str) -> dict[str, str]:
        """What the command finds in its environment."""
        return environment(self.home / "store", **{"HOME": str(self.home), **more})

    def __call__(self, *words: str, **more: str) -> Ran:
        """Run the command in the project."""
        ran = subprocess.run(
            [*COMMAND, *words],
            check=False,
            cwd=self.project,
            env=self.variables(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    def json_of(self, *words: str, **more: str) -> Any:  # noqa: ANN401
        """What the command says to programs."""
        ran = self(*words, "--json", **more)
        assert (0, "") == (ran.code, ran.err)
        return json.loads(ran.out)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A home and a project without settings."""
    return Desk(tmp_path)


def test_every_setting_is_printed_with_its_origin(desk: Desk) -> None:
    """
    A line for each: what it is called, what it is, and where that came from.
    """
    desk.file.write_text('\nmodel = "a:b"\n[endpoints]\nollama = "http://10.0.0.7"\n')
    ran = desk("config", HOLDFAST_LIMITS_STEPS="7")
    lines = {line.split()[0]: line.split()[1:] for line in ran.out.splitlines()}

    assert (0, "") == (ran.code, ran.err)
    assert {name for name, key in KEYS.items() if not key.is_mapping} | {"endpoints.ollama"} == set(lines)
    assert ['"a:b"', f"{desk.file}:2"] == lines["model"]
    assert ["7", "HOLDFAST_LIMITS_STEPS"] == lines["limits.steps"]
    assert ["false", "default"] == lines["ui.bell"]
    assert ["not", "set", "default"] == lines["compaction.messages"]
    assert [f'"{desk.home}/store"', "HOLDFAST_STORE"] == lines["store"]


def test_an_option_is_an_origin_too(desk: Desk) -> None:
    """
    What this command line says is the strongest.
    """
    assert '"elsewhere"  --store\n' in desk("config", "store", "--store", "elsewhere").out


def test_one_setting_or_one_table(desk: Desk) -> None:
    """
    Only what was asked for is printed.
    """
    assert "limits.steps  50  default\n" == desk("config", "limits.steps").out
    assert ["retry.attempts", "retry.base", "retry.cap", "retry.idle"] == [
        line.split()[0] for line in desk("config", "retry").out.splitlines()
    ]
    assert Ran(0, "", "") == desk("config", "endpoints")


def test_each_part_of_a_setting_has_its_origin(desk: Desk) -> None:
    """
    Rules of both files stand below each other.
    """
    desk.file.write_text('[[permissions]]\ntool = "shell"\npattern = "make *"\ndecision = "allow"\n')
    project = desk.project / ".holdfast" / "config.toml"
    project.write_text('[[permissions]]\ntool = "*"\ndecision = "ask"\n')

    assert [f"permissions  allow shell make *  {desk.file}:1", f"permissions  ask * *             {project}:1"] == (
        desk("config", "permissions").out.splitlines()
    )


def test_a_slip_is_answered_with_the_nearest(desk: Desk) -> None:
    """
    What there is no setting for is said, with what was probably meant.
    """
    ran = desk("config", "limits.step")

    assert (2, "") == (ran.code, ran.out)
    assert "There is no setting `limits.step`.\nDid you mean `limits.steps`?" in ran.err


def test_secrets_are_never_printed(desk: Desk) -> None:
    """
    That a key is set is told, and not what it is; what servers are given is told by name.
    """
    desk.file.write_text('[mcp.x]\ncommand = "serve"\nenv = { ROOT = "/srv/hidden", A = "$KEY" }\n')
    plain = desk("config", OPENAI_API_KEY="precious", KEY="precious")
    found = desk.json_of("config", OPENAI_API_KEY="precious", KEY="precious")
    server = next(each for each in found["settings"] if each["key"] == "mcp.x")["value"]

    assert "OPENAI_API_KEY" in plain.out
    assert "set in the environment" in " ".join(plain.out.split())
    assert ["OPENAI_API_KEY"] == found["secrets"]
    assert {"ROOT": "(set)", "A": "$KEY"} == server["env"]
    assert not any(each in f"{plain.out}{found}" for each in ("precious", "hidden"))


def test_settings_for_programs(desk: Desk) -> None:
    """
    With --json: key, value, and each origin with its level, its place and its line.
    """
    desk.file.write_text("limits.cost = 2\n")
    found = desk.json_of("config", "limits.cost")

    assert {
        "settings": [
            {
                "key": "limits.cost",
                "value": 2.0,
                "origins": [{"level": "user", "place": str(desk.file), "line": 1}],
            }
        ]
    } == found
    assert len(KEYS) - 2 == len(desk.json_of("config")["settings"])


def test_the_files_that_are_looked_at(desk: Desk) -> None:
    """
    Also while one of them is wrong.
    """
    desk.file.write_text("nonsense")
    project = desk.project / ".holdfast" / "config.toml"

    assert f"user     {desk.file}\nproject  {project}  (not there)\n" == desk("config", "path").out
    assert {
        "workspace": str(desk.project),
        "files": [
            {"level": "user", "path": str(desk.file), "found": True},
            {"level": "project", "path": str(project), "found": False},
        ],
    } == desk.json_of("config", "path")


@pytest.mark.parametrize("words", [["config"], ["sessions"], ["stats"]])
def test_a_wrong_file_is_told_with_its_line(desk: Desk, words: list[str]) -> None:
    """
    Every command says it, on one line, with what to do on the next.
    """
    desk.file.write_text("\n[limits]\nstep = 3\n")

    assert (
        2,
        "",
        f"holdfast: {desk.file}:3: `limits.step` is no setting.\nDid you mean `limits.steps`?\n",
    ) == desk(*words)


def test_help_and_completion_need_no_settings(desk: Desk) -> None:
    """
    Who wrote a wrong file can still be helped.
    """
    desk.file.write_text("nonsense")

    assert [0, 0, 0] == [desk(*words).code for words in (["--help"], ["config", "--help"], ["completion", "bash"])]


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_settings_fit_the_terminal_where_it_has_room(desk: Desk, columns: int) -> None:
    """
    Values are cut to leave room; where they came from is there in full, on a line of its own if need be.
    """
    desk.file.write_text(f'instructions = "{"be kind " * 30}"\n')
    variables = desk.variables(NO_COLOR="1", HOLDFAST_CONFIG=str(desk.file))
    seen = on_terminal([*COMMAND, "config", "instructions"], variables, columns=columns)

    assert 0 == seen.code
    assert '"be kind' in seen.text
    assert f"{desk.file}:1" in seen.text
