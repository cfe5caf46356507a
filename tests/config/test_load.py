"""All sources of settings together: which wins, and where each value came from."""

from pathlib import Path

import pytest

from holdfast.agent.permissions import Rule
from holdfast.config import SETTINGS, Settings, explain, load
from holdfast.config.setting_names import KEYS
from holdfast.config.settings import HookSettings, McpSettings
from holdfast.config.values import DEFAULT, Origin
from holdfast.errors import BadSetting
from holdfast.log.store import Place as StorePlace
from tests.config.conftest import NONE, Place, Variables


def origin(place: Place, key: str, variables: Variables = NONE) -> str:
    """Where a setting came from, in words."""
    return next(each.origins[-1].said for each in place.read(variables).explained if each.key == key)


def test_nothing_has_to_be_set(place: Place) -> None:
    """
    As it is, conversations are in the home folder, durable, and kept for good.
    """
    found = place.load()

    assert (Path.home() / ".holdfast", "always", 0.0, True) == (
        found.store.folder,
        found.durability,
        found.retention_days,
        found.persistence,
    )


def test_an_empty_variable_is_not_set(place: Place) -> None:
    """
    A script that sets a variable to nothing has said nothing.
    """
    assert place.load() == place.load(dict.fromkeys(SETTINGS, ""))


def test_the_later_source_wins(place: Place) -> None:
    """
    Defaults, the user's file, the project's file, the environment, flags: each is stronger than those before it.
    """
    seen = [(place.load().model, origin(place, "model"))]
    place.user('model = "user"')
    seen.append((place.load().model, origin(place, "model")))
    place.write_project('\nmodel = "vllm:project"')
    seen.append((place.load().model, origin(place, "model")))
    variables = {"HOLDFAST_MODEL": "variable"}
    seen.append((place.load(variables).model, origin(place, "model", variables)))
    flagged = place.read(variables, flags={"model": "flag"})
    said = next(each.origins[0].said for each in flagged.explained if each.key == "model")

    assert [
        ("", "default"),
        ("user", f"{place.user_file}:1"),
        ("vllm:project", f"{place.project_file}:2"),
        ("variable", "HOLDFAST_MODEL"),
    ] == seen
    assert ("flag", "--model") == (flagged.settings.model, said)


def test_every_setting_is_explained(place: Place) -> None:
    """
    Each has a value and an origin; those with names of the user's choice have one for each name.
    """
    place.user('[endpoints]\nollama = "http://10.0.0.7/v1"\n[mcp.files]\ncommand = "serve"\n')
    found = {each.key: each for each in place.read().explained}

    plain = [name for name, key in KEYS.items() if not key.is_mapping]
    assert {*plain, "endpoints.ollama", "mcp.files"} == set(found)
    assert (DEFAULT,) == found["limits.steps"].origins
    assert (Origin(level="user", place=str(place.user_file), line=2),) == found["endpoints.ollama"].origins
    assert McpSettings(command="serve") == found["mcp.files"].value


def test_a_table_is_filled_from_several_sources(place: Place) -> None:
    """
    Who sets one limit leaves the others as they were.
    """
    place.user("[limits]\nsteps = 20\ncost = 1\n")
    place.write_project("limits.steps = 10\n")
    limits = place.load({"HOLDFAST_LIMITS_SECONDS": "60"}).limits

    assert (10, 1.0, 60.0, 600.0) == (limits.steps, limits.cost, limits.seconds, limits.tool_seconds)


def test_rules_add_up_the_users_first(place: Place) -> None:
    """
    Rules of all sources count, each with where it stands.
    """
    place.user('[[permissions]]\ntool = "shell"\npattern = "make *"\ndecision = "allow"\n')
    place.write_project(
        '[[permissions]]\ntool = "shell"\ndecision = "ask"\n\n[[permissions]]\ntool="w*"\ndecision="deny"'
    )
    given = Rule(tool="shell", pattern="ls", decision="allow")
    loaded = place.read(flags={"permissions": (given,)})
    explained = next(each for each in loaded.explained if each.key == "permissions")

    assert (
        Rule(tool="shell", pattern="make *", decision="allow"),
        Rule(tool="shell", decision="ask"),
        Rule(tool="w*", decision="deny"),
        given,
    ) == loaded.settings.permissions
    assert [1, 1, 5, 0] == [each.line for each in explained.origins]


