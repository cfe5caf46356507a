"""What we send is what the packages of OpenAI, Anthropic and Google would send, by their own types."""

from collections.abc import Callable, Mapping
from typing import Any, get_args

import msgspec
import pytest

from holdfast import Budget, Prepared, Session, Target, ToolSpec, open_volatile, prepare
from holdfast.clock import ManualClock
from holdfast.context.legal import openai_responses
from holdfast.errors import Unavailable
from holdfast.ids import CallId
from holdfast.model.protocol import Family
from holdfast.providers.anthropic import AnthropicModel
from holdfast.providers.gemini import GeminiModel
from holdfast.providers.openai.model import OpenAICompatible
from holdfast.records.entries import Delivered, Entry, ModelReplied, ToolFinished, ToolStarted, TurnEnded, UserSaid
from holdfast.records.parts import Blob, Part, Text, Thinking, ToolCall
from tests.context.legal.bodies import Body, at, changed
from tests.context.legal.sdk_types import problems
from tests.providers.elsewhere import Asking
from tests.providers.stand_in import Answer, StandIn
from tests.records.pictures import png

TARGETS: Mapping[Family, Target] = {
    "openai-chat": Target(family="openai-chat", model="gpt-4o", provider="openai"),
    "openai-responses": Target(family="openai-responses", model="gpt-6.1-sol", provider="openai"),
    "anthropic": Target(family="anthropic", model="claude-opus-5-5", provider="anthropic"),
    "gemini": Target(family="gemini", model="gemini-4-argon", provider="google"),
}
SIGNATURES: Mapping[Family, str] = {"openai-responses": openai_responses.signature("rs_1", "gAAA"), "gemini": "c2ln"}
TOOLS = (
    ToolSpec(
        name="read",
        description="Reads a file.",
        schema='{"type":"object","properties":{"path":{"type":"string"},"n":{"type":["integer","null"]}},"required":["path"]}',
    ),
    ToolSpec(name="mail.find/all", description="Finds."),
)
PDF = b"%PDF-1.7 a document"


class Told:
    """A conversation that is being told, to one model."""

    def __init__(self, session: Session, target: Target) -> None:
        self.session, self.target = session, target

    def thought(self, text: str, signature: str = "") -> Thinking:
        """Thinking that this model signed."""
        signed = signature or SIGNATURES.get(self.target.family, "sig")
        return Thinking(text=text, signature=signed, provider=self.target.provider, model=self.target.model)

    async def say(self, *entries: Entry) -> None:
        """Write down what is said."""
        await self.session.append(*entries)


def said(*parts: Part | str) -> UserSaid:
    """What a person says."""
    return UserSaid(parts=tuple(Text(text=each) if isinstance(each, str) else each for each in parts))


def replied(*parts: Part | str, **more: Any) -> ModelReplied:  # noqa: ANN401 - whatever an entry takes
    """What the model says."""
    return ModelReplied(parts=tuple(Text(text=each) if isinstance(each, str) else each for each in parts), **more)


def call(name: str = "a", tool: str = "read", arguments: str = '{"path": "a.txt"}') -> ToolCall:
    """A call of a tool."""
    return ToolCall(id=CallId(name), name=tool, arguments=arguments)


def gave(name: str, *parts: Part | str, tool: str = "read", **more: Any) -> ToolFinished:  # noqa: ANN401 - as above
    """What a tool gave."""
    return ToolFinished(call=CallId(name), name=tool, parts=said(*parts).parts, **more)


async def one_question(told: Told) -> None:
    """The shortest there is."""
    await told.say(said("Hello."))


async def turns(told: Told) -> None:
    """Words from both sides."""
    for number in range(3):
        await told.say(said(f"{number}?"), replied(f"{number}.", "And more."), TurnEnded())
    await told.say(said("And?"))


async def calls(told: Told) -> None:
    """A call and its result, and words after it."""
    await told.say(
        said("Look."), replied("I look.", call(), stop="called"), gave("a", "found"), replied("There."), said("So?")
    )


async def parallel(told: Told) -> None:
    """Calls in one reply, one of them failed, under one id."""
    two = replied(call("a"), call("a", "mail.find/all", "{}"), stop="called")
    await told.say(
        said("Both."), two, gave("a", "one"), gave("a", "no such file", tool="mail.find/all", outcome="error")
    )


