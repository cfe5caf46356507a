"""Settings by name: in files and in the environment."""

from holdfast.config import SETTINGS
from holdfast.config.setting_names import JOB, KEYS, VARIABLES, WEIGHTS, nearest, setting
from holdfast.providers.local.weights import GIVEN
from holdfast.tools.shell.processes import MARK

VARIABLE_NAMES = """
STORE DURABILITY RETENTION_DAYS PERSISTENCE IDLE_SECONDS MODEL TITLE_MODEL SUMMARY_MODEL
LIMITS_STEPS LIMITS_TOKENS LIMITS_COST
LIMITS_SECONDS LIMITS_TOOL_SECONDS RETRY_ATTEMPTS RETRY_BASE RETRY_CAP RETRY_IDLE CONTEXT_TOKENS CONTEXT_OUTPUT
CONTEXT_HISTORY_MESSAGES CONTEXT_TARGET CONTEXT_TIMESTAMPS CONTEXT_KEEP_FIRST COMPACTION_SHARE COMPACTION_MESSAGES
COMPACTION_TARGET COMPACTION_PROTECTED COMPACTION_CHARACTERS COMPACTION_TURNS COMPACTION_FROM_ORIGINALS
COMPACTION_READS COMPACTION_ENTRIES COMPACTION_WINDOW COMPACTION_OUTPUT COMPACTION_GAIN COMPACTION_ENABLED
MEMORY_ENABLED MEMORY_MODEL MEMORY_TOKENS_PER_DAY MEMORY_CORE_TOKENS MEMORY_QUIET MEMORY_RECALL
TOOLS_SHELL_SANDBOX TOOLS_SHELL_NETWORK TOOLS_SHELL_SECONDS
GOALS_TOKENS GOALS_TURNS GOALS_HOURS GOALS_COST GOALS_CHECK_SECONDS GOALS_VERIFIER_MODEL
INSTRUCTIONS UI_THEME UI_KEYS UI_THINKING UI_BELL
UI_SCREEN_READER GATEWAY_HOST GATEWAY_PORT GATEWAY_GRACE_SECONDS CONFIG WEIGHTS
""".split()


def test_variables_change_only_on_purpose() -> None:
    """
    A name in the environment is kept in people's files, so it shows here.
    """
    assert [f"HOLDFAST_{name}" for name in VARIABLE_NAMES] == list(SETTINGS)


def test_the_weights_are_named_as_their_reader_calls_them() -> None:
    """
    A variable that is documented is one that is read.
    """
    assert WEIGHTS == GIVEN


def test_the_mark_of_a_command_is_known() -> None:
    """
    What we set ourselves is not taken for a slip of the user.
    """
    assert JOB == MARK


def test_a_variable_is_the_key_in_capitals() -> None:
    """
    Who knows one name knows the other, and no two settings share one.
    """
    assert KEYS["limits.steps"] is VARIABLES["HOLDFAST_LIMITS_STEPS"]
    assert len({key.variable for key in KEYS.values() if key.variable}) == len(VARIABLES)


def test_lists_and_tables_are_for_files() -> None:
    """
    What is no single value has no variable.
    """
    only_in_files = {name for name, key in KEYS.items() if not key.variable}

    assert {
        "fallbacks",
        "endpoints",
        "no_thinking_back",
        "permissions",
        "tools.enabled",
        "tools.disabled",
        "tools.web_allowed",
        "memory.exclude",
        "mcp",
        "hooks",
        "skills",
        "gateway.hosts",
        "gateway.proxies",
        "trusted_folders",
    } == only_in_files


def test_an_entry_belongs_to_its_table() -> None:
    """
    Names of the user's choice lead to the setting they are part of.
    """
    assert KEYS["endpoints"] is setting("endpoints.my.own")
    assert KEYS["limits.steps"] is setting("limits.steps")
    assert setting("limits") is setting("nothing.at.all") is None


def test_the_nearest_name() -> None:
    """
    A slip finds its name, and anything else finds none.
    """
    assert ("limits", "") == (nearest("Limts", ["limits", "model"]), nearest("zzz", ["limits"]))
