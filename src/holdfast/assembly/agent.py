"""An agent, put together from settings: store, models, tools, permissions.

Everything that takes its time (looking for a model, starting servers, trying the sandbox) is put off until a
turn needs it.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import cache, partial
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from holdfast.agent.permissions import ANYTHING, Permissions, Rule, covers
from holdfast.agent.redact import Redactor, secret_values
from holdfast.agent.setup import AgentSetup, Setups
from holdfast.agent.tool import Tool
from holdfast.agent.user_hooks import UserHook
from holdfast.assembly.memory import agent_memory, memory_tools
from holdfast.assembly.notes import found_notes
from holdfast.assembly.stores import open_store, open_volatile
from holdfast.assembly.surroundings import surroundings
from holdfast.config.discovery import up_to_repository
from holdfast.config.grants import add_grants, load_grants
from holdfast.config.key_storage import filled, with_kept
from holdfast.config.load import Loaded
from holdfast.config.places import state_folder, user_file, user_folder
from holdfast.config.secrets import names_in
from holdfast.config.settings import McpSettings, Settings, ToolSettings
from holdfast.config.tool_rules import misfit, unknown_tool
from holdfast.config.workspace_identity import workspace_identity
from holdfast.context.budget import Budget
from holdfast.context.system_text import Briefing
from holdfast.engine.engine import Engine
from holdfast.engine.port import EnginePort
from holdfast.errors import BadInput, BadSetting
from holdfast.goals.service import GoalService
from holdfast.model.context_sizes import ModelSize
from holdfast.providers.choose.choose import understood
from holdfast.providers.choose.pool import ModelPool
from holdfast.providers.local.weights import default_cache
from holdfast.providers.services import SERVICES
from holdfast.records.entries import ScheduleSet
from holdfast.tools.mcp.server import McpServer
from holdfast.tools.skills import SkillFolder, Skills, find_skills, listed, skill_folders
from holdfast.tools.toolset import WorkspaceTools

if TYPE_CHECKING:
    from holdfast.tools.builtin import Builtin
    from holdfast.tools.shell.sandbox import Sandbox

SECRETS = tuple(service.keys for service in SERVICES.values() if service.keys)
"""The keys of all services; those that the environment has not may be kept by `holdfast key add`."""
MODELS = ("fallbacks", "title_model", "summary_model", "goals.verifier_model")
"""Settings that name models which are asked late, or for something else."""


class AgentRuntime(msgspec.Struct, frozen=True, kw_only=True):
    """What a host works with."""

    engine: Engine
    port: EnginePort
    """What tools that need the engine are made with."""
    pool: ModelPool
    loaded: Loaded
    identity: str
    """Of the workspace."""
    skills: Skills
    notes: tuple[str, ...] = ()
    """What a person should know before the first turn."""

    @property
    def root(self) -> Path:
        """The workspace."""
        return self.loaded.root

    @property
    def settings(self) -> Settings:
        """The settings that count here."""
        return self.loaded.settings


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What a host was asked for on its command line."""

    model: str = ""
    rules: tuple[Rule, ...] = ()
    attended: bool = True
    """Whether a person is there to answer questions."""
    titles: bool = True


