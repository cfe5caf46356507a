"""`remember` and `retract`: what the person asks to be remembered, or not any more, in this turn.

Code checks what the model asks for, as when facts are drawn: the quote stands in what the person said in this turn, and
the fact says no more than that.
"""

from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Ask, Output, Tool, ToolContext, ToolHelp, said
from holdfast.errors import HoldfastError, ToolFailed
from holdfast.memory.accept import LONGEST, IsSecret, Judge, Proposal, said_by_person
from holdfast.memory.agent_memory import AgentMemory
from holdfast.records.codec import Record
from holdfast.records.entries import TurnEnded
from holdfast.records.facts import AddFact, ConfirmFact, Consolidated, ReplaceFact, RetractFact, Section
from holdfast.session.facts import Scope, fact_id
from holdfast.session.store import Store
from holdfast.tools.step import Step
from holdfast.tools.titles import title

_Quote = Annotated[str, Meta(max_length=600, description="The person's words in this turn that ask for it, exactly.")]
_Fact = Annotated[str, Meta(max_length=20, description="The id of a fact, such as F2gk5qaaz; `recall` shows ids.")]


class RememberArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `remember` takes."""

    text: Annotated[
        str, Meta(min_length=1, max_length=LONGEST, description="One sentence, in the person's words, with dates.")
    ]
    quote: _Quote
    section: Annotated[Section, Meta(description="What the fact is about.")] = "person"
    replaces: Annotated[_Fact, Meta(description="The id of the fact that this one takes the place of.")] = ""


class RetractArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `retract` takes."""

    fact: _Fact
    quote: _Quote


class MemoryTool:
    """What both have in common: one judged change of memory."""

    seconds = 30.0

    def __init__(self, store: Store, is_secret: IsSecret) -> None:
        """Change the memory of a store."""
        self._store, self._is_secret = store, is_secret

    async def change(self, proposal: Proposal, context: ToolContext) -> Output:
        """Write it down, if it stands on what the person said in this turn. Raises `ToolFailed` if it does not."""
        scope = Scope(owner=context.state.owner)
        if not context.state.memory:
            raise ToolFailed("This conversation is left out of memory; the person can type /memory on.")
        try:
            memory = await self._store.memory(scope)
            spoken = said_by_person(await self._this_turn(context))
        except HoldfastError as error:
            raise ToolFailed(f"Memory cannot be read now: {error}") from error
        holding = tuple(pos for pos, each in spoken.items() if not each.words.state(proposal.quote))
        cited = msgspec.structs.replace(proposal, at=holding or tuple(spoken))
        judge = Judge(spoken, memory.current, memory.forgotten, context.key, self._is_secret, asked=True)
        judged = judge.judge([cited])
        if not judged.facts:
            why = "; ".join(each.why for each in judged.refused) or "nothing was said"
            raise ToolFailed(f"It was not accepted: {why}. Only what the person said in this turn is remembered.")
        (operation,) = judged.facts
        entry = Consolidated(upto=context.state.consolidated, facts=judged.facts, made="remembered")
        pos = await context.write(entry)
        match operation:
            case ConfirmFact():
                return said(f"That was known already ({operation.fact}).")
            case RetractFact():
                return said(f"{operation.fact} holds no longer.")
            case AddFact() | ReplaceFact():
                return said(f"Remembered: {operation.text} ({fact_id(context.key, pos, 0)})")

    async def _this_turn(self, context: ToolContext) -> list[Record]:
        found = list[Record]()
        async for record in self._store.read_back(context.key):
            if isinstance(record.entry, TurnEnded):
                break
            found.append(record)
        return found


class Remember(MemoryTool):
    """Remembers a fact from now on."""

    spec = spec_of(
        "remember",
        "Remember a fact about the person from now on, in every conversation. Use it only when the person asks you to "
        "remember something; what they say otherwise is remembered by itself.",
        RememberArguments,
    )
    help = ToolHelp(
        limits=(f"One fact of up to {LONGEST} characters.", "Changes no file and asks for nothing."),
        errors=("The quote is not what the person said in this turn, or does not say that.", "It holds a secret."),
    )

    async def understand(self, arguments: str, context: ToolContext) -> Step:
        """Read the fact."""
        call = parsed(arguments, RememberArguments)
        proposal = Proposal(
            op="replace" if call.replaces else "add",
            section=call.section,
            text=call.text,
            quote=call.quote,
            fact=call.replaces,
        )
        named = title(self.spec.name, call.text)
        ask = Ask(tool=self.spec.name, subjects=(), title=named, detail=call.text, reads_only=True)
        return Step(ask, partial(self.change, proposal, context))


class Retract(MemoryTool):
    """Takes a fact back."""

    spec = spec_of(
        "retract",
        "Take back a remembered fact that holds no longer. Use it only when the person asks for it. Its history stays; "
        "to forget something for good, the person types /forget.",
        RetractArguments,
    )
    help = ToolHelp(
        limits=("Changes no file and asks for nothing.",),
        errors=("There is no such fact.", "The quote is not what the person said in this turn."),
    )

    async def understand(self, arguments: str, context: ToolContext) -> Step:
        """Read which fact."""
        call = parsed(arguments, RetractArguments)
        proposal = Proposal(op="retract", fact=call.fact, quote=call.quote)
        ask = Ask(
            tool=self.spec.name, subjects=(), title=title(self.spec.name, call.fact), detail=call.quote, reads_only=True
        )
        return Step(ask, partial(self.change, proposal, context))


def memory_tools(memory: AgentMemory) -> tuple[Tool, ...]:
    """The tools that change what an agent remembers."""
    return (Remember(memory.store, memory.is_secret), Retract(memory.store, memory.is_secret))
