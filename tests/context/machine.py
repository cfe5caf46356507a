"""Conversations at random: users, replies, calls, crashes, rewinds, forks, and windows of them.

The rules act on a real session. What must hold of every window stands in `look`.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Literal, TypeVar, get_args

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from holdfast import (
    Blob,
    BlobId,
    CallId,
    CommandRan,
    Delivered,
    Entry,
    ModelReplied,
    Part,
    Pinned,
    Position,
    Rewound,
    Session,
    Store,
    Text,
    Thinking,
    ToolCall,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    Unpinned,
    Usage,
    UserSaid,
    open_store,
    open_volatile,
)
from holdfast.context.budget import Budget
from holdfast.context.compact.compact import Compactor, undo_compaction
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.compact.summary import Sections
from holdfast.context.compact.triggers import Trigger, Why
from holdfast.context.legal.families import FAMILIES, check, render
from holdfast.context.units import attached
from holdfast.context.view import View
from holdfast.context.window import Window
from holdfast.errors import BadInput, Refused, TooSmall, Unavailable
from holdfast.model.protocol import Message, Request, Target
from holdfast.model.tokens import count_message, counter_for
from holdfast.providers.scripted.model import Cue, ScriptedModel
from holdfast.records.parts import plain_text
from tests.context import through_pydantic
from tests.records.pictures import png

T = TypeVar("T")

WORDS = st.one_of(
    st.sampled_from(["", " ", "ok", "[2026-01-01 10:00 UTC] hi", "[image: a.png, 3 bytes, not shown]", "\ud800", "\0"]),
    st.text(max_size=40),
    st.sampled_from([1, 10, 200]).map(lambda n: "a long story " * n),
)
IDS = st.sampled_from(["a", "b", "c", "call_1", ""])
NAMES = st.sampled_from(["read_file", "shell"])
ARGUMENTS = st.sampled_from(["{}", '{"path":"x"}', "not json", '{"a":1,"a":2}', "[1]", '{"text":"' + "x" * 3000 + '"}'])
PICTURE = Blob(blob=BlobId("0" * 64), media_type="image/png", size=3, name="a.png")
LONG = Blob(blob=BlobId("1" * 64), media_type="text/plain", size=90_000, preview="once upon a time " * 20)
THINKING = st.builds(
    Thinking,
    text=WORDS,
    signature=st.sampled_from(["", "sig"]),
    provider=st.sampled_from(["", "anthropic", "openai"]),
    model=st.sampled_from(["", "m"]),
)
SAID = st.lists(st.one_of(st.builds(Text, text=WORDS), st.sampled_from([PICTURE, LONG])), max_size=3).map(tuple)
CALLS = st.builds(ToolCall, id=IDS.map(CallId), name=NAMES, arguments=ARGUMENTS)
REPLIED = st.lists(st.one_of(st.builds(Text, text=WORDS), THINKING, CALLS), max_size=4).map(tuple)
BUDGETS = st.builds(
    Budget,
    tokens=st.sampled_from([60, 200, 500, 2_000, 8_000, 60_000]),
    output=st.just(10),
    messages=st.sampled_from([None, None, 3, 12]),
    target=st.sampled_from([0.5, 0.75, 1.0]),
    keep_first=st.booleans(),
)
SETTINGS = st.builds(
    CompactionSettings,
    protected=st.sampled_from([0, 100, 40_000]),
    turns=st.sampled_from([1, 2]),
    from_originals=st.booleans(),
    reads=st.sampled_from([200, 400_000]),
    window=st.just(4_000),
    output=st.just(500),
)
SUMMARISER = Target(family="anthropic", model="claude-opus-5-5", provider="anthropic")
MEDIA = {PICTURE.blob: png()}
COUNTER = counter_for("gpt-4")


def cost(message: Message) -> int:
    """Tokens, as a model of no special kind counts them."""
    return count_message(message, COUNTER)


def summed_up(request: Request) -> str:
    """A summary that names all that the request says it must."""
    listed = plain_text(request.messages[0].parts).rpartition("</conversation>")[2].splitlines()
    return Sections(files="\n".join(line[2:] for line in listed if line.startswith("- ")) or "none").text()


ANSWERS: list[Cue] = [
    summed_up,
    "no summary at all",
    Sections().text(),
    Unavailable("Too many requests."),
    Refused("No."),
]


class Conversations(RuleBasedStateMachine):
    """One session after another, in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.store: Store = self.opened()
        self.key, self.forks, self.compacted = "s", 0, False
        self.session: Session = self.run(self.store.open(self.key))
        self.view = View(self.session, cost)
        self.budget, self.provider = Budget(tokens=2_000, output=10), ""

    def opened(self) -> Store:
        return open_volatile()

    def run(self, work: Coroutine[object, object, T]) -> T:
        return self.runner.get_loop().run_until_complete(work)

    def append(self, *entries: Entry) -> None:
        self.run(self.session.append(*entries))

    def teardown(self) -> None:
        self.run(self.session.close())
        self.run(self.store.close())
        self.runner.close()

    # What happens in a conversation.

    @rule(words=WORDS, enters=st.sampled_from(["step", "after"]), heard=st.integers(1, 4))
    def steer(self, words: str, enters: Literal["step", "after"], heard: int) -> None:
        """A person says something while the model speaks, which then has not heard it."""
        before = Position(max(0, self.session.state.last - heard + 1))
        self.append(UserSaid(parts=(Text(text=words),), enters=enters))
        self.append(ModelReplied(parts=(Text(text="I speak."),), heard=before))

    @rule(said=st.builds(UserSaid, parts=SAID, enters=st.sampled_from(["now", "now", "step", "after"])))
    def user(self, said: UserSaid) -> None:
        self.append(said)

    @rule(
        reply=st.builds(
            ModelReplied,
            parts=REPLIED,
            stop=st.sampled_from(["ended", "called", "cancelled", "interrupted"]),
            usage=st.sampled_from([None, Usage(input_tokens=90, output_tokens=5)]),
            asked_tokens=st.sampled_from([0, 30, 90, 200]),
        )
    )
    def reply(self, reply: ModelReplied) -> None:
        self.append(reply)

    @rule(call=IDS.map(CallId), name=NAMES)
    def tool_starts(self, call: CallId, name: str) -> None:
        self.append(ToolStarted(call=call, name=name))

    @rule(
        result=st.builds(
            ToolFinished,
            call=IDS.map(CallId),
            name=NAMES,
            outcome=st.sampled_from(["ok", "error", "denied", "interrupted"]),
            parts=SAID,
        )
    )
    def tool_ends(self, result: ToolFinished) -> None:
        try:
            self.append(result)
        except BadInput:  # nobody made that call: have it made on a branch that is left
            head = self.session.state.head
            reply = ModelReplied(parts=(ToolCall(id=result.call, name=result.name),), stop="called")
            self.append(reply, Rewound(to=head), result)

    @rule(parts=SAID, why=st.sampled_from(["answered", "cancelled", "failed"]))
    def turn(self, parts: tuple[Part, ...], why: Literal["answered", "cancelled", "failed"]) -> None:
        """A whole turn: someone speaks, the model calls two tools, both end, it answers."""
        calls = tuple(ToolCall(id=CallId(name), name="shell") for name in ("a", "a"))
        ended = ToolFinished(call=CallId("a"), name="shell", parts=parts)
        self.append(UserSaid(parts=(Text(text="go"), *parts)), ModelReplied(parts=calls, stop="called"), ended, ended)
        self.append(ModelReplied(parts=(Text(text="done"),)), TurnEnded(why=why))

    @rule(words=WORDS, turns=st.integers(3, 6))
    def chat(self, words: str, turns: int) -> None:
        """Some turns at once, so that there is something old."""
        for number in range(turns):
            said, answer = Text(text=f"never say {number}"), Text(text=f"{words}{number}")
            self.append(UserSaid(parts=(said,)), ModelReplied(parts=(answer,)), TurnEnded())

    @rule(parts=SAID)
    def delivery(self, parts: tuple[Part, ...]) -> None:
        self.append(Delivered(parts=parts))

    @rule()
    def remarks(self) -> None:
        self.append(CommandRan(command="/help", output="SECRET OF THE COMMAND"), TurnEnded())

    # What happens to it.

    def some(self, data: st.DataObject) -> Position:
        return Position(data.draw(st.integers(0, self.session.state.last), label="position"))

    @rule(data=st.data())
    def pin(self, data: st.DataObject) -> None:
        self.append(Pinned(target=self.some(data)))

    @rule(data=st.data())
    def unpin(self, data: st.DataObject) -> None:
        self.append(Unpinned(target=self.some(data)))

    @rule(data=st.data())
    def rewind(self, data: st.DataObject) -> None:
        self.run(self.session.rewind(self.some(data)))

    @precondition(lambda self: self.session.state.jumps)
    @rule()
    def undo_rewind(self) -> None:
        self.run(self.session.undo_rewind())

    @rule(data=st.data())
    def fork(self, data: st.DataObject) -> None:
        target = f"s{self.forks}"
        self.run(self.session.commit())
        self.run(self.store.fork(self.key, target, at=self.some(data)))
        self.forks += 1
        self.key = target
        self.reopen()

    @rule()
    def reopen(self) -> None:
        """The process ends, and another one goes on."""
        self.run(self.session.close())
        self.session = self.run(self.store.open(self.key))
        self.view = View(self.session, cost)

    @rule(
        settings=SETTINGS,
        trigger=st.sampled_from([Trigger(why=why) for why in get_args(Why)]),
        answers=st.lists(st.sampled_from(ANSWERS), max_size=2),
    )
    def compact(self, settings: CompactionSettings, trigger: Trigger, answers: list[Cue]) -> None:
        """Someone compacts, and the model that summarizes is as good as it is."""
        model = ScriptedModel(SUMMARISER, *answers, then=summed_up, window=4_000)
        compactor = Compactor(self.session, self.view, model, settings=settings)
        done = self.run(compactor.compact(self.budget, trigger))
        assert done.stage != "summary" or done.after < done.before, "a summary is smaller than what it stands for"
        assert (done.stage is None) == (not done.entries), "what was done is in the log"
        self.compacted = self.compacted or bool(done.entries)

    @precondition(lambda self: self.compacted)
    @rule()
    def undo_compaction(self) -> None:
        self.run(undo_compaction(self.session))

    # What the model sees.

    @rule(budget=BUDGETS, provider=st.sampled_from(["", "anthropic", "openai"]))
    def change_model(self, budget: Budget, provider: str) -> None:
        self.budget, self.provider = budget, provider

    @rule(service=st.sampled_from(through_pydantic.SERVICES))
    def ask_through_pydantic(self, service: through_pydantic.Service) -> None:
        """What pydantic-ai makes of a window is as legal as what we make of it."""
        try:
            window = self.run(self.view.window(self.budget))
        except TooSmall:
            return
        if window.messages:
            target = through_pydantic.target(service)
            request = Request(
                target=target, messages=window.messages, system="be brief", max_output_tokens=10, media=MEDIA
            )
            body = self.run(through_pydantic.body(request))
            broken = check(target.family, body)
            assert () == broken, f"{service}: {broken} in {body}"

    @invariant()
    def look(self) -> None:
        """What must hold of the window at every moment."""
        budget = self.budget
        try:
            window = self.run(self.view.window(budget))
        except TooSmall:
            return
        self.hold_to_bounds(window, budget)
        again = self.run(self.view.window(budget))
        assert window == again, "asking twice changes nothing"
        anew = self.run(View(self.session, cost).window(budget))
        assert window == anew, "a session that is read again shows the same"
        if window.messages:
            self.hold_to_law(window, self.provider)

    def hold_to_bounds(self, window: Window, budget: Budget) -> None:
        room = budget.room(ratio=self.session.state.ratio)
        assert window.tokens == sum(map(cost, window.messages))
        assert window.tokens <= room
        assert window.attachments == len(attached(window.messages))
        if budget.messages is not None:
            assert len(window.messages) <= budget.messages + 2  # our own words at both ends are not counted

    def hold_to_law(self, window: Window, provider: str) -> None:
        for family in FAMILIES:
            target = Target(family=family, model="m", provider=provider)
            request = Request(target=target, messages=window.messages, system="be brief", max_output_tokens=10)
            rendered = render(request, MEDIA)
            assert () == check(family, rendered.body)
            body = msgspec.json.encode(rendered.body)
            assert body == msgspec.json.encode(render(request, MEDIA).body)
            assert b"SECRET OF THE COMMAND" not in body


class ConversationsOnFiles(Conversations):
    """The same on a disk, where a crash can tear the last write."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        super().__init__()

    def opened(self) -> Store:
        return open_store(self.folder, durability="os")

    @rule(torn=st.integers(0, 400))
    def crash(self, torn: int) -> None:
        """The process dies in an append; the disk has only the beginning of it."""
        self.run(self.session.close())
        segment = max((self.folder / "sessions" / self.key).glob("*.jsonl"))
        whole = segment.read_bytes()
        kept = max(whole.find(b"\n") + 1, len(whole) - torn)
        segment.write_bytes(whole[:kept])
        self.session = self.run(self.store.open(self.key))
        self.view = View(self.session, cost)

    def teardown(self) -> None:
        super().teardown()
        shutil.rmtree(self.folder)