def open_runtime(
    loaded: Loaded,
    wishes: Wishes | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    setups: Callable[[AgentSetup, str], Setups] | None = None,
) -> AgentRuntime:
    """An agent for a workspace; nothing is sent, started or written yet but the workspace's identity.

    `progress` is told of the download of the built-in demo model, where that is needed. `setups` makes of the agent and
    the identity of the workspace what says which agent works in each session.
    """
    _check_models(loaded)
    settings = loaded.settings
    secrets: tuple[str | tuple[str, ...], ...] = (*SECRETS, *named_secrets(settings.mcp))
    variables = os.environ if environment is None else environment
    values = with_kept(variables, secrets)
    wishes = wishes or Wishes()
    state = state_folder(values)
    identity = workspace_identity(loaded.root, state, trusted=loaded.trusted, keep=settings.persistence)
    skills = find_skills(_skill_folders(loaded, values))
    pool = ModelPool(
        configured=settings.model,
        environment=values,
        cache=default_cache(values),
        endpoints=settings.endpoints,
        budget=partial(_budget, settings),
        progress=progress,
    )
    port = EnginePort()
    redactor = Redactor((*secret_values(values), *(values[name] for name in values if not variables.get(name))))
    store = open_store(settings.store, durability=settings.durability) if settings.persistence else open_volatile()
    memory = agent_memory(store, settings, pool, redactor, unattended=not wishes.attended)

    def permissions() -> Permissions:
        return Permissions((*settings.permissions, *load_grants(state, identity, loaded.root), *wishes.rules))

    async def ended(job: str) -> str:
        return await toolbox.ended(job)

    def further() -> tuple[Tool, ...]:
        from holdfast.goals.toolset import GoalToolset

        goal_tools = GoalToolset(
            settings=settings.goals,
            models=pool,
            model=wishes.model,
            toolbox=lambda: toolbox,
            permissions=permissions,
            port=port,
        )
        return (*goal_tools.tools(), *memory_tools(memory))

    toolbox = _workspace_tools(loaded, skills, values, (*settings.permissions, *wishes.rules), further, port)
    goals = GoalService(root=loaded.root, ended=ended, steps=settings.limits.steps)
    setup = AgentSetup(
        models=pool,
        permissions=permissions,
        briefing=_briefing(loaded, skills, values),
        toolbox=toolbox,
        next_step=goals.driver(),
        account=goals.account(),
        slots=_next_slot,
        model=wishes.model,
        title_model=settings.title_model,
        summary_model=settings.summary_model,
        fallbacks=settings.fallbacks,
        limits=settings.limits,
        retry=settings.retry,
        compaction=settings.compaction if settings.compaction.enabled else None,
        no_thinking_back=settings.no_thinking_back,
        timestamps=settings.context.timestamps,
        dated=True,
        titles=wishes.titles,
        hooks=_hooks(loaded, variables),
        attended=wishes.attended,
        redactor=redactor,
        memory=memory,
        after_turn=(memory.background,) if memory is not None and not memory.off else (),
        before_compaction=(memory.background,) if memory is not None and not memory.off else (),
        keep=lambda rules: add_grants(state, identity, loaded.root, rules),
    )
    made = None if setups is None else setups(setup, identity)
    engine = Engine(store, setup, setups=made, idle_seconds=settings.idle_seconds)
    port.connect(engine)
    return AgentRuntime(
        engine=engine,
        port=port,
        pool=pool,
        loaded=loaded,
        identity=identity,
        skills=skills,
        notes=(*([loaded.passed_over] if loaded.passed_over else []), *skills.notes),
    )


def parsed_rules(allow: Iterable[str], deny: Iterable[str]) -> tuple[Rule, ...]:
    """Rules as they are written on a command line: `TOOL` or `TOOL:PATTERN`."""
    allowed = (_rule(text, "allow") for text in allow)
    return (*allowed, *(_rule(text, "deny") for text in deny))


def _rule(text: str, decision: str) -> Rule:
    tool, colon, pattern = text.partition(":")
    if not tool.strip() or (colon and not pattern):
        raise BadInput(f"{text!r} is no rule.", hint="Write TOOL or TOOL:PATTERN, such as 'shell:git status*'.")
    if hint := unknown_tool(tool.strip()):
        raise BadInput(f"{text!r} names no tool there is.", hint=hint)
    rule = Rule(tool=tool.strip(), pattern=pattern or "*", decision="allow" if decision == "allow" else "deny")
    if hint := misfit(rule):
        raise BadInput(f"{text!r} matches nothing that the tool does.", hint=hint)
    return rule


def _check_models(loaded: Loaded) -> None:
    """Raise `BadSetting` for a model that nobody has: otherwise it would show late, or never."""
    for each in loaded.explained:
        if each.key not in MODELS:
            continue
        for name in each.value if isinstance(each.value, tuple) else (each.value,):
            try:
                _ = str(name).strip() and understood(str(name))
            except BadInput as error:
                raise BadSetting(f"{each.origins[-1].naming(each.key)}: {error.message}", hint=error.hint) from error


def _next_slot(schedule: ScheduleSet, after: datetime) -> datetime | None:
    """As `next_slot`; zones and cron lines are loaded where there is a schedule."""
    from holdfast.goals.slots import next_slot

    return next_slot(schedule, after)


def _budget(settings: Settings, size: ModelSize) -> Budget:
    return settings.context.budget(size)


def _hooks(loaded: Loaded, environment: Mapping[str, str]) -> tuple[UserHook, ...]:
    """The programs of the user's settings; where there are none, nothing is loaded for them."""
    if not loaded.settings.hooks:
        return ()
    from holdfast.tools.hook_programs import HookProgram

    return tuple(
        HookProgram(
            each.on,
            each.command,
            tools=each.tools,
            seconds=each.seconds,
            folder=loaded.root,
            environment=environment,
        )
        for each in loaded.settings.hooks
    )


def _skill_folders(loaded: Loaded, environment: Mapping[str, str]) -> tuple[SkillFolder, ...]:
    further = (SkillFolder(root=folder.expanduser()) for folder in loaded.settings.skills)
    usual = skill_folders(user_folder(environment), loaded.root)
    return (*(each for each in usual if loaded.trusted or not each.project), *further)


