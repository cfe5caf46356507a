"""`doctor`: what is here, what is missing, and how to mend it."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from holdfast.agent.permissions import Rule
from holdfast.commands.health.check_machine import EXTRAS
from holdfast.config.grants import save_grants
from holdfast.config.workspace_identity import workspace_identity
from holdfast.installation import PACKAGES, command_to_add
from tests.hosts.cli.test_reports_settings import Desk
from tests.hosts.processes import COMMAND, on_terminal

BROUGHT = {"markdown_it": "markdown_it_py", "splintr": "splintr_rs", "pydantic_ai": "pydantic_ai_slim"}
"""What packages are called that have modules of another name."""
QUIET = {"OLLAMA_HOST": "http://127.0.0.1:9"}
"""Nothing runs there, whatever runs on this machine."""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A home and a project without settings, with a script for a model."""
    made = Desk(tmp_path)
    (made.home / "script").write_text('{"say": "Ready."}\n')
    made.file.write_text(f'model = "scripted:{made.home}/script"\n')
    return made


def found(desk: Desk, *words: str, code: int = 0, **more: str) -> list[dict[str, Any]]:
    """What the doctor found."""
    ran = desk("doctor", "--json", *words, **QUIET, **more)
    assert (code, "") == (ran.code, ran.err)
    answer = json.loads(ran.out)
    assert (code == 0) is answer["good"]
    findings: list[dict[str, Any]] = answer["findings"]
    return findings


def of(findings: list[dict[str, Any]], area: str, level: str) -> list[str]:
    """What was found about something, with what to do about it."""
    return [f"{each['text']} | {each['mend']}" for each in findings if (each["area"], each["level"]) == (area, level)]


def test_everything_is_looked_at_and_nothing_is_changed(desk: Desk) -> None:
    """
    On a fresh machine nothing is a problem, and looking makes nothing.
    """
    before = sorted(desk.home.rglob("*"))
    findings = found(desk)

    assert ["environment", "settings", "store", "model", "sandbox", "servers", "packages"] == list(
        dict.fromkeys(each["area"] for each in findings)
    )
    assert before == sorted(desk.home.rglob("*"))


def test_what_is_broken_comes_with_how_to_mend_it(desk: Desk) -> None:
    """
    No warning and no problem is left alone.
    """
    desk.file.write_text('model = "nobody:x"\n[mcp.gone]\ncommand = "no-such-program"\n')
    findings = found(desk, code=1)

    assert [] == [each for each in findings if each["level"] != "ok" and not each["mend"]]


def test_for_eyes(desk: Desk) -> None:
    """
    Areas, marks and what to do; a last line sums it up, and nothing is wider than the terminal.
    """
    desk.file.write_text('[mcp.gone]\ncommand = "no-such-program"\n')
    seen = on_terminal([*COMMAND, "doctor"], desk.variables(NO_COLOR="1", **QUIET), columns=60)

    assert 1 == seen.code
    assert "servers\n  problem  gone: there is no program no-such-program\n           Install it, or" in seen.text
    assert "1 problem" in seen.text.splitlines()[-1]
    assert 60 >= max(map(len, seen.text.splitlines()))


def test_a_machine_where_all_is_well_is_told_so(desk: Desk) -> None:
    """
    Packages that are not installed are no fault; a machine without a sandbox is told that alone.
    """
    ran = desk("doctor", **QUIET)

    assert 0 == ran.code
    assert ran.err in {"Everything is as it should be.\n", "1 warning.\n"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", ":1: this is no TOML: "),
        ("modl = 1", ":1: `modl` is no setting. | Did you mean `model`?"),
        ('api_key = "abc"', ":1: `api_key` looks like a secret."),
    ],
)
def test_wrong_settings_are_a_problem_with_their_line(desk: Desk, text: str, said: str) -> None:
    """
    The doctor says it and goes on with what does not depend on them.
    """
    desk.file.write_text(text)
    findings = found(desk, code=1)

    assert said in of(findings, "settings", "problem")[0]
    assert "were not looked at" in of(findings, "settings", "warning")[0]
    assert [] == of(findings, "store", "ok")
    assert of(findings, "packages", "ok")


def test_what_the_doctor_says_brings_a_package_does_bring_it() -> None:
    """
    Each module is in one of the packages that the command names, or in the base install.
    """
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    named = {module: (*PACKAGES.get(what, (what,)), *project["dependencies"]) for module, (what, _) in EXTRAS.items()}
    brought = {
        module: [each for each in packages if each.replace("-", "_").startswith(BROUGHT.get(module, module))]
        for module, packages in named.items()
    }

    assert [] == [module for module, found_ in brought.items() if not found_]