async def thinking(told: Told) -> None:
    """Thinking that goes back, before words and before a call."""
    first = replied(told.thought("Hm."), "I look.", call(), stop="called")
    second = replied(told.thought("", "sig2" if told.target.family == "anthropic" else ""), call("b"), stop="called")
    await told.say(said("Think."), first, gave("a", "x"), second, gave("b", "y"))


async def hidden(told: Told) -> None:
    """Thinking that the service keeps to itself."""
    data = "redacted:ZGF0YQ==" if told.target.family == "anthropic" else ""
    await told.say(said("Think."), replied(told.thought("", data), call(), stop="called"), gave("a", "x"))


async def another_model(told: Told) -> None:
    """Thinking and calls of another model."""
    other = Thinking(text="Hm.", signature="EqQB", provider="acme", model="acme-1")
    await told.say(said("Think."), replied(other, "So.", call("toolu_01/x"), stop="called"), gave("toolu_01/x", "x"))


async def picture(told: Told) -> None:
    """A picture and a document that a person gave."""
    image = await told.session.attach(png(), media_type="image/png", name="boat.png")
    paper = await told.session.attach(PDF, media_type="application/pdf", name="paper.pdf")
    await told.say(said("See:", image, paper))


async def picture_of_a_tool(told: Told) -> None:
    """A picture that a tool gave, and one of a tool that failed."""
    image = await told.session.attach(png(), media_type="image/png", name="boat.png")
    results = (gave("a", "here", image), gave("b", "half", image, outcome="error"))
    await told.say(said("Draw."), replied(call("a"), call("b"), stop="called"), *results)


async def text_beside_the_log(told: Told) -> None:
    """A long text that was attached, and what nobody takes."""
    words = await told.session.attach(b"once upon a time " * 100, media_type="text/plain", name="story.txt")
    zipped: Blob = await told.session.attach(b"PK", media_type="application/zip", name="a.zip")
    await told.say(said(words, zipped))


async def odd_words(told: Told) -> None:
    """Nothing, white space, halves of characters, and more than one language."""
    await told.say(said(""), replied(" \n"), said("a\ud800b\x00", "日本語 🚢"), replied("é", " "), said("\t"))


async def odd_arguments(told: Told) -> None:
    """Arguments that are no object, or none."""
    odd = [
        call(str(at), arguments=given) for at, given in enumerate(("", "not json", "[1]", '{"a":1,"a":2}', '{"é":1e3}'))
    ]
    await told.say(said("Go."), replied(*odd, stop="called"), *(gave(each.id, "") for each in odd))


async def broken_off(told: Told) -> None:
    """A reply that was cut, and a call that never finished."""
    await told.say(said("Go."), replied("Once upon", stop="interrupted"), said("On."), replied(call(), stop="called"))
    await told.say(ToolStarted(call=CallId("a"), name="read"), TurnEnded(why="cancelled"), said("And now?"))


async def unasked(told: Told) -> None:
    """What the agent said without being asked, at the beginning too."""
    await told.say(Delivered(parts=(Text(text="The backup failed."),)), said("Why?"), replied("Disk."), said("Oh."))


async def long(told: Told) -> None:
    """More than the window holds."""
    for number in range(40):
        answers = (replied(told.thought("Hm."), call(), stop="called"), gave("a", "word " * 60), replied("So."))
        await told.say(said(f"question {number} " * 20), *answers, TurnEnded())
    await told.say(said("And?"))


CONVERSATIONS: tuple[Callable[[Told], Any], ...] = (
    one_question,
    turns,
    calls,
    parallel,
    thinking,
    hidden,
    another_model,
    picture,
    picture_of_a_tool,
    text_beside_the_log,
    odd_words,
    odd_arguments,
    broken_off,
    unasked,
    long,
)  # fmt: skip
every_conversation = pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda each: each.__name__)
every_family = pytest.mark.parametrize("family", get_args(Family))


async def prepared_of(conversation: Callable[[Told], Any], target: Target) -> Prepared:
    """What is to be sent next in a conversation, with system text and tools wherever it is not about a call."""
    async with open_volatile(clock=ManualClock()) as store, store.session("s") as session:
        await conversation(Told(session, target))
        tools = () if conversation is another_model else TOOLS
        return await prepare(session, target, Budget(tokens=6_000, output=2_500), system="Be brief.", tools=tools)


