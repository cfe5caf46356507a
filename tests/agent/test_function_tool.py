"""A function under `@tool`: what the model is told of it, what is asked before a call, and what comes of it."""

import json
import threading
from collections.abc import Callable
from typing import Annotated

import msgspec
import pytest

from holdfast import Permissions, Rule, ToolFinished, tool
from holdfast.agent.conversation import Conversation
from holdfast.agent.function_tool import FunctionTool
from holdfast.agent.tool import Output, ToolContext, said
from holdfast.errors import BadInput, ToolFailed
from holdfast.records.parts import plain_text
from tests.agent.troupe import calling, entries, scripted, setup, turn, volatile

PEOPLE = ["ann"]


class Harbour(msgspec.Struct):
    """Where."""

    name: str
    depth: float = 0.0


@tool(reads_only=True)
def tides(day: str, *, harbour: Harbour | None = None, days: int = 1) -> str:
    """When high water is on a day.

    The times are those of the place.

    Args:
        day: The day, such as Friday,
            in words.
        days (int): How many days.

    Returns:
        The times.
    """
    return f"{day}: 14:10 for {days} at {harbour.name if harbour else 'Dover'}"


@tool
async def ring(context: ToolContext, times: Annotated[int, msgspec.Meta(ge=1)] = 1) -> Output:
    """Ring the bell."""
    context.tell("ringing")
    return said("rang " * times)


@tool(allowed=True, seconds=5.0)
def sail(course: str) -> None:
    """Set sail."""


@tool(reads_only=True)
def where() -> dict[str, float]:
    """Where we are."""
    return {"depth": 4.5, "thread": threading.get_ident()}


@tool(reads_only=True)
def gather(names: list[str] = PEOPLE) -> list[str]:
    """Gather people."""
    names.append("bob")
    return names


@tool(reads_only=True)
def breaks(how: str) -> str:
    """Break."""
    raise ToolFailed("No wind.", hint="Row.") if how == "told" else ValueError("a leak")


TOOLS = (tides, ring, sail, where, gather, breaks)


async def called(name: str, arguments: str) -> ToolFinished:
    """What a call in a turn comes to, where everything is allowed that its tool allows."""
    rules = tuple(rule for each in TOOLS for rule in each.rules)
    made = setup(
        scripted(calling((name, arguments)), "Done."),
        tools=TOOLS,
        attended=False,
        permissions=lambda: Permissions(rules),
    )
    async with await volatile(made) as conversation:
        await turn(conversation, "go")
        return await result(conversation)


async def result(conversation: Conversation) -> ToolFinished:
    """The result of the only call."""
    (found,) = [entry for entry in await entries(conversation.session) if isinstance(entry, ToolFinished)]
    return found


def test_the_model_is_told_what_the_function_says_of_itself() -> None:
    """
    The name, the docstring without its sections, the types and defaults of the parameters, and what `Args:` says.
    """
    schema = json.loads(tides.spec.schema)

    assert ("tides", "When high water is on a day.\n\nThe times are those of the place.") == (
        tides.spec.name,
        tides.spec.description,
    )
    assert {"type": "string", "description": "The day, such as Friday, in words."} == schema["properties"]["day"]
    assert {"type": "integer", "description": "How many days.", "default": 1} == schema["properties"]["days"]
    assert ["day"] == schema["required"]


def test_the_context_is_no_argument() -> None:
    """
    The model is not told of it.
    """
    assert ["times"] == list(json.loads(ring.spec.schema)["properties"])


async def test_a_tool_is_still_a_function() -> None:
    """
    A program and its tests call it as before.
    """
    assert "Friday: 14:10 for 2 at Dover" == tides("Friday", days=2)
    assert tides.__doc__ is not None
    assert tides.__doc__.startswith("When high water")