def test_hooks_are_all_those_of_the_user(place: Place) -> None:
    """
    In the order of the file; a wrong one is named with its line.
    """
    hooks = '[[hooks]]\non = "turn_end"\ncommand = ["bell"]\n[[hooks]]\non = "before_tool"\ncommand = ["guard", "-x"]\n'
    place.user(hooks)
    assert (
        HookSettings(on="turn_end", command=("bell",)),
        HookSettings(on="before_tool", command=("guard", "-x"), tools=("*",), seconds=30.0),
    ) == place.load().hooks

    for wrong, why in (
        ('on = "turn_end"\ncommand = []', "A hook has no `command`."),
        ('on = "turn_ended"\ncommand = ["a"]', "It can be session_start, turn_start"),
        ('on = "turn_end"\ncommand = ["a"]\ntools = ["shell"]', "`tools` means nothing for a hook on `turn_end`."),
        ('on = "turn_end"\ncommand = ["a"]\nseconds = 0', "`seconds` is 0"),
        ('on = "turn_end"\ncommand = "a"', "It is a list of texts"),
    ):
        place.user(f"[[hooks]]\n{wrong}\n")
        with pytest.raises(BadSetting) as refused:
            place.load()
        assert why in str(refused.value)


def test_instructions_and_disabled_tools_add_up(place: Place) -> None:
    """
    A project adds to what the user says and cannot take it away.
    """
    place.user('instructions = "Be brief."\ntools.disabled = ["shell"]')
    place.write_project('instructions = "Use tabs."\ntools.disabled = ["web_fetch"]')
    found = place.load()

    assert "Be brief.\n\nUse tabs." == found.instructions
    assert ("shell", "web_fetch") == found.tools.disabled


@pytest.mark.parametrize(
    ("variable", "text", "value"),
    [
        ("HOLDFAST_STORE", "~/talk", StorePlace(folder=Path.home() / "talk")),
        ("HOLDFAST_DURABILITY", "interval", "interval"),
        ("HOLDFAST_RETENTION_DAYS", "30.5", 30.5),
        ("HOLDFAST_PERSISTENCE", "false", False),
        ("HOLDFAST_PERSISTENCE", "0", False),
        ("HOLDFAST_LIMITS_STEPS", "7", 7),
        ("HOLDFAST_COMPACTION_MESSAGES", "80", 80),
        ("HOLDFAST_UI_KEYS", "vi", "vi"),
        ("HOLDFAST_INSTRUCTIONS", "12", "12"),
    ],
)
def test_every_kind_of_value_can_be_said_in_the_environment(
    place: Place, variable: str, text: str, value: object
) -> None:
    """
    A text of the environment becomes what the setting is.
    """
    found = next(each for each in place.read({variable: text}).explained if each.origins[0].place == variable)

    assert value == found.value


def test_folders_in_a_file_begin_where_the_file_lies(place: Place) -> None:
    """
    A relative folder means the same wherever the command is started.
    """
    place.user('store = "talk"\nskills = ["skills", "~/more"]')
    found = place.load()

    assert place.user_file.parent / "talk" == found.store.folder
    assert (place.user_file.parent / "skills", Path.home() / "more") == found.skills


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOLDFAST_DURABILITY", "sometimes"),
        ("HOLDFAST_DURABILITY", "Always"),
        ("HOLDFAST_RETENTION_DAYS", "a month"),
        ("HOLDFAST_PERSISTENCE", "perhaps"),
        ("HOLDFAST_LIMITS_STEPS", "2.5"),
    ],
)
def test_a_wrong_variable_is_named_with_what_it_can_be(place: Place, name: str, value: str) -> None:
    """
    Nothing is guessed: the name, the value and what would fit are said.
    """
    with pytest.raises(BadSetting) as refused:
        place.load({name: value})

    assert f"{name} is {value!r}." == refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("HOLDFAST_RETRY_ATEMPTS", "Did you mean HOLDFAST_RETRY_ATTEMPTS?"),
        ("HOLDFAST_CONFG", "Did you mean HOLDFAST_CONFIG?"),
        ("HOLDFAST_TOOLS_DISABLED", "Set `tools.disabled` in a file: it is more than one value."),
        ("HOLDFAST_ZZZ", "Unset it; then `holdfast config` lists every setting."),
    ],
)
def test_a_variable_that_is_no_setting_is_refused(place: Place, name: str, hint: str) -> None:
    """
    A slip in a name would otherwise be found out when the limit it was to set does not hold.
    """
    with pytest.raises(BadSetting) as refused:
        place.load({name: "3"})

    assert (f"{name} is no setting.", hint) == (refused.value.message, refused.value.hint)