def test_there_are_fifteen_conversations_in_four_families() -> None:
    """
    Each is another one.
    """
    assert (15, 4) == (len(set(CONVERSATIONS)), len(TARGETS))


@every_family
@every_conversation
async def test_a_prepared_body_passes_the_types_of_the_service(
    conversation: Callable[[Told], Any], family: Family
) -> None:
    """
    What `prepare` gives to a program can be given to the package of the service as it is.
    """
    body = (await prepared_of(conversation, TARGETS[family])).body

    assert [] == problems(family, body, msgspec.json.encode(body))


@every_family
@every_conversation
async def test_a_sent_body_passes_the_types_of_the_service(conversation: Callable[[Told], Any], family: Family) -> None:
    """
    With all that is asked for beside the messages: to stream, to think, to count.
    """
    request = (await prepared_of(conversation, TARGETS[family])).request
    async with StandIn(Answer([b"{}"], 500)) as there:
        asking = model(TARGETS[family], there.url)
        with pytest.raises(Unavailable):
            await anext(asking.stream(request))
        await asking.close()
        (body,) = there.bodies

    assert [] == problems(family, body, msgspec.json.encode(body))


def model(target: Target, url: str) -> Asking:
    """The model that talks to a service of a family."""
    match target.family:
        case "anthropic":
            return AnthropicModel(target.model, base_url=url, key="")
        case "gemini":
            return GeminiModel(target.model, base_url=url, key="")
        case _:
            return OpenAICompatible(target, base_url=url)


async def test_what_was_thought_goes_back_in_each_form() -> None:
    """
    The types would pass without it; so it is looked for.
    """
    bodies = {family: (await prepared_of(thinking, target)).body for family, target in TARGETS.items()}

    assert {"type": "thinking", "thinking": "Hm.", "signature": "sig"} == at(
        bodies["anthropic"], "messages", 1, "content", 0
    )
    assert "c2ln" == at(bodies["gemini"], "contents", 1, "parts", 1, "thoughtSignature")
    assert "rs_1" == at(bodies["openai-responses"], "input", 1, "id")
    assert "gAAA" == at(bodies["openai-responses"], "input", 1, "encrypted_content")
    assert ["reasoning.encrypted_content"] == bodies["openai-responses"]["include"]


WRONG: list[tuple[Family, tuple[str | int, ...], object]] = [
    ("openai-chat", ("nope",), 1),
    ("openai-chat", ("messages", 1, "nope"), 1),
    ("openai-chat", ("messages", 1, "role"), "someone"),
    ("openai-chat", ("messages", 1, "content"), [{"type": "text"}]),
    ("openai-chat", ("model",), None),
    ("openai-responses", ("input", 0, "content", 0, "nope"), 1),
    ("openai-responses", ("input", 1), {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}),
    ("openai-responses", ("input", 2), {"type": "message", "role": "assistant", "content": [{"type": "output_text"}]}),
    ("openai-responses", ("max_output_tokens",), "16"),
    ("openai-responses", ("include",), ["everything"]),
    ("anthropic", ("messages", 1, "content", 0, "cache_control"), {"type": "ephemeral"}),
    ("anthropic", ("messages", 0, "content", 0, "cache_control"), {"type": "for ever"}),
    ("anthropic", ("messages", 0, "content", 0, "text"), None),
    ("anthropic", ("max_tokens",), True),
    ("anthropic", ("system", 0), {"type": "text"}),
    ("gemini", ("nope",), 1),
    ("gemini", ("contents", 0, "parts", 0, "nope"), 1),
    ("gemini", ("contents", 1, "parts", 1, "functionCall"), "read"),
    ("gemini", ("generationConfig", "maxOutputTokens"), "many"),
]


@pytest.mark.parametrize(("family", "path", "to"), WRONG)
async def test_the_types_can_refuse(family: Family, path: tuple[str | int, ...], to: object) -> None:
    """
    A key too many, a key too few and a value of another type are each found.
    """
    body: Body = dict((await prepared_of(thinking, TARGETS[family])).body)
    wrong = changed(body, path, to)

    assert [] == problems(family, body, msgspec.json.encode(body))
    assert [] != problems(family, wrong, msgspec.json.encode(wrong))
