"""A small agent: enough of a loop to have a conversation with tools, and to go on with one that broke off."""

from holdfast import (
    ClientId,
    ModelReplied,
    Position,
    Session,
    Text,
    ToolCall,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    UserSaid,
)
from holdfast.context.budget import Budget
from holdfast.context.compact.compact import Compactor
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.prepare import Prepared, fixed_tokens, open_view, prepare
from holdfast.context.view import View
from holdfast.context.window import Window
from holdfast.errors import Unavailable
from holdfast.model.protocol import Target, TextDelta
from holdfast.model.stream import Accumulator, Reply
from holdfast.providers.scripted.model import ScriptedModel
from holdfast.records.entries import Drafted, Entry
from tests.journeys.story import SYSTEM, TOOLS, play, question, result, summed_up, target_of

BUDGET = Budget(tokens=10_000, output=500)
SETTINGS = CompactionSettings(protected=1_500, window=8_000, output=700)
DARK = range(115, 145)
"""In these turns no summary can be had, so the window's start must move."""

_FACTS = UserSaid | ModelReplied | ToolStarted | ToolFinished | TurnEnded


class Agent:
    """Has one turn of the story after the other, in an open session."""

    def __init__(self, session: Session) -> None:
        """Go on wherever the session is."""
        self._session = session
        self._views: dict[Target, View] = {}

    async def turn(self, number: int) -> None:
        """Have a turn, or what is left of it."""
        target = target_of(number)
        # The model takes no more than the budget, and refuses what is illegal: that is checked in every request.
        model = ScriptedModel(target, then=play, window=BUDGET.tokens)
        summariser = ScriptedModel(target, then=_unavailable if number in DARK else summed_up, window=SETTINGS.window)
        view = self._view(target)
        compactor = Compactor(self._session, view, summariser, settings=SETTINGS)
        asked = UserSaid(parts=(Text(text=question(number)),), client_id=ClientId(f"turn {number}"))
        await self._session.append(asked)
        await self._session.commit()
        while not await self._ended():
            fixed = fixed_tokens(target, system=SYSTEM, tools=TOOLS)
            trigger = await compactor.due(BUDGET, fixed=fixed)
            if trigger is not None:
                await compactor.compact(BUDGET, trigger, fixed=fixed)
            prepared = await prepare(self._session, target, BUDGET, system=SYSTEM, tools=TOOLS, view=view)
            await self._act(await self._reply(model, prepared))

    async def window(self, number: int) -> Window:
        """What the model of a turn is shown."""
        target = target_of(number)
        return await self._view(target).window(BUDGET, fixed=fixed_tokens(target, system=SYSTEM, tools=TOOLS))

    def _view(self, target: Target) -> View:
        """The view of a model, kept from one request to the next."""
        if target not in self._views:
            self._views[target] = open_view(self._session, target)
        return self._views[target]

    async def _ended(self) -> bool:
        """Whether the turn has ended; an answer that nothing follows ends it."""
        last = await self._last_fact()
        if isinstance(last, ModelReplied) and last.stop == "ended":
            await self._session.append(TurnEnded())
            await self._session.commit()
            return True
        return isinstance(last, TurnEnded)

    async def _last_fact(self) -> Entry | None:
        async for record in self._session.read_back():
            if isinstance(record.entry, _FACTS):
                return record.entry
        return None

    async def _reply(self, model: ScriptedModel, prepared: Prepared) -> Reply:
        """Let the model answer, keep what it says while it says it, and write it down."""
        pieces = Accumulator(model.target)
        earliest = Position(self._session.state.last + 1)
        async for delta in model.stream(prepared.request):
            pieces.add(delta)
            if isinstance(delta, TextDelta):
                await self._session.draft(Drafted(reply=earliest, text=delta.text))
        reply = pieces.reply()
        await self._session.finish(_written(reply, model.target, prepared.tokens))
        return reply

    async def _act(self, reply: Reply) -> None:
        """Run what the model calls: all begin, and the last to begin is the first to end."""
        calls = [part for part in reply.parts if isinstance(part, ToolCall)]
        for call in calls:
            await self._session.append(ToolStarted(call=call.id, name=call.name))
            await self._session.commit()
        for call in reversed(calls):
            parts = (Text(text=result(call.arguments)),)
            await self._session.append(ToolFinished(call=call.id, name=call.name, parts=parts))


def _written(reply: Reply, target: Target, asked: int) -> ModelReplied:
    stop = reply.stop or "interrupted"
    return ModelReplied(parts=reply.parts, model=target.model, usage=reply.usage, stop=stop, asked_tokens=asked)


def _unavailable(_: object) -> Unavailable:
    return Unavailable("Too many requests.")