@pytest.mark.parametrize(
    ("name", "arguments", "said_of"),
    [
        ("tides", '{"day": "Friday", "harbour": {"name": "Hull"}}', ("ok", "Friday: 14:10 for 1 at Hull")),
        ("tides", '{"day": "Friday", "days": "3"}', ("ok", "Friday: 14:10 for 3 at Dover")),
        ("sail", '{"course": "north"}', ("ok", "done")),
        ("gather", "{}", ("ok", '["ann","bob"]')),
        ("breaks", '{"how": "told"}', ("error", "No wind. Row.")),
        ("breaks", '{"how": "otherwise"}', ("error", "The tool failed: ValueError: a leak.")),
        ("ring", "{}", ("denied", "[not run] Nobody is there to answer.")),
    ],
)
async def test_a_call_becomes_a_result(name: str, arguments: str, said_of: tuple[str, str]) -> None:
    """
    Arguments are of the types that the function names, and whatever it returns or raises is told to the model.
    """
    found = await called(name, arguments)

    assert said_of[0] == found.outcome
    assert plain_text(found.parts).startswith(said_of[1][:14])
    assert said_of[0] != "ok" or said_of[1] == plain_text(found.parts)


async def test_a_default_is_made_anew_for_each_call() -> None:
    """
    What one call did to it is not seen by the next.
    """
    assert plain_text((await called("gather", "{}")).parts) == plain_text((await called("gather", "{}")).parts)


async def test_wrong_arguments_are_an_error_that_says_what_to_send() -> None:
    """
    The function is not called.
    """
    found = await called("tides", '{"day": 3}')

    assert "error" == found.outcome
    assert "Send a JSON object with `day`, `harbour`, `days`." in plain_text(found.parts)


async def test_a_function_without_async_runs_beside_the_event_loop() -> None:
    """
    A slow one holds nothing up.
    """
    found = json.loads(plain_text((await called("where", "{}")).parts))

    assert threading.get_ident() != found["thread"]


async def test_an_async_function_is_given_the_context() -> None:
    """
    It may tell a person what goes on.
    """
    all_of_it = Permissions([Rule(tool="*", decision="allow")])
    lines = calling(("ring", '{"times": 2}'))
    made = setup(scripted(lines, "Done."), tools=[ring], permissions=lambda: all_of_it)
    async with await volatile(made) as conversation:
        await turn(conversation, "go")

        assert "rang rang " == plain_text((await result(conversation)).parts)


@pytest.mark.parametrize(
    ("each", "arguments", "subjects"),
    [
        (sail, '{"course": "north"}', ("north",)),
        (tides, '{"day": "Friday"}', ('{"day":"Friday","harbour":null,"days":1}',)),
        (where, "{}", ("{}",)),
    ],
)
async def test_permission_is_about_all_arguments_together(
    each: FunctionTool[..., object], arguments: str, subjects: tuple[str, ...]
) -> None:
    """
    So allowing one call allows no other that mixes the arguments of two.
    """
    action = await each.understand(arguments, None)  # type: ignore[arg-type]

    assert subjects == action.ask.subjects


def test_permission_is_a_flag() -> None:
    """
    Without one a call is asked about, and reading and what is allowed run unasked.
    """
    assert () == tides.rules == ring.rules
    assert ["sail"] == [str(rule) for rule in sail.rules]
    assert (5.0, 60.0) == (sail.seconds, ring.seconds)


def untyped(day: str) -> None:
    """Has a parameter without a type."""


untyped.__annotations__.clear()


def many(*days: str) -> None:
    """Has any number of arguments."""


def unknown(day: str) -> None:
    """Has a type that is not there."""


unknown.__annotations__["day"] = "Missing"


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (untyped, "`day` of the tool 'untyped' has no type. Write one, such as `day: str`"),
        (many, "`days` of the tool 'many' cannot be given by its name"),
        (lambda: None, "'<lambda>' cannot be the name of a tool"),
        (unknown, "A type of the tool 'unknown' is not known"),
    ],
)
def test_a_function_that_cannot_be_a_tool_is_refused_at_once(function: Callable[..., None], why: str) -> None:
    """
    Where it is defined, with what to write instead.
    """
    with pytest.raises(BadInput, match=why):
        tool(function)
