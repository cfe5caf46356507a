"""One file of settings: what is wrong is said with the file, the line and what was meant."""

from pathlib import Path

import pytest

from holdfast.agent.permissions import Rule
from holdfast.config.settings import McpSettings
from holdfast.config.settings_file import read_file
from holdfast.errors import BadSetting


def refusal(tmp_path: Path, text: str | bytes) -> tuple[str, str]:
    """What is said about a file, without its name, and the hint."""
    file = tmp_path / "config.toml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(BadSetting) as refused:
        read_file(file, project=False)
    assert refused.value.message.startswith(f"{file}:")
    return refused.value.message.removeprefix(f"{file}:"), refused.value.hint


def test_values_come_with_their_lines(tmp_path: Path) -> None:
    """
    Each value is what its setting is, with the line it stands on.
    """
    file = tmp_path / "config.toml"
    file.write_text(
        'model = "a:b"\nfallbacks = [\n  "c:d",\n]\n\n[limits]\nsteps = 9\n\n[[permissions]]\ntool = "shell"\n'
        'decision = "ask"\n\n[mcp.files]\ncommand = "serve"\nargs = ["--here"]\nenv = { ROOT = "/srv" }\n'
    )
    found = [(each.key, each.value, each.origin.line) for each in read_file(file, project=True)]

    assert [
        ("model", "a:b", 1),
        ("fallbacks", ("c:d",), 2),
        ("limits.steps", 9, 7),
        ("permissions", (Rule(tool="shell", decision="ask"),), 9),
        ("mcp.files", McpSettings(command="serve", args=("--here",), env={"ROOT": "/srv"}), 13),
    ] == found
    assert {"project"} == {each.origin.level for each in read_file(file, project=True)}


@pytest.mark.parametrize("what", ["nothing", "a folder", "below a file"])
def test_no_file_says_nothing(tmp_path: Path, what: str) -> None:
    """
    A file that is not there is no error.
    """
    file = tmp_path / "config.toml"
    if what == "a folder":
        file.mkdir()
    if what == "below a file":
        file.write_text("")
        file /= "config.toml"

    assert [] == read_file(file, project=False)


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("\n\nmodl = 1", "3: `modl` is no setting.", "Did you mean `model`?"),
        ("[limits]\n# how far\nstep = 3", "3: `limits.step` is no setting.", "Did you mean `limits.steps`?"),
        ("[Limits]\nsteps = 3", "1: `Limits` is no setting.", "Did you mean `limits`?"),
        ("steps = 3", "1: `steps` is no setting.", "Did you mean `limits.steps`?"),
        ("[context]\nzzz = 3", "2: `context.zzz` is no setting.", "`holdfast config` lists every setting."),
        ("[mcp.x]\ncommand='a'\narg = []", "3: `mcp.x.arg` is no setting.", "Did you mean `mcp.x.args`?"),
        (
            "[[permissions]]\ntool='a'\ndecision='ask'\n[[permissions]]\ntool='a'\nrule='x'",
            "6: `permissions.rule` is no setting.",
            "",
        ),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest(tmp_path: Path, text: str, said: str, hint: str) -> None:
    """
    The line it stands on, and the key that was probably meant, in this table or another.
    """
    message, advice = refusal(tmp_path, text)

    assert said == message
    assert advice.startswith(hint)


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("model = 3", "1: `model` is 3.", "It is a text."),
        ("limits = 3", "1: `limits` is 3.", "It is a table."),
        ("\nlimits.steps = 'many'", "2: `limits.steps` is 'many'.", "It is a whole number."),
        ("limits.cost = true", "1: `limits.cost` is true.", "It is a number."),
        ("persistence = 'yes'", "1: `persistence` is 'yes'.", "It is true or false."),
        ("durability = 'never'", "1: `durability` is 'never'.", "It can be always, interval, os."),
        ("store = 3", "1: `store` is 3.", "It is a folder."),
        ("store = ''", "1: `store` is ''.", "It is a folder."),
        ("fallbacks = 'x'", "1: `fallbacks` is 'x'.", 'It is a list of texts: ["one", "two"].'),
        ("endpoints = 'x'", "1: `endpoints` is 'x'.", "It is a table."),
        ("permissions = 'x'", "1: `permissions` is 'x'.", "It is a list of tables"),
        ("compaction.messages = 'x'", "1: `compaction.messages` is 'x'.", "It is a whole number."),
        ("[mcp.x]\nenv = 3", "2: `mcp.x.env` is 3.", "It is a table of texts"),
        ("[[permissions]]\n\ntool = 'x'", "1: `permissions` has no `decision`.", "It can be allow, ask, deny."),
        (
            "[mcp.x]\nurl = 'https://a'\nenv = { A = 'b' }",
            "1: `mcp.x`: `env` is for a server with a `command`.",
            "Take it out.",
        ),
        (
            "[mcp.x]\ncommand = 'a'\nheaders = { A = 'b' }",
            "1: `mcp.x`: `headers` is for a server with a `url`.",
            "Take it out.",
        ),
        ("[mcp.x]\nseconds = 3", "1: `mcp.x`: A server has either a `command` or a `url`.", "Give one of the two."),
        ("[mcp.x]\nurl = 'ftp://x'", "1: `mcp.x`: `url` is no web address.", "It begins with https:// or http://."),
    ],
)
def test_a_wrong_value_is_named_with_what_it_can_be(tmp_path: Path, text: str, said: str, hint: str) -> None:
    """
    The line, the value, and what would fit.
    """
    message, advice = refusal(tmp_path, text)

    assert said == message
    assert advice.startswith(hint)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("model = x", 1),
        ("\n\nmodel 'x'", 3),
        ('a = 1\nb = """\nnever ends', 3),
        ("[limits]\nsteps = 1\nsteps = 2", 3),
        ("[limits\n", 1),
    ],
)
def test_what_is_no_toml_is_named_with_the_line(tmp_path: Path, text: str, line: int) -> None:
    """
    A slip of the pen is found by its line.
    """
    message, hint = refusal(tmp_path, text)

    assert message.startswith(f"{line}: this is no TOML: ")
    assert hint