def _folders(loaded: Loaded, values: Mapping[str, str]) -> tuple[Path, ...]:
    """The folders of a project that speak to its agents, the outermost first; none of another user."""
    return up_to_repository(loaded.root, values, loaded.settings.trusted_folders) if loaded.trusted else ()


def _briefing(loaded: Loaded, skills: Skills, values: Mapping[str, str]) -> Briefing:
    folders = _folders(loaded, values)
    return Briefing(
        workspace=str(loaded.root),
        skills=listed(skills.skills),
        notes=found_notes(user_folder(values), folders),
        surroundings=surroundings(folders[:1]),
        instructions=loaded.settings.instructions,
    )


def _workspace_tools(
    loaded: Loaded,
    skills: Skills,
    environment: Mapping[str, str],
    rules: Iterable[Rule],
    further: Callable[[], tuple[Tool, ...]],
    port: EnginePort,
) -> WorkspaceTools:
    return WorkspaceTools(
        partial(_builtin, loaded, skills, environment, _private(rules), further, port),
        partial(mcp_servers, loaded.settings.mcp, environment),
        root=loaded.root,
        wanted=cache(partial(_wanted, loaded.settings.tools)),  # asked for each tool at each step of a turn
    )


def _wanted(chosen: ToolSettings, name: str) -> bool:
    """Whether a tool is offered."""
    if any(covers(each, name) for each in chosen.disabled):
        return False
    return not chosen.enabled or any(covers(each, name) for each in chosen.enabled)


def _private(rules: Iterable[Rule]) -> tuple[str, ...]:
    """Paths that a rule keeps from being read unasked: a search through their folder must leave them out too."""
    reading = ("read_file", "grep", "find", "list_dir")
    return tuple(
        rule.pattern
        for rule in rules
        if rule.decision != "allow" and rule.pattern != ANYTHING and any(covers(rule.tool, name) for name in reading)
    )


def own_folders(loaded: Loaded, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Holdfast's own folders and files, which file tools never write to."""
    own = (user_folder(environment), user_file(environment), state_folder(environment))
    store = loaded.settings.store.folder
    return own if store is None else (store, *own)


def _builtin(
    loaded: Loaded,
    skills: Skills,
    environment: Mapping[str, str],
    private: tuple[str, ...],
    further: Callable[[], tuple[Tool, ...]],
    port: EnginePort,
) -> "Builtin":
    """The built-in tools; loads them and tries the sandbox, each of which takes a moment."""
    settings = loaded.settings
    own = own_folders(loaded, environment)
    with ThreadPoolExecutor(1) as beside:
        # The trial is a process of its own, so both together take no longer than one.
        sandbox = beside.submit(_sandbox, settings.tools.shell_sandbox, own, environment)
        from holdfast.tools.builtin import ToolReach, built_in
        from holdfast.tools.recall import recall_tools

        return built_in(
            loaded.root,
            sandbox=sandbox.result(),
            environment=environment,
            reach=ToolReach(
                shell_network=settings.tools.shell_network,
                shell_seconds=settings.tools.shell_seconds,
                web_allowed=tuple(ip_network(each) for each in settings.tools.web_allowed),
                folders=own,
                private=private,
            ),
            skills=skills.skills,
            further=(*further(), *recall_tools(port, settings.memory.recall)),
        )


def _sandbox(wanted: str, own: Iterable[Path], environment: Mapping[str, str]) -> "Sandbox | None":
    """What commands are shut into; None where they are not to run at all."""
    from holdfast.tools.shell.sandbox import Sandbox, find_sandbox

    if wanted == "off":
        return Sandbox(said="No sandbox: the settings turn it off.")
    found = find_sandbox(environment, hidden=own, notes=state_folder(environment) / "sandbox")
    return found if found.confines or wanted == "auto" else None


def mcp_servers(named: Mapping[str, McpSettings], environment: Mapping[str, str]) -> tuple[McpServer, ...]:
    """The servers of the settings, by name. Raises `BadSetting` where a secret is missing that one names."""
    return tuple(_server(name, each, environment) for name, each in named.items())


def named_secrets(named: Mapping[str, McpSettings]) -> tuple[str, ...]:
    """The names of the secrets that servers are given."""
    texts = (text for each in named.values() for text in (*each.env.values(), *each.headers.values()))
    return tuple(dict.fromkeys(name for text in texts for name in names_in(text)))


def _server(name: str, settings: McpSettings, environment: Mapping[str, str]) -> McpServer:
    return McpServer(
        name=name,
        command=(settings.command, *settings.args) if settings.command else (),
        env=filled(settings.env, environment),
        url=settings.url,
        headers=filled(settings.headers, environment),
        seconds=settings.seconds,
        tools=settings.tools,
        trusted_reads=settings.trusted_reads,
    )
