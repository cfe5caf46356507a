"""The settings: whether they can be read, and whether the servers they name can be started."""

import shutil
from collections.abc import Iterator, Mapping

from holdfast.commands.context import CommandContext
from holdfast.commands.health.finding import Finding
from holdfast.commands.text.times import count
from holdfast.config.grants import load_grants
from holdfast.config.key_storage import filled
from holdfast.config.load import Loaded
from holdfast.config.places import state_folder
from holdfast.config.settings import McpSettings
from holdfast.config.workspace_identity import known_identity
from holdfast.errors import BadSetting, HoldfastError

AREA = "settings"


def settings(context: CommandContext) -> tuple[Loaded | None, list[Finding]]:
    """The settings, if they can be read, and what was found about them."""
    try:
        loaded = context.loaded
    except HoldfastError as error:
        return None, [Finding(area=AREA, level="problem", text=error.message, mend=error.hint)]
    return loaded, list(sources(loaded))


def sources(loaded: Loaded) -> Iterator[Finding]:
    """Which files were looked at, and how much they say."""
    for each in loaded.files:
        there = "" if each.found else " (not there, which is fine)"
        yield Finding(area=AREA, text=f"the {each.level}'s file: {each.path}{there}")
    levels = [origin.level for each in loaded.explained for origin in each.origins if origin.level != "default"]
    if loaded.passed_over:
        yield Finding(area=AREA, level="warning", text=loaded.passed_over)
    said = ", ".join(f"{levels.count(level)} from {_WORDS[level]}" for level in _WORDS if level in levels)
    yield Finding(area=AREA, text=f"values that are not the default: {said or 'none'}")


def grants(loaded: Loaded, values: Mapping[str, str]) -> Iterator[Finding]:
    """What a person allowed always in this workspace, if it can be read."""
    identity = known_identity(loaded.root, state_folder(values), trusted=loaded.trusted)
    if not identity:
        return
    try:
        rules = load_grants(state_folder(values), identity, loaded.root)
    except BadSetting as error:
        yield Finding(area=AREA, level="problem", text=error.message, mend=error.hint)
    else:
        if rules:
            yield Finding(area=AREA, text=f"allowed always in this workspace: {count(len(rules), 'rule')}")


_WORDS = {
    "user": "your file",
    "project": "the project's file",
    "environment": "the environment",
    "flag": "options",
}


def servers(named: Mapping[str, McpSettings], values: Mapping[str, str]) -> Iterator[Finding]:
    """The servers of further tools; none is started."""
    if not named:
        yield Finding(area="servers", text="no servers of further tools are set")
    for name, server in named.items():
        yield _server(name, server, values)


def _server(name: str, server: McpSettings, values: Mapping[str, str]) -> Finding:
    try:
        filled({**server.env, **server.headers}, values)
    except BadSetting as error:
        return Finding(area="servers", level="problem", text=f"{name}: {error.message}", mend=error.hint)
    if server.url:
        return Finding(area="servers", text=f"{name}: {server.url} (not asked)")
    program = shutil.which(server.command, path=values.get("PATH"))
    if program is None:
        mend = f"Install it, or correct `mcp.{name}.command`."
        return Finding(area="servers", level="problem", text=f"{name}: there is no program {server.command}", mend=mend)
    return Finding(area="servers", text=f"{name}: {program} (not started)")