def test_bytes_that_are_no_text_are_named_with_the_line(tmp_path: Path) -> None:
    """
    A file in another encoding is not guessed at.
    """
    assert "2: this is no UTF-8." == refusal(tmp_path, b"model = 'a'\nstore = '\xff'")[0]


def test_a_file_that_is_too_deep_is_refused(tmp_path: Path) -> None:
    """
    A file made to exhaust the parser is an error like any other.
    """
    assert "1: lists in lists, too deep." == refusal(tmp_path, "a = " + "[" * 100_000)[0]


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    """
    Settings are short; what is not is something else.
    """
    file = tmp_path / "config.toml"
    file.write_text("#" * 1_000_001)
    with pytest.raises(BadSetting, match="1,000,001 bytes"):
        read_file(file, project=False)


@pytest.mark.parametrize(
    "text",
    [
        "api_key = 'abc'",
        "\nOPENAI_API_KEY = 'abc'",
        "model = 'sk-abcdefghijklmnop'",
        "[mcp.x]\ncommand='a'\nenv = { GITHUB_TOKEN = 'abc' }",
        "[mcp.x]\nurl='https://a'\nheaders = { Authorization = 'Bearer abc' }",
        "[mcp.x]\nurl='https://a/?token=abcdefghij'",
        "[mcp.x]\ncommand='a'\nargs=['--key', 'sk-ant-abcdefghijkl']",
        "[endpoints]\nx = 'https://me:hunter2@host/v1'",
        "instructions = '''\n-----BEGIN RSA PRIVATE KEY-----\n'''",
    ],
)
def test_a_secret_in_a_file_is_refused_and_not_shown(tmp_path: Path, text: str) -> None:
    """
    A file is copied, shared and checked in; the error says where secrets go, and not what this one is.
    """
    message, hint = refusal(tmp_path, text)

    assert message.endswith("looks like a secret.")
    assert "set it in the environment" in hint
    assert not any(each in message for each in ("abc", "hunter2", "BEGIN"))


def test_a_secret_may_be_named(tmp_path: Path) -> None:
    """
    The name of a variable is no secret.
    """
    file = tmp_path / "config.toml"
    file.write_text("[mcp.x]\nurl='https://a'\nheaders = { Authorization = 'Bearer $TOKEN' }")

    assert ["mcp.x"] == [each.key for each in read_file(file, project=False)]


def test_a_mark_at_the_beginning_is_no_text(tmp_path: Path) -> None:
    """
    Some editors write one into every file of UTF-8.
    """
    file = tmp_path / "config.toml"
    file.write_bytes(b'\xef\xbb\xbfmodel = "a"\r\n')

    assert ["a"] == [each.value for each in read_file(file, project=False)]