def test_a_package_that_cannot_be_loaded_is_not_reported_as_good(desk: Desk, tmp_path: Path) -> None:
    """
    The real error is shown, and a missing library is named with the package that has it.
    """
    broken = tmp_path / "broken"
    for name, text in (
        ("xllamacpp", "raise ImportError('libgomp.so.1: cannot open shared object file: No such file or directory')"),
        ("splintr", "import os, signal; os.kill(os.getpid(), signal.SIGILL)"),
    ):
        (broken / name).mkdir(parents=True)
        (broken / name / "__init__.py").write_text(text)
    desk.file.write_text('model = "local:smollm2"\n')
    findings = found(desk, code=1, PYTHONPATH=str(broken))

    assert "cannot be loaded: ImportError: libgomp.so.1: cannot open shared" in of(findings, "model", "problem")[0]
    assert "apt-get install -y libgomp1" in of(findings, "model", "problem")[0]
    runtime, counter = of(findings, "packages", "warning")
    assert "xllamacpp is installed, but cannot be loaded: ImportError: libgomp.so.1: cannot open" in runtime
    assert "splintr is installed, but cannot be loaded: loading it ends the process with SIGILL" in counter
    assert counter.endswith(f"`{command_to_add('tokens')}`")


def test_where_values_came_from_is_counted(desk: Desk) -> None:
    """
    The files by name, and how many values each source has.
    """
    said = of(found(desk, HOLDFAST_UI_BELL="true"), "settings", "ok")

    assert f"the user's file: {desk.file} | " in said
    assert "values that are not the default: 1 from your file, 2 from the environment | " in said


def test_a_misspelt_variable_is_a_problem(desk: Desk) -> None:
    """
    It would otherwise do nothing, silently.
    """
    findings = found(desk, code=1, HOLDFAST_MODLE="x")

    assert ["HOLDFAST_MODLE is no setting. | Did you mean HOLDFAST_MODEL?"] == of(findings, "settings", "problem")


def test_text_that_is_no_utf8_is_a_warning(desk: Desk) -> None:
    """
    Other characters than those of English would be lost.
    """
    said = of(found(desk, LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="latin-1"), "environment", "warning")

    assert ["text is iso8859-1, so many characters cannot be shown"] == [each.partition(" | ")[0] for each in said]


def test_a_store_with_sessions(desk: Desk) -> None:
    """
    It can be written, has room, can lock, and can be listed; others can look into it is a warning.
    """
    store = desk.home / "store"
    store.mkdir(mode=0o700)
    before = of(found(desk), "store", "ok")
    store.chmod(0o755)
    warned = of(found(desk), "store", "warning")

    assert f"{store} can be written | " in before
    assert "0 sessions, and the list of them is up to date | " in before
    assert [f"other users can look into it | `chmod 700 {store}` keeps it to yourself."] == warned


