"""A scripted agent with a goal: models, tools and a clock that tests own."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

import msgspec

from holdfast import ManualClock, Request, Scripted, Store, open_volatile
from holdfast.agent.conversation import Conversation
from holdfast.agent.limits import Limits
from holdfast.agent.permissions import Permissions, Rule
from holdfast.agent.tool import Action, FixedTools, Output, Tool, ToolContext, said
from holdfast.engine.engine import Engine
from holdfast.engine.port import EnginePort
from holdfast.goals.changes import set_goal
from holdfast.goals.goal_settings import GoalSettings
from holdfast.goals.service import GoalService
from holdfast.goals.slots import next_slot
from holdfast.goals.toolset import GoalToolset
from holdfast.model.protocol import UserMessage
from holdfast.providers.scripted.model import Cue
from holdfast.records.entries import Entry, GoalSet, UserSaid
from holdfast.records.parts import Source, plain_text
from tests.agent.troupe import PlainTool, Troupe, calling, entries, scripted, setup

QUIET = 20
"""So many rounds of the event loop without anything to do."""
PERSON = Source(host="terminal")
ALLOWED = Permissions((Rule(tool="*", decision="allow"),))
RULES = (Rule(tool="*", decision="allow"),)


def verdict(what: str, why: str = "seen") -> Callable[[Request], str]:
    """What a judge says: the answer that was asked for, with the word that only its request knows."""

    def answer(request: Request) -> str:
        token = re.findall(r'"token":"(\w+)"', asked(request))
        return json.dumps({"token": token[-1] if token else "", "verdict": what, "why": why})

    return answer


def asked(request: Request) -> str:
    """The last words that a model was told."""
    users = [each for each in request.messages if isinstance(each, UserMessage)]
    return plain_text(users[-1].parts) if users else ""


def complete(*evidence: int, recap: str = "All done.") -> Scripted:
    """A claim that the goal is reached."""
    return calling(("complete_goal", json.dumps({"recap": recap, "evidence": evidence})))


def claim(request: Request) -> Scripted:
    """A claim with the newest result of `work` that the agent was shown with its position."""
    shown = [plain_text(each.parts) for each in request.messages]
    lines = [line for line in "\n".join(shown).splitlines() if "(failed)" not in line]
    positions = re.findall(r"@(\d+) work", "\n".join(lines))
    return complete(int(positions[-1]))


def report(done: str = "Worked.") -> Scripted:
    """A report."""
    return calling(("report_progress", json.dumps({"done": done})))


def work(text: str = "a") -> Scripted:
    """A call of the tool that works."""
    return calling(("work", json.dumps({"text": text})))


class _Command(msgspec.Struct):
    command: str


class FakeShell(PlainTool):
    """A shell whose commands go as the test says, one after the other."""

    def __init__(self, *outcomes: bool) -> None:
        super().__init__("shell", reads_only=False)
        self._outcomes = iter(outcomes)

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        command = msgspec.json.decode(arguments, type=_Command).command
        return await super().understand(json.dumps({"text": command}), context)

    async def do(self, text: str, context: ToolContext) -> Output:
        self.ran.append(text)
        ok = next(self._outcomes, True)
        return said(f"exit code {0 if ok else 1}\nit ran", ok=ok)


class Worker:
    """An engine whose agent has goals."""

    def __init__(
        self,
        *script: Cue,
        tools: Sequence[Tool] = (),
        settings: GoalSettings | None = None,
        store: Store | None = None,
        clock: ManualClock | None = None,
        **more: object,
    ) -> None:
        self.settings, self.clock = settings or GoalSettings(), clock or ManualClock()
        self.model = scripted(*script)
        port, box = EnginePort(), FixedTools()
        models = Troupe(self.model, budget=more.pop("budget", None))  # type: ignore[arg-type]
        toolset = GoalToolset(
            settings=self.settings,
            models=models,
            toolbox=lambda: box,
            permissions=lambda: Permissions(RULES),
            port=port,
            clock=self.clock,
        )
        service = GoalService(
            root=more.pop("root", Path("/")),  # type: ignore[arg-type]
            ended=more.pop("ended", None),  # type: ignore[arg-type]
            steps=Limits().steps,
            clock=self.clock,
        )
        self.tool = PlainTool("work", more.pop("does", None))  # type: ignore[arg-type]
        box = FixedTools((self.tool, *tools, *toolset.tools()))
        self.made = setup(
            self.model,
            permissions=lambda: Permissions(RULES),
            next_step=service.driver(),
            account=service.account(),
            slots=next_slot,
            clock=self.clock,
            **more,  # type: ignore[arg-type]
        )
        self.made = msgspec.structs.replace(self.made, models=models, toolbox=box)
        self.engine = Engine(store or open_volatile(clock=self.clock), self.made, idle_seconds=0)
        port.connect(self.engine)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.engine.close()

    async def begin(self, objective: str = "Win.", *, key: str = "talk", **given: object) -> Conversation:
        """Set a goal and begin with it."""
        conversation = await self.engine.open(key)
        goal = GoalSet(objective=objective, **given)  # type: ignore[arg-type]
        facts = set_goal(conversation.state, objective, self.settings, by=PERSON, given=goal)
        await conversation.session.append(*facts)
        await conversation.go_on()
        return conversation


async def quiet(conversation: Conversation) -> None:
    """Let an agent work until nothing runs and nothing comes by itself."""
    still = 0
    async with asyncio.timeout(30):
        while still < QUIET:
            await asyncio.sleep(0)
            still = 0 if conversation.used else still + 1


async def log_of(conversation: Conversation) -> list[Entry]:
    """What the log says."""
    return await entries(conversation.session)


def steps_in(log: list[Entry]) -> list[str]:
    """The messages that began goal steps."""
    return [
        plain_text(each.parts)
        for each in log
        if isinstance(each, UserSaid) and each.source is not None and each.source.host == "goal"
    ]
