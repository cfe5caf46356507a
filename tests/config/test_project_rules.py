"""A project's file tightens what the user allows, and never loosens it."""

import pytest

from holdfast.config.project_rules import TABLE
from holdfast.config.setting_names import KEYS
from holdfast.errors import BadSetting
from tests.config.conftest import Place

ASK = '[[permissions]]\ntool = "shell"\ndecision = "ask"'
ALLOW = ASK.replace("ask", "allow")
REFUSED = {
    "memory.model": 'memory.model = "openai:gpt-6-sol"',
    "memory.tokens_per_day": "memory.tokens_per_day = 1",
    "memory.core_tokens": "memory.core_tokens = 1",
    "memory.quiet": "memory.quiet = 1",
    "memory.recall": 'memory.recall = "off"',
    "memory.exclude": 'memory.exclude = ["x"]',
    "store": 'store = "/tmp/x"',
    "durability": 'durability = "os"',
    "retention_days": "retention_days = 1",
    "persistence": "persistence = false",
    "idle_seconds": "idle_seconds = 1",
    "endpoints": 'endpoints.openai = "https://example.org"',
    "no_thinking_back": 'no_thinking_back = ["vllm"]',
    "permissions": ALLOW,
    "tools.enabled": 'tools.enabled = ["shell"]',
    "tools.shell_sandbox": 'tools.shell_sandbox = "off"',
    "tools.shell_network": "tools.shell_network = true",
    "tools.web_allowed": 'tools.web_allowed = ["10.0.0.0/8"]',
    "mcp": 'mcp.x.command = "evil"',
    "hooks": 'hooks = [{ on = "turn_end", command = ["evil"] }]',
    "skills": 'skills = ["/"]',
    "trusted_folders": 'trusted_folders = ["/"]',
    "ui.theme": 'ui.theme = "none"',
    "ui.keys": 'ui.keys = "vi"',
    "ui.thinking": 'ui.thinking = "hide"',
    "ui.bell": "ui.bell = true",
    "ui.screen_reader": "ui.screen_reader = true",
    "gateway.host": 'gateway.host = "0.0.0.0"',
    "gateway.port": "gateway.port = 80",
    "gateway.hosts": 'gateway.hosts = ["evil.example"]',
    "gateway.proxies": 'gateway.proxies = ["10.0.0.1"]',
    "gateway.grace_seconds": "gateway.grace_seconds = 0",
}
"""What no project may say, whatever the user says."""

TAKEN = {
    "memory.enabled": "memory.enabled = false",
    "model": 'model = "ollama:qwen3"',
    "fallbacks": 'fallbacks = ["lmstudio:qwen3", "local:smollm2"]',
    "title_model": 'title_model = "llamacpp:default"',
    "summary_model": 'summary_model = "vllm:qwen3"',
    "limits.steps": "limits.steps = 3",
    "limits.tokens": "limits.tokens = 3",
    "limits.cost": "limits.cost = 3",
    "limits.seconds": "limits.seconds = 3",
    "limits.tool_seconds": "limits.tool_seconds = 3",
    "retry.attempts": "retry.attempts = 3",
    "retry.base": "retry.base = 3",
    "retry.cap": "retry.cap = 3",
    "retry.idle": "retry.idle = 3",
    "context.tokens": "context.tokens = 8000",
    "context.output": "context.output = 3",
    "context.history_messages": "context.history_messages = 3",
    "context.target": "context.target = 0.5",
    "context.timestamps": "context.timestamps = true",
    "context.keep_first": "context.keep_first = false",
    "compaction.share": "compaction.share = 0.5",
    "compaction.messages": "compaction.messages = 3",
    "compaction.target": "compaction.target = 0.5",
    "compaction.protected": "compaction.protected = 3",
    "compaction.characters": "compaction.characters = 3",
    "compaction.turns": "compaction.turns = 3",
    "compaction.from_originals": "compaction.from_originals = false",
    "compaction.reads": "compaction.reads = 3",
    "compaction.entries": "compaction.entries = 3",
    "compaction.window": "compaction.window = 9000",
    "compaction.output": "compaction.output = 3",
    "compaction.gain": "compaction.gain = 0.5",
    "compaction.enabled": "compaction.enabled = false",
    "permissions": ASK,
    "tools.disabled": 'tools.disabled = ["shell"]',
    "tools.shell_sandbox": 'tools.shell_sandbox = "require"',
    "tools.shell_network": "tools.shell_network = false",
    "tools.shell_seconds": "tools.shell_seconds = 3",
    "goals.tokens": "goals.tokens = 3000",
    "goals.turns": "goals.turns = 3",
    "goals.hours": "goals.hours = 3",
    "goals.cost": "goals.cost = 3",
    "goals.check_seconds": "goals.check_seconds = 3",
    "goals.verifier_model": 'goals.verifier_model = "vllm:qwen3"',
    "instructions": 'instructions = "Use tabs."',
}
"""What a project may say while the user says nothing."""

