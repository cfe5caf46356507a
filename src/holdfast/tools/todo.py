"""`todo`: the list of what is to be done, whole each time, so that the log always has the newest."""

from functools import partial
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Ask, Output, ToolContext, ToolHelp, said
from holdfast.tools.step import Step
from holdfast.tools.titles import title

MOST_ITEMS = 100
LONGEST_ITEM = 500

State = Literal["open", "doing", "done"]

_BOXES: dict[State, str] = {"open": "[ ]", "doing": "[>]", "done": "[x]"}


class Item(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing to do."""

    text: Annotated[str, Meta(min_length=1, max_length=LONGEST_ITEM, description="What is to be done.")]
    state: Annotated[State, Meta(description="How far it is.")] = "open"


class TodoArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `todo` takes."""

    items: Annotated[
        tuple[Item, ...],
        Meta(max_length=MOST_ITEMS, description="The whole list, in order; it replaces the one before."),
    ]


class Todo:
    """Keeps the list of what is to be done."""

    spec = spec_of(
        "todo",
        "Keep a list of what is to be done, for work of several steps. Send the whole list whenever something changes; "
        "have one item in the state `doing`.",
        TodoArguments,
    )
    help = ToolHelp(
        limits=(f"{MOST_ITEMS} items of up to {LONGEST_ITEM} characters.", "Changes no file and asks for nothing."),
        errors=("An item has no text, is too long, or has another state than `open`, `doing` or `done`.",),
    )
    seconds = 10.0

    async def understand(self, arguments: str, context: ToolContext) -> Step:
        """Read the list."""
        del context  # nothing of the session is needed
        items = parsed(arguments, TodoArguments).items
        done = sum(item.state == "done" for item in items)
        named = title(self.spec.name, more=f"({done} of {len(items)} done)")
        ask = Ask(tool=self.spec.name, subjects=(), title=named, detail=rendered(items), reads_only=True)
        return Step(ask, partial(_noted, items))


async def _noted(items: tuple[Item, ...]) -> Output:
    return said(rendered(items))


def rendered(items: tuple[Item, ...]) -> str:
    """The list as text."""
    return "\n".join(f"{_BOXES[item.state]} {' '.join(item.text.split())}" for item in items) or "(nothing to do)"