def test_a_store_that_is_a_file_is_a_problem(desk: Desk) -> None:
    """
    Nothing could be kept there.
    """
    (desk.home / "store").write_text("")

    assert f"{desk.home / 'store'} is a file | " in of(found(desk, code=1), "store", "problem")[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_store_that_cannot_be_written_is_a_problem(desk: Desk) -> None:
    """
    The folder that would have to be written is named, also where the store itself is not there yet.
    """
    (desk.home / "sealed").mkdir(mode=0o500)
    findings = found(desk, code=1, HOLDFAST_STORE=str(desk.home / "sealed" / "store"))

    assert f"{desk.home / 'sealed'} cannot be written" in of(findings, "store", "problem")[0]


def test_a_session_that_keeps_nothing_needs_no_store(desk: Desk) -> None:
    """
    With persistence off, that is what is said.
    """
    assert ["nothing is kept, because persistence is off | "] == of(
        found(desk, HOLDFAST_PERSISTENCE="false"), "store", "ok"
    )


def test_which_model_would_answer_and_why(desk: Desk) -> None:
    """
    By name and with the reason; it is not asked.
    """
    said = of(found(desk), "model", "ok")

    assert [
        f"scripted:{desk.home}/script would answer: from the settings | ",
        "it was not asked; `holdfast doctor --ask` does | ",
    ] == said


def test_a_model_that_is_asked_answers(desk: Desk) -> None:
    """
    What it said is shown, with how long it took.
    """
    said = of(found(desk, "--ask"), "model", "ok")

    assert said[-1].startswith("it answered in ")
    assert said[-1].endswith(" s: Ready. | ")


def test_a_model_that_answers_without_a_word_is_a_warning(desk: Desk) -> None:
    """
    An answer of nothing is none that one could work with.
    """
    (desk.home / "script").write_text('{"think": "Hm."}\n')

    assert "it answered without a word" in of(found(desk, "--ask"), "model", "warning")[0]


def test_a_model_that_fails_is_a_problem(desk: Desk) -> None:
    """
    In the words of what went wrong.
    """
    desk.file.write_text('model = "openai:gpt-x"\nendpoints.openai = "http://127.0.0.1:9/v1"\n')

    assert 1 == len(of(found(desk, "--ask", code=1, OPENAI_API_KEY="x"), "model", "problem"))


@pytest.mark.parametrize(
    ("model", "said"),
    [("nobody:x", "No service is known"), ("groq:llama-x", "There is no key for"), ("scripted:/nowhere", "")],
)
def test_a_model_that_cannot_be_asked_is_a_problem(desk: Desk, model: str, said: str) -> None:
    """
    An unknown service, a missing key, a file that is not there: each before anything is sent.
    """
    desk.file.write_text(f'model = "{model}"\n')

    assert said in of(found(desk, code=1), "model", "problem")[0]


@pytest.mark.parametrize(
    "setting", ['fallbacks = ["nobody:x"]', 'title_model = "nobody:x"', 'summary_model = "nobody:x"']
)
def test_a_model_for_something_else_is_checked_too(desk: Desk, setting: str) -> None:
    """
    It is needed when something else has failed already, or when nobody looks.
    """
    desk.file.write_text(f"{desk.file.read_text()}{setting}\n")

    assert "No service is known" in of(found(desk, code=1), "model", "problem")[0]


def test_a_fallback_that_has_no_key_is_a_problem(desk: Desk) -> None:
    """
    Found when it is needed, it would be too late; the model that answers is looked at all the same.
    """
    desk.file.write_text(f'{desk.file.read_text()}fallbacks = ["groq:llama-x"]\n')
    said = found(desk, code=1)

    assert (
        "groq:llama-x is asked when others cannot be reached: There is no key for Groq."
        in of(said, "model", "problem")[0]
    )
    assert 2 == len(of(said, "model", "ok"))


def test_what_is_allowed_always_is_looked_at(desk: Desk) -> None:
    """
    How much it is; and a file of it that is damaged would let no conversation begin.
    """
    state, identity = (
        desk.home / ".local" / "state" / "holdfast",
        workspace_identity(desk.project, desk.home / ".local" / "state" / "holdfast"),
    )
    assert not any("allowed always" in each for each in of(found(desk), "settings", "ok"))

    save_grants(state, identity, desk.project, [Rule(tool="shell", pattern="ls", decision="allow")])
    assert "allowed always in this workspace: 1 rule" in of(found(desk), "settings", "ok")[-1]

    (state / "workspaces" / f"{identity}.json").write_text("{")
    assert "is damaged. | Remove it" in of(found(desk, code=1), "settings", "problem")[0]


def test_the_sandbox(desk: Desk) -> None:
    """
    Without a program for it: a warning, a problem where it is required, and said where it is off.
    """
    auto = of(found(desk, PATH="/nowhere"), "sandbox", "warning")
    required = of(found(desk, code=1, PATH="/nowhere", HOLDFAST_TOOLS_SHELL_SANDBOX="require"), "sandbox", "problem")
    off = of(found(desk, PATH="/nowhere", HOLDFAST_TOOLS_SHELL_SANDBOX="off"), "sandbox", "warning")

    assert auto[0].startswith("No sandbox: bubblewrap is not installed")
    assert "Until then no command runs" in required[0]
    assert "because tools.shell_sandbox is off" in off[0]


def test_servers_of_tools(desk: Desk) -> None:
    """
    Whether a program is there and its secrets are known is looked at; nothing is started or asked.
    """
    desk.file.write_text(
        f'{desk.file.read_text()}[mcp.here]\ncommand = "sh"\n[mcp.far]\nurl = "https://far.example"\n'
        '[mcp.poor]\ncommand = "sh"\nenv = { TOKEN = "$NO_SUCH_SECRET" }\n'
    )
    findings = found(desk, code=1)

    assert ["far: https://far.example (not asked) | "] == of(findings, "servers", "ok")[1:]
    assert of(findings, "servers", "ok")[0].endswith("/sh (not started) | ")
    assert of(findings, "servers", "problem")[0].startswith("poor: $NO_SUCH_SECRET is neither set")
