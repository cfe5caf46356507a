"""Every setting, with its default; the text under each field is its entry in the reference."""

from collections.abc import Mapping
from ipaddress import ip_network
from math import isfinite
from pathlib import Path
from typing import Literal

import msgspec

from holdfast.agent.limits import Limits, RetryPolicy
from holdfast.agent.permissions import Rule
from holdfast.context.budget import Budget
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.errors import BadInput
from holdfast.goals.goal_settings import GoalSettings
from holdfast.log.store import Durability, Place
from holdfast.memory.settings import MemorySettings
from holdfast.model.context_sizes import ModelSize
from holdfast.records.parts import Value
from holdfast.session.hooks import Occasion

Sandbox = Literal["off", "auto", "require"]
"""Whether commands are shut in, the loosest first."""


LAST_PORT = 65_535
RESERVED = 32_768
RESERVED_SHARE = 4
"""At most so many tokens, and one part of the window in so many, are kept free for a reply whose length nobody set: the
reply may take more, and most replies take much less, while what is kept free shows less of the conversation."""


class ContextSettings(Value, frozen=True, kw_only=True):
    """How much of a conversation a model is shown."""

    tokens: int = 0
    """What the model can take, its reply included, in tokens; 0 takes it from the model."""
    output: int = 0
    """The longest reply, in tokens, and how many of them are kept free for it; 0 allows the model's own longest reply,
    and keeps at most a quarter of them free, and at most 32,768."""
    history_messages: int = 0
    """The most messages that are shown, results of tools included; 0 means that only tokens count."""
    target: float = 0.75
    """When a bound is reached, what is shown is cut to this share of it, and grows from there."""
    timestamps: bool = False
    """Whether the model is told when each thing was said."""
    keep_first: bool = True
    """Whether the first thing that was said stays, however long the conversation gets."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name in ("tokens", "output", "history_messages"):
            if getattr(self, name) < 0:
                raise BadInput(f"`{name}` is {getattr(self, name)}.", hint="Give 0 or more.")
        if not 0 < self.target <= 1:
            raise BadInput(f"`target` is {self.target}, which is no share.", hint="Give one above 0, up to 1.")
        if self.tokens and self.tokens <= self.output:
            raise BadInput(
                f"`tokens` is {self.tokens}, and `output` takes {self.output} of them.",
                hint="Give more tokens, or keep fewer free for the reply.",
            )

    def budget(self, size: ModelSize) -> Budget:
        """The bounds for a model of a size."""
        tokens = self.tokens or size.window
        reply = min(self.output or size.output, size.output or self.output)
        free = tokens // 2 if self.output else min(RESERVED, tokens // RESERVED_SHARE)
        return Budget(
            tokens=tokens,
            output=min(reply or RESERVED, free),
            reply=reply,
            messages=self.history_messages or None,
            target=self.target,
            keep_first=self.keep_first,
        )


class AutoCompaction(CompactionSettings, frozen=True, kw_only=True):
    """When and how a long conversation is summarized."""

    enabled: bool = True
    """Whether that happens by itself; without it, what does not fit is left out."""


class ToolSettings(Value, frozen=True, kw_only=True):
    """What the model may be offered, and how far its tools reach."""

    enabled: tuple[str, ...] = ()
    """The tools that are offered, by name or by a pattern such as `mcp_*`; with none named, all of them are."""
    disabled: tuple[str, ...] = ()
    """Tools that are never offered, by name or pattern; those of the user's and of the project's file add up."""
    shell_sandbox: Sandbox = "auto"
    """Whether commands run shut in: `require` runs none where that cannot be, `auto` says so and asks, `off` never."""
    shell_network: bool = False
    """Whether commands that are shut in reach the network."""
    shell_seconds: float = 120.0
    """How long a command may run before it is ended, unless the model asks for another time."""
    web_allowed: tuple[str, ...] = ()
    """Networks inside your own that pages may be fetched from, such as `192.168.1.0/24`; else only public ones."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if not 0 < self.shell_seconds < float("inf"):
            raise BadInput(f"`shell_seconds` is {self.shell_seconds}.", hint="Give a number of seconds above 0.")
        for network in self.web_allowed:
            try:
                ip_network(network)
            except ValueError as error:
                raise BadInput(
                    f"`web_allowed` has {network!r}, which is no network.",
                    hint="Write it as `192.168.1.0/24`, or one address as `192.168.1.7`.",
                ) from error


