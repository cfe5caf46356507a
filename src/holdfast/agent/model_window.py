"""The context window of one session for one model, and how it is compacted.

It is kept from request to request and from turn to turn, so that each request reads only what is new.
"""

from msgspec.structs import replace

from holdfast.agent.models import ChatModel
from holdfast.agent.reserved import ReservedModel
from holdfast.agent.setup import AgentSetup
from holdfast.agent.stream_task import IdleTimeout
from holdfast.agent.tool import Tool
from holdfast.context.breakdown import Share, fixed_shares, said_shares, shares
from holdfast.context.compact.compact import Compaction, Compactor
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.compact.triggers import Trigger
from holdfast.context.legal.normalise import without_thinking
from holdfast.context.prepare import Assembled, assemble, fixed_tokens, open_view
from holdfast.context.system_text import system_text
from holdfast.errors import CompactionStuck
from holdfast.ids import Position
from holdfast.memory.shown import ShownMemory
from holdfast.model.effort import effort_for
from holdfast.model.protocol import Model, ToolSpec
from holdfast.model.tokens import load_counter
from holdfast.session.writer import Session

SMALL = 4
"""A small window gives at most one part in so many to a summary, and protects as much of the newest results."""


class ModelWindow:
    """The context window of one session for one model."""

    def __init__(
        self,
        session: Session,
        chat_model: ChatModel,
        setup: AgentSetup,
        summariser: ChatModel,
        memory: ShownMemory | None = None,
    ) -> None:
        """Look at a session for a model; another one may summarize."""
        self._chat_model, self._target = chat_model, chat_model.model.target
        dated = setup.dated and chat_model.takes_tools
        began = session.state.created if dated else None
        told = system_text(setup.briefing, tools=chat_model.takes_tools, began=began)
        self._system = self._briefing = told
        self._offered: tuple[Tool, ...] = ()
        self._memory, self._note = memory, ""
        self._tools: tuple[ToolSpec, ...] = ()
        self._view = open_view(session, self._target, timestamps=setup.timestamps, dated=dated, memory=memory)
        self._thinks_back = chat_model.name.partition(":")[0] not in setup.no_thinking_back
        self._automatic = setup.compaction is not None
        settings = fitted(setup.compaction or CompactionSettings(), summariser)
        model: Model = IdleTimeout(summariser.model, setup.retry.idle)
        if setup.account is not None:
            model = ReservedModel(model, session, setup.account)
        self._compactor = Compactor(session, self._view, model, settings=settings)
        self._session = session
        self._fixed = self._count()

    def offer(self, tools: tuple[Tool, ...]) -> None:
        """Tell the model of these tools from now on, if it takes any."""
        if tools is self._offered:
            return
        self._offered = tools
        specs = tuple(tool.spec for tool in tools) if self._chat_model.takes_tools else ()
        if specs != self._tools:
            self._tools = specs
            self._fixed = self._count()

    def plan(self, note: str) -> None:
        """Tell the model something besides, as long as it holds; '' for nothing."""
        self._note = note
        self.remember()

    def remember(self) -> None:
        """Tell the model what is remembered now, and what was planned."""
        # What changes most often stands last.
        remembered = "" if self._memory is None else self._memory.text
        system = "\n\n".join(filter(None, (self._briefing, remembered, self._note)))
        if system != self._system:
            self._system = system
            self._fixed = self._count()

    def _count(self) -> int:
        return fixed_tokens(self._target, system=self._system, tools=self._tools)

    @property
    def room(self) -> int:
        """How many tokens a request may have, as the provider counts."""
        return self._chat_model.budget.tokens - self._chat_model.budget.output

    def as_provider_counts(self, tokens: int) -> int:
        """Tokens as we count them, in those of the provider as far as it told: what a person is shown compares."""
        return tokens * self._session.state.ratio // 1000

    async def request(self) -> Assembled:
        """The next request, durable and within bounds."""
        made = await assemble(
            self._view,
            self._target,
            self._chat_model.budget,
            system=self._system,
            tools=self._tools,
            fixed=self._fixed,
        )
        request = made.request if self._thinks_back else without_thinking(made.request)
        effort = effort_for(self._target, self._session.state.effort)
        return replace(made, request=replace(request, effort=effort))

    async def shares(self) -> tuple[Share, ...]:
        """What fills the window now."""
        budget = self._chat_model.budget
        fixed = fixed_shares(self._target, self._system, self._tools)
        said = said_shares(*await self._view.contents(budget, fixed=self._fixed))
        return shares((fixed, said), budget, self._session.state.ratio)

    async def due(self) -> Trigger | None:
        """Whether the window should be made smaller first, and why."""
        return await self._compactor.due(self._chat_model.budget, fixed=self._fixed) if self._automatic else None

    async def compact(self, trigger: Trigger) -> Compaction:
        """Make the window smaller; says so in tokens of the provider."""
        try:
            done = await self._compactor.compact(self._chat_model.budget, trigger, fixed=self._fixed)
        except CompactionStuck as error:
            raise CompactionStuck(
                self.as_provider_counts(error.before), self.as_provider_counts(error.after)
            ) from error
        return replace(done, before=self.as_provider_counts(done.before), after=self.as_provider_counts(done.after))


def fitted(settings: CompactionSettings, chat_model: ChatModel) -> CompactionSettings:
    """The settings of compaction for a model that takes less than they were made for."""
    tokens = chat_model.budget.tokens
    share = max(1, tokens // SMALL)
    return replace(
        settings,
        window=min(settings.window, tokens),
        output=min(settings.output, share),
        protected=min(settings.protected, share),
    )


class ModelWindows:
    """The window of every model that answers in a session."""

    def __init__(self, session: Session, setup: AgentSetup) -> None:
        """Begin with none."""
        self._session, self._setup = session, setup
        self._windows: dict[str, ModelWindow] = {}
        self._memory = None if setup.memory is None else setup.memory.shown(session)

    @property
    def hidden(self) -> frozenset[Position]:
        """Entries that no model is shown, because they were forgotten; as of the last request."""
        return frozenset() if self._memory is None else self._memory.hidden

    async def of(self, chat_model: ChatModel) -> ModelWindow:
        """The window of a model, kept from turn to turn."""
        if chat_model.name not in self._windows:
            name = self._setup.summary_model
            summariser = await self._setup.models.named(name) if name else chat_model
            for each in (chat_model, summariser):
                await load_counter(each.model.target.model)
            self._windows[chat_model.name] = ModelWindow(
                self._session, chat_model, self._setup, summariser, self._memory
            )
        window = self._windows[chat_model.name]
        window.offer(await self._setup.toolbox.tools())
        if self._memory is not None:
            await self._memory.refresh()
            window.remember()
        return window