SCRIPTS = (
    'model = "scripted:evil.jsonl"',
    'model = " Scripted:evil.jsonl"',
    'fallbacks = ["a:b", "scripted:evil.jsonl"]',
    'title_model = "scripted:x"',
    'summary_model = "scripted:x"',
)
LIMITS = [*(key for key in KEYS if key.startswith("limits.")), "tools.shell_seconds"]


@pytest.mark.parametrize("said", SCRIPTS)
def test_a_project_does_not_write_what_the_model_says(place: Place, said: str) -> None:
    """
    A script of its own could ask for every call that the user allows.
    """
    place.write_project(said)

    assert "a project may not say the model's lines" in refusal(place)


def refusal(place: Place) -> str:
    """What is said about the project's file."""
    with pytest.raises(BadSetting) as refused:
        place.load()
    assert str(place.user_file) in refused.value.hint
    return refused.value.message


def test_the_table_says_it_for_every_setting() -> None:
    """
    A new setting fails here until somebody has thought about projects.
    """
    assert set(KEYS) == set(TABLE) == set(REFUSED) | set(TAKEN)


@pytest.mark.parametrize(("key", "text"), REFUSED.items())
def test_what_a_project_may_not_say(place: Place, key: str, text: str) -> None:
    """
    The file, the line and the reason are said, and what the user can do who wants it.
    """
    file = place.write_project(f"# ours\n{text}\n")

    message = refusal(place)
    assert message.startswith(f"{file}:2: `{key}")
    assert " is refused: " in message


@pytest.mark.parametrize(("key", "text"), TAKEN.items())
def test_what_a_project_may_say(place: Place, key: str, text: str) -> None:
    """
    It counts, and it is said that it is the project's.
    """
    place.write_project(text)
    found = next(each for each in place.read().explained if each.key == key)

    assert ["project"] == [each.level for each in found.origins]


@pytest.mark.parametrize(("key", "text"), REFUSED.items())
def test_the_user_may_say_all_of_it(place: Place, key: str, text: str) -> None:
    """
    What is refused from a project is the user's to say.
    """
    place.user(text)

    assert any(each.key.startswith(key) and each.origins[0].level == "user" for each in place.read().explained)


@pytest.mark.parametrize(
    ("key", "value", "taken"),
    [
        *((key, value, True) for key in LIMITS for value in ("5", "10")),
        *((key, "11", False) for key in LIMITS),
        *((key, "inf", False) for key in LIMITS if key.endswith("limits.seconds")),
        *((key, "0", False) for key in LIMITS if key != "tools.shell_seconds"),
    ],
)
def test_a_limit_may_only_come_down(place: Place, key: str, value: str, *, taken: bool) -> None:
    """
    Where the user set a limit, a project's is lower or refused; 0 would be no limit at all.
    """
    place.user(f"{key} = 10")
    place.write_project(f"{key} = {value}")

    if taken:
        assert float(value) == next(each.value for each in place.read().explained if each.key == key)
    else:
        assert "a project may only lower it, and without it this is 10" in refusal(place)