class McpSettings(Value, frozen=True, kw_only=True):
    """A server of further tools: a program that is started, or an address."""

    command: str = ""
    """The program to start."""
    args: tuple[str, ...] = ()
    """What the program is given."""
    env: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Variables of the program's environment; `$NAME` stands for a secret of the environment or the keyring."""
    url: str = ""
    """The address of a server that runs already; either this or `command`."""
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Headers of each request to the address; `$NAME` stands for a secret, as in `Bearer $TOKEN`."""
    seconds: float = 60.0
    """How long a call may take."""
    tools: tuple[str, ...] = ()
    """The tools of it that are offered; with none named, all of them are."""
    trusted_reads: bool = False
    """Whether tools run unasked when the server says that they only read."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if bool(self.command) == bool(self.url):
            raise BadInput("A server has either a `command` or a `url`.", hint="Give one of the two.")
        idle = [name for name in (("args", "env") if self.url else ("headers",)) if getattr(self, name)]
        if idle:
            whose = "a `command`" if self.url else "a `url`"
            raise BadInput(f"`{idle[0]}` is for a server with {whose}.", hint="Take it out.")
        if self.url and not self.url.startswith(("http://", "https://")):
            raise BadInput("`url` is no web address.", hint="It begins with https:// or http://.")
        if not 0 < self.seconds < float("inf"):
            raise BadInput(f"`seconds` is {self.seconds}.", hint="Give a number of seconds above 0.")


class HookSettings(Value, frozen=True, kw_only=True):
    """A program of yours that is told what the agent does, and may have a say in it."""

    on: Occasion
    """When it runs: `session_start`, `turn_start`, `before_tool`, `after_tool`, `before_compaction`, `turn_end` or
    `session_end`."""
    command: tuple[str, ...]
    """The program and what it is given; it is run without a shell, in the workspace, outside of the sandbox."""
    tools: tuple[str, ...] = ("*",)
    """Before and after a tool: the tools it is about, by name or by a pattern such as `mcp_*`."""
    seconds: float = 30.0
    """How long it may take. A hook before a tool that takes longer stops that call."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if not self.command or not self.command[0].strip():
            raise BadInput("A hook has no `command`.", hint='Write it as `command = ["/path/to/program"]`.')
        if not 0 < self.seconds < float("inf"):
            raise BadInput(f"`seconds` is {self.seconds}.", hint="Give a number of seconds above 0.")
        if self.tools != ("*",) and self.on not in {"before_tool", "after_tool"}:
            raise BadInput(f"`tools` means nothing for a hook on `{self.on}`.", hint="Take it out.")


class UiSettings(Value, frozen=True, kw_only=True):
    """How the chat in a terminal looks and behaves."""

    theme: Literal["auto", "light", "dark", "none"] = "auto"
    """The colours: for a light or a dark terminal, found out, or none."""
    keys: Literal["emacs", "vi"] = "emacs"
    """Which editor the keys follow while you type."""
    thinking: Literal["dim", "hide", "show"] = "dim"
    """How the model's thinking is shown."""
    bell: bool = False
    """Whether the terminal rings when a turn ends or a question waits."""
    screen_reader: bool = False
    """Whether output is written for a screen reader: plain lines, in order, nothing redrawn."""


class GatewaySettings(Value, frozen=True, kw_only=True):
    """How `holdfast serve` listens, and to whom."""

    host: str = "127.0.0.1"
    """The address to listen on. One that others can reach needs a login or a token first."""
    port: int = 8700
    """The port to listen on; 0 takes one that is free."""
    hosts: tuple[str, ...] = ()
    """Further names under which it is reached, such as the one of a reverse proxy or a tailnet."""
    proxies: tuple[str, ...] = ()
    """Addresses of reverse proxies, whose `X-Forwarded-For` and `X-Forwarded-Proto` count."""
    grace_seconds: float = 10.0
    """How long turns that run may take to end when it is told to stop."""

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if not 0 <= self.port <= LAST_PORT:
            raise BadInput(f"`port` is {self.port}.", hint="It is a number from 0 to 65535.")
        if not self.grace_seconds >= 0:
            raise BadInput(f"`grace_seconds` is {self.grace_seconds}.", hint="It is a number of seconds.")


