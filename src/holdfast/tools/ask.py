"""The tool that asks the person.

The question is the person's to answer, for as long as it takes; so it needs no permission and has
no time limit. Where nobody is there, the desk says so and the model goes on without an answer.
"""

from math import inf
from typing import Annotated

import msgspec

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Action, Ask, Output, ToolContext, ToolHelp, said
from holdfast.model.protocol import ToolSpec
from holdfast.records.printable import printable, printable_line
from holdfast.tools.titles import title

MOST_OPTIONS = 10
MOST_CHARACTERS = 4000

_Option = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class _Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    question: Annotated[
        str, msgspec.Meta(min_length=1, max_length=MOST_CHARACTERS, description="One question, in plain words.")
    ]
    options: Annotated[
        tuple[_Option, ...],
        msgspec.Meta(max_length=MOST_OPTIONS, description="Answers to choose from; the person may give another."),
    ] = ()


class AskUser:
    """Asks the person something that only they can decide."""

    spec: ToolSpec = spec_of(
        "ask_user",
        "Ask the person a question and wait for the answer. Use it when a decision is theirs and you cannot find the "
        "answer yourself; otherwise decide and go on.",
        _Arguments,
    )
    help = ToolHelp(
        limits=(f"A question has at most {MOST_CHARACTERS:,} characters and {MOST_OPTIONS} options.",),
        errors=("Nobody is there to answer.",),
    )
    seconds = inf

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Parse the question."""
        call = parsed(arguments, _Arguments)
        ask = Ask(
            tool=self.spec.name,
            subjects=(call.question,),
            title=title(self.spec.name, call.question),
            detail=call.question,
            reads_only=True,
        )
        return _Question(ask, call, context)


class _Question:
    """A question to be put to the person."""

    def __init__(self, ask: Ask, call: _Arguments, context: ToolContext) -> None:
        self.ask = ask
        self._call, self._context = call, context

    async def run(self) -> Output:
        """Put it to them, and give their answer."""
        options = tuple(printable_line(each, 200) for each in self._call.options)
        return said(await self._context.question(printable(self._call.question), options))