@pytest.mark.parametrize("name", ["HOLDFAST_MODEL", "HOLDFAST_INSTRUCTIONS"])
def test_a_secret_in_the_variable_of_a_setting_is_refused_and_not_shown(place: Place, name: str) -> None:
    """
    Settings are listed and told, so a key that was put into the wrong variable goes no further.
    """
    with pytest.raises(BadSetting) as refused:
        place.load({name: "sk-abcdefghijklmnop"})

    assert f"{name} looks like a secret." == refused.value.message
    assert "OPENAI_API_KEY" in refused.value.hint


def test_a_projects_file_that_links_to_itself_is_refused(place: Place) -> None:
    """
    It might forbid something, so it is not passed over; and whoever made it gets no traceback out of the command.
    """
    place.project_file.symlink_to(place.project_file.name)

    with pytest.raises(BadSetting, match="cannot be read"):
        place.load()


def test_variables_that_are_no_settings_are_let_be(place: Place) -> None:
    """
    Those of others, those that say nothing, and the mark of a command that is `holdfast` itself.
    """
    assert place.load() == place.load({"HOLDFASTER": "1", "HOLDFAST_ZZZ": "", "HOLDFAST_JOB": "4f"})


@pytest.mark.parametrize("value", ["-1", "nan", "inf"])
def test_a_number_out_of_bounds_is_named_too(place: Place, value: str) -> None:
    """
    What a setting refuses by itself is told with where it was said.
    """
    with pytest.raises(BadSetting) as refused:
        place.load({"HOLDFAST_RETENTION_DAYS": value})

    assert f"HOLDFAST_RETENTION_DAYS is {float(value)}." == refused.value.message
    assert "It is a number of days; 0 keeps everything." == refused.value.hint


def test_values_that_do_not_go_together_name_one_of_them(place: Place) -> None:
    """
    Two values that are right alone and wrong together are found where one of them stands.
    """
    file = place.user("[compaction]\nturns = 3\nwindow = 5000\n")
    with pytest.raises(BadSetting, match="Give its context size as `window`") as refused:
        place.load()

    assert refused.value.message.startswith(f"{file}:2: `compaction.turns`: A model that takes 5,000 tokens")


def test_a_flag_that_is_no_setting_is_refused(place: Place) -> None:
    """
    A host that misspells a key is told.
    """
    with pytest.raises(BadSetting, match="Did you mean `model`"):
        place.load(flags={"modle": "x"})


def test_a_store_that_is_a_url_is_refused(place: Place) -> None:
    """
    Else sessions would lie in a folder with the name of the scheme; the error says where it was set, and what works.
    """
    with pytest.raises(BadSetting, match="--store is a URL, and there are no stores of the kind 's3'") as refused:
        place.load(flags={"store": "s3://bucket"})
    assert refused.value.hint.startswith("A store is a folder")

    place.user('store = "postgres://localhost/db"')
    with pytest.raises(BadSetting, match=r":1: `store` is a URL.*'postgres'"):
        place.load()


def test_the_process_has_an_environment_and_a_folder(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Without being given others, those of the process count.
    """
    place.write_project('model = "vllm:here"')
    for name in (*SETTINGS, "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(place.home))
    monkeypatch.setenv("HOLDFAST_STORE", "/srv/talk")
    monkeypatch.chdir(place.project)

    assert Settings(store=StorePlace(folder=Path("/srv/talk")), model="vllm:here") == load()
    assert "vllm:here" == next(each.value for each in explain() if each.key == "model")


def test_an_address_for_a_service_that_nobody_knows_is_refused(place: Place) -> None:
    """
    What was meant for it would go to the usual address, and a key with it.
    """
    place.user('endpoints.opnai = "http://10.0.0.7/v1"')

    with pytest.raises(BadSetting, match=r":1: `endpoints.opnai` .*Did you mean `endpoints.openai`"):
        place.load()


def test_a_service_that_nobody_knows_is_refused_in_a_list(place: Place) -> None:
    """
    A slip would leave the service as it was.
    """
    place.user('no_thinking_back = ["groq", "vlm"]')

    with pytest.raises(BadSetting, match=r":1: `no_thinking_back` .*Did you mean `vllm`"):
        place.load()