@pytest.mark.parametrize(
    "text",
    [
        "limits.steps = 51",
        "limits.steps = 0",
        "limits.tool_seconds = 601",
        "tools.shell_seconds = 121",
        "retry.attempts = 6",
        "retry.cap = 3600",
        "retry.idle = 0",
        "compaction.reads = 500000",
        "compaction.output = 8000",
    ],
)
def test_a_limit_may_not_rise_above_the_default(place: Place, text: str) -> None:
    """
    Where the user says nothing, the default counts, and a project's is compared with that.
    """
    place.write_project(text)

    assert "a project may only lower it, and without it this is " in refusal(place)


def test_summaries_may_not_cost_more(place: Place) -> None:
    """
    To read everything again is paid for by the user.
    """
    place.write_project("compaction.from_originals = true")

    assert "a project may not make summaries cost more" in refusal(place)


MODELS = ("model", "title_model", "summary_model")


@pytest.mark.parametrize("key", [*MODELS, "fallbacks"])
@pytest.mark.parametrize(
    "name", ["openai:gpt-5", "Anthropic", "claude-opus-5", "openrouter:x/y", "ollama:gpt-oss:120b-cloud", "nobody:x"]
)
def test_a_project_chooses_no_model_that_costs_money(place: Place, key: str, name: str) -> None:
    """
    The user pays, so the user's file has to name it; for whatever.
    """
    said = f'{key} = ["{name}"]' if key == "fallbacks" else f'{key} = "{name}"'
    place.write_project(said)

    assert f"may not choose a model that costs money, and your file names no {name}." in refusal(place)


@pytest.mark.parametrize("key", MODELS)
def test_a_project_may_choose_among_the_models_that_the_user_names(place: Place, key: str) -> None:
    """
    Those are the models that the user is ready to pay for.
    """
    place.user('fallbacks = ["openai:gpt-5-mini"]')
    place.write_project(f'{key} = "openai:gpt-5-mini"')

    assert "openai:gpt-5-mini" == getattr(place.load(), key)


@pytest.mark.parametrize("key", MODELS)
def test_a_project_does_not_take_the_users_choice_away(place: Place, key: str) -> None:
    """
    With nothing chosen, the first model for which there is a key would be taken.
    """
    place.user(f'{key} = "ollama:qwen3"')
    place.write_project(f'{key} = ""')

    assert "a project may not take your choice away" in refusal(place)


@pytest.mark.parametrize(
    ("users", "projects", "taken"),
    [
        ("off", "auto", True),
        ("off", "require", True),
        ("auto", "auto", True),
        ("auto", "off", False),
        ("require", "require", True),
        ("require", "auto", False),
        ("require", "off", False),
    ],
)
def test_a_project_may_shut_commands_in_more(place: Place, users: str, projects: str, *, taken: bool) -> None:
    """
    Off, auto, require: a project may go to the right, never to the left.
    """
    place.user(f'tools.shell_sandbox = "{users}"')
    place.write_project(f'tools.shell_sandbox = "{projects}"')

    if taken:
        assert projects == place.load().tools.shell_sandbox
    else:
        assert f"without it this is {users}" in refusal(place)


def test_one_rule_among_many_that_allows_is_enough(place: Place) -> None:
    """
    The line of that rule is named.
    """
    file = place.write_project(f"{ASK}\n{ALLOW}\n")

    assert f"{file}:4: `permissions` is refused: a project may only tighten: ask or deny." == refusal(place)


def test_a_secret_in_a_projects_file_is_refused_too(place: Place) -> None:
    """
    The rule about secrets holds for every file.
    """
    place.write_project('instructions = "use sk-abcdefghijklmnop"')
    with pytest.raises(BadSetting, match="looks like a secret"):
        place.load()