class Settings(Value, frozen=True, kw_only=True):
    """How Holdfast is to run."""

    store: Place = Place(folder=Path("~/.holdfast"))
    """The folder with the conversations. It is made when something is written, and must lie on a local disk: on a
    network file system one writer cannot be guaranteed, so writing is refused there and reading works. `~` means your
    home folder. `--store PATH` names another folder for one command."""
    durability: Durability = "always"
    """What an acknowledgement waits for. With `always`, what was acknowledged survives a killed process and a power
    cut; with `interval` a power cut too, if it was said more than a second before; with `os` a killed process, and
    after a power cut it depends on the system. With all three, what survives is whole, in order, and checked."""
    retention_days: float = 0.0
    """After how many idle days a session moves into the trash; 0 keeps everything. `holdfast sessions` moves them, and
    says so. Parts of a day can be given, such as `0.5`. The trash is never emptied by itself: `holdfast trash` lists
    it, `holdfast trash restore` brings a session back."""
    persistence: bool = True
    """Whether conversations are kept at all; without it they live in memory, nothing is written, and they are gone with
    the process."""
    idle_seconds: float = 300.0
    """After how many seconds a conversation is closed in which nothing runs and that nobody watches, where a program
    holds many of them; the next use opens it again. 0 keeps them open."""
    model: str = ""
    """The model to ask, as `service:name`; without one, the first that can be reached here is taken."""
    fallbacks: tuple[str, ...] = ()
    """Models to ask in this order when the first one cannot be reached."""
    title_model: str = ""
    """The model that finds titles; without it the one of the session, unless that is the small one inside."""
    summary_model: str = ""
    """The model that summarizes long conversations; without it the one of the session."""
    endpoints: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Addresses of services, by name, where they are not the usual ones: `ollama = "http://10.0.0.7:11434/v1"`."""
    no_thinking_back: tuple[str, ...] = ()
    """Services, by name, that are not sent what their models thought: `["vllm"]`. By default, thinking goes back to the
    service that sent it, in the form in which it came: many models need it between a tool call and its result. A
    service that refuses the field by its name is asked again without it, so this is for other refusals."""
    limits: Limits = Limits()
    retry: RetryPolicy = RetryPolicy()
    context: ContextSettings = ContextSettings()
    compaction: AutoCompaction = AutoCompaction()
    memory: MemorySettings = MemorySettings()
    permissions: tuple[Rule, ...] = ()
    """What runs unasked, what is asked about, what never runs. A denial anywhere wins; otherwise the last rule that
    matches decides; the rules of the project's file come after those of the user's."""
    tools: ToolSettings = ToolSettings()
    goals: GoalSettings = GoalSettings()
    mcp: Mapping[str, McpSettings] = msgspec.field(default_factory=dict)
    """Servers of further tools, by name."""
    hooks: tuple[HookSettings, ...] = ()
    """Programs that are told what the agent does, in this order; only your own file may name them."""
    skills: tuple[Path, ...] = ()
    """Further folders with skills, beside those of the user and of the workspace."""
    trusted_folders: tuple[Path, ...] = ()
    """Folders of other users that count as your own, with everything below them: what a project in them says is read.
    Without it nothing in a folder of another user, or in one with a `.git`, `.holdfast`, `AGENTS.md` or `CLAUDE.md` of
    another user, is read as settings, instructions or skills."""
    instructions: str = ""
    """What the model is told in every session; what the project's file says follows what the user's says."""
    ui: UiSettings = UiSettings()
    gateway: GatewaySettings = GatewaySettings()

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if not (self.retention_days >= 0 and isfinite(self.retention_days)):
            raise BadInput(
                f"`retention_days` is {self.retention_days}.", hint="It is a number of days; 0 keeps everything."
            )
        if not self.idle_seconds >= 0:
            raise BadInput(f"`idle_seconds` is {self.idle_seconds}.", hint="It is a number of seconds; 0 is never.")
        for service, url in self.endpoints.items():
            if not url.startswith(("http://", "https://")):
                raise BadInput(f"`endpoints.{service}` is no web address.", hint="It begins with https:// or http://.")
