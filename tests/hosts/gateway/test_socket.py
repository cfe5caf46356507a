"""The socket of the gateway: frames in, each checked, and what a session tells out."""

import asyncio
from pathlib import Path

from holdfast import Conversation, Engine, Scripted, Text, Thinking, open_store
from holdfast.commands.answers import Answers, Prose
from tests.agent.troupe import PlainTool, calling, scripted, setup
from tests.hosts.gateway.gateways import Client, running, said

STORY = Scripted(parts=(Thinking(text="A story."), Text(text="Once upon a time there was a harbour.")))


async def test_a_turn_is_seen_as_it_happens_and_as_the_log_has_it(tmp_path: Path) -> None:
    """
    What a client is told of a turn are its entries, byte for byte, and the pieces of its reply.
    """
    async with Engine(open_store(tmp_path / "store"), setup(scripted(STORY))) as engine:
        await engine.open("talk")
        async with running(engine, tmp_path) as gateway:
            client = await gateway.client()
            snapshot = await client.attach("talk")
            await client.send(frame="say", session="talk", id="m1", parts=said("Tell me."))
            seen = await client.until(lambda each: each["frame"] == "turn_ended")

            deltas = [each for each in seen if each["frame"] == "delta"]
            entries = {each["position"]: each["entry"] for each in seen if each["frame"] == "entry"}
            answered = next(each for each in seen if each["frame"] == "done")
            assert "A story.Once upon a time there was a harbour." == "".join(each["text"] for each in deltas)
            assert ["thinking", "text"] == list(dict.fromkeys(each["kind"] for each in deltas))
            assert "m1" == answered["id"]
            assert "user_said" == entries[answered["position"]]["kind"]
            assert "turn_ended" == entries[max(entries)]["kind"]
            assert -1 == snapshot["after"]
            assert {"answered"} == {each["why"] for each in seen if each["frame"] == "turn_ended"}
            statuses = [(each["running"], each["since"]) for each in seen if each["frame"] == "run_status"]
            assert [(True, entries[answered["position"]]["at"]), (False, None)] == statuses


async def test_a_session_that_is_not_attached_to_is_refused_in_every_frame(tmp_path: Path) -> None:
    """
    Each frame is checked by itself: one about a session that this socket does not watch does nothing.
    """
    async with Engine(open_store(tmp_path / "store"), setup(scripted(STORY))) as engine:
        await engine.open("talk")
        await engine.open("other")
        async with running(engine, tmp_path) as gateway:
            client = await gateway.client()
            await client.attach("talk")
            for frame in (
                {"frame": "say", "parts": said("Hello.")},
                {"frame": "stop"},
                {"frame": "answer", "question": "1.0"},
                {"frame": "command", "line": "/status"},
                {"frame": "seen", "position": 1},
                {"frame": "detach"},
            ):
                answered = (await client.ask(**frame, session="other"))[-1]
                assert ("error", "bad_input") == (answered["frame"], answered["code"]), frame
            assert 0 == (await engine.store.state("other")).last


async def test_a_question_is_answered_once_and_closes_everywhere(tmp_path: Path) -> None:
    """
    Two clients are asked the same; the first answer counts, the second is told so, and the log says who decided.
    """
    tool = PlainTool("write", reads_only=False)
    model = scripted(calling(("write", '{"text":"it"}')), Scripted(parts=(Text(text="Done."),)))
    async with Engine(open_store(tmp_path / "store"), setup(model, tools=[tool])) as engine:
        await engine.open("talk")
        async with running(engine, tmp_path) as gateway:
            one, two = await gateway.client(name="one"), await gateway.client(name="two")
            await one.attach("talk")
            await two.attach("talk")
            await one.send(frame="say", session="talk", id="m1", parts=said("Write."))
            question = (await two.until(lambda each: each["frame"] == "question"))[-1]["question"]
            late = await gateway.client(name="late")
            assert [question] == (await late.attach("talk"))["questions"]

            first = (await two.ask(frame="answer", session="talk", question=question["id"], allowed=True))[-1]
            second = (await one.ask(frame="answer", session="talk", question=question["id"], allowed=False))[-1]
            closed = await late.until(lambda each: each["frame"] == "turn_ended")

            assert (True, False) == (first["changed"], second["changed"])
            assert question["id"] in [each["question"] for each in closed if each["frame"] == "answered"]
            assert ["it"] == tool.ran
            decided = [each["entry"] for each in closed if each["frame"] == "entry"]
            assert ["two"] == [each["by"]["host"] for each in decided if each["kind"] == "permission_decided"]


async def test_a_client_of_another_version_is_told_which_side_to_update(tmp_path: Path) -> None:
    """
    Frames of another version are not guessed at.
    """
    async with (
        Engine(open_store(tmp_path / "store"), setup(scripted())) as engine,
        running(engine, tmp_path) as gateway,
    ):
        for protocol, side in ((0, "the client"), (99, "the gateway")):
            client = await Client.open(gateway.port, gateway.token())
            await client.send(frame="connect", protocol=protocol)
            told = await client.next()

            assert ("other_protocol", f"Update {side}.") == (told["code"], told["hint"])
            assert 4004 == await client.closed()


async def test_the_list_tells_of_sessions_that_nobody_is_attached_to(tmp_path: Path) -> None:
    """
    A row says that a turn runs, since when, and that a question waits, without attaching.
    """
    tool = PlainTool("write", reads_only=False)
    async with Engine(
        open_store(tmp_path / "store"), setup(scripted(calling(("write", "{}"))), tools=[tool])
    ) as engine:
        await engine.open("talk")
        async with running(engine, tmp_path) as gateway:
            client = await gateway.client()
            await client.send(frame="watch_list")
            first = (await client.until(lambda each: each["frame"] == "row"))[-1]["row"]
            await engine.send("talk", "Write.")
            row = (await client.until(lambda each: each["frame"] == "row" and each["row"]["questions"]))[-1]["row"]

            assert ("talk", False, None) == (first["session"], first["running"], first["since"])
            assert ("talk", True, 1, "Write.") == (row["session"], row["running"], row["questions"], row["preview"])
            assert row["since"]


async def test_a_message_may_go_on_from_an_earlier_position_once(tmp_path: Path) -> None:
    """
    Edit and regenerate are one append; sent again after a lost connection, nothing happens twice.
    """
    model = scripted(STORY, Scripted(parts=(Text(text="Another one."),)))
    async with Engine(open_store(tmp_path / "store"), setup(model)) as engine:
        await engine.open("talk")
        async with running(engine, tmp_path) as gateway:
            client = await gateway.client()
            await client.attach("talk")
            await client.send(frame="say", session="talk", id="m1", parts=said("Tell me."))
            await client.until(lambda each: each["frame"] == "turn_ended")
            again = {"frame": "say", "session": "talk", "id": "m2", "parts": said("Tell me more."), "continues": 0}
            await client.send(**again)
            seen = await client.until(lambda each: each["frame"] == "turn_ended")
            repeated = (await client.ask(**again))[-1]

            kinds = [each["entry"]["kind"] for each in seen if each["frame"] == "entry"]
            position = next(each["position"] for each in seen if each["frame"] == "done")
            assert ["rewound", "user_said", "model_replied", "turn_ended"] == kinds
            assert position == repeated["position"]
            assert position + 2 == (await engine.store.state("talk")).last


async def test_what_was_seen_is_known_on_every_device_and_after_a_restart(tmp_path: Path) -> None:
    """
    A mark is one for all devices of a person; another person has their own.
    """
    async with Engine(open_store(tmp_path / "store"), setup(scripted())) as engine:
        await engine.open("talk")
        async with running(engine, tmp_path) as gateway:
            phone, desk = await gateway.client(name="phone"), await gateway.client(name="desk")
            await desk.send(frame="watch_list")
            await desk.until(lambda each: each["frame"] == "row")
            await phone.attach("talk")
            await phone.ask(frame="seen", session="talk", position=9)
            told = (await desk.until(lambda each: each["frame"] == "mark"))[-1]
            assert ("talk", 0, False) == (told["session"], told["seen"], told["pinned"])
        async with running(engine, tmp_path) as gateway:
            desk = await gateway.client(name="desk")
            await desk.send(frame="watch_list")
            assert 0 == (await desk.until(lambda each: each["frame"] == "row"))[-1]["row"]["seen"]


async def test_who_watches_is_told_to_those_who_watch(tmp_path: Path) -> None:
    """
    Each kind of client is named once, however many of it there are, and who goes is gone.
    """
    async with Engine(open_store(tmp_path / "store"), setup(scripted())) as engine:
        await engine.open("talk")
        async with running(engine, tmp_path) as gateway:
            one, two = await gateway.client(name="desk"), await gateway.client(name="phone")
            await one.attach("talk")
            await two.attach("talk")
            both = (await one.until(lambda each: len(each.get("viewers", ())) == 2))[-1]["viewers"]
            await two.close()
            left = (await one.until(lambda each: each["frame"] == "presence"))[-1]["viewers"]

            assert [{"person": "", "client": "desk"}, {"person": "", "client": "phone"}] == both
            assert [{"person": "", "client": "desk"}] == left


async def test_a_message_that_waits_can_be_taken_back_until_it_is_heard(tmp_path: Path) -> None:
    """
    Words for after the turn are taken back before the turn ends; no model is ever shown them, and heard ones stay.
    """
    model = scripted(calling(("look", "{}")), STORY, Scripted(parts=(Text(text="Heard."),)))
    looking, seen_it = asyncio.Event(), asyncio.Event()

    async def look(_text: str, _context: object) -> str:
        looking.set()
        await seen_it.wait()
        return "seen"

    async with Engine(open_store(tmp_path / "store"), setup(model, tools=[PlainTool("look", look)])) as engine:
        await engine.open("talk")
        async with running(engine, tmp_path) as gateway:
            client = await gateway.client()
            await client.attach("talk")
            first = (await client.ask(frame="say", session="talk", id="m1", parts=said("Look.")))[-1]["position"]
            await looking.wait()
            ask = {"frame": "say", "session": "talk", "enters": "after", "id": "m2", "parts": said("Never mind.")}
            waits = (await client.ask(**ask))[-1]["position"]
            taken = (await client.ask(frame="take_back", session="talk", position=waits))[-1]
            again = (await client.ask(frame="take_back", session="talk", position=waits))[-1]
            heard = (await client.ask(frame="take_back", session="talk", position=first))[-1]
            seen_it.set()
            await client.until(lambda each: each["frame"] == "turn_ended")

            assert (True, False, False) == (taken["changed"], again["changed"], heard["changed"])
            assert not (await engine.state("talk")).in_turn
            assert all("Never mind." not in str(request) for request in model.requests)


async def test_a_message_that_is_sent_again_after_very_long_is_one_message(tmp_path: Path) -> None:
    """
    With the position it had at first, a client is told where its message stands, whatever was said since.
    """
    model = scripted(*[Scripted(parts=(Text(text="Yes."),))] * 70)
    async with Engine(open_store(tmp_path / "store"), setup(model)) as engine:
        conversation = await engine.open("talk")
        async with running(engine, tmp_path) as gateway:
            client = await gateway.client()
            await client.attach("talk")
            first = {"frame": "say", "session": "talk", "id": "m", "parts": said("First."), "since": 0}
            stands = (await client.ask(**first))[-1]["position"]
            await conversation.idle()
            for number in range(66):
                await conversation.send("And then?", client_id=f"n{number}")
                await conversation.idle()
            last = conversation.state.last

            assert stands == (await client.ask(**first))[-1]["position"]
            assert "bad_input" == (await client.ask(**{**first, "parts": said("Other.")}))[-1]["code"]
            assert last == conversation.state.last


async def test_a_command_that_takes_long_holds_no_other_frame_up(tmp_path: Path) -> None:
    """
    A turn can be stopped while a command of the same client runs, and the command's answers come with its id.
    """
    goes_on = asyncio.Event()

    async def run(_conversation: Conversation, line: str) -> Answers:
        await goes_on.wait()
        return (Prose(markdown=f"did {line}"),)

    async with Engine(open_store(tmp_path / "store"), setup(scripted())) as engine:
        await engine.open("talk")
        async with running(engine, tmp_path, commands=run) as gateway:
            client = await gateway.client()
            await client.attach("talk")
            await client.send(frame="command", session="talk", line="/compact", id="c1")
            stopped = await client.ask(frame="stop", session="talk")
            goes_on.set()
            answered = await client.until(lambda each: each["frame"] == "done" and each["id"] == "c1")

            assert "answers" not in [each["frame"] for each in stopped]
            answers = next(each for each in answered if each["frame"] == "answers")
            assert ("c1", [{"kind": "prose", "markdown": "did /compact"}]) == (answers["id"], answers["answers"])


async def test_a_cursor_that_does_not_count_is_given_the_last_entries(tmp_path: Path) -> None:
    """
    Of another log, or where the log says something else by now: never the whole log, however long it is.
    """
    async with Engine(open_store(tmp_path / "store"), setup(scripted())) as engine:
        conversation = await engine.open("talk")
        for number in range(40):
            await conversation.ran("/status", f"{number}")
        async with running(engine, tmp_path) as gateway:
            client = await gateway.client()
            last = conversation.state.last
            for cursor in ({"after": 3, "epoch": "other"}, {"after": 3, "crc": "other"}, {"after": last + 9}):
                snapshot = await client.attach("talk", **cursor, last=5)
                assert last - 5 == snapshot["after"], cursor
            assert -1 == (await client.attach("talk", after=-1))["after"]
            await client.cut()


async def test_what_would_begin_a_turn_is_refused_while_the_gateway_stops(tmp_path: Path) -> None:
    """
    With a code by which a client knows that it may send it again, and nothing is written.
    """

    async def run(_conversation: Conversation, line: str) -> Answers:
        return (Prose(markdown=f"did {line}"),)

    async with Engine(open_store(tmp_path / "store"), setup(scripted())) as engine:
        conversation = await engine.open("talk")
        async with running(engine, tmp_path, commands=run) as gateway:
            client = await gateway.client()
            await client.attach("talk")
            await gateway.service.drain(0)
            for frame in ({"frame": "say", "parts": said("Hello.")}, {"frame": "command", "line": "/retry"}):
                refused = (await client.ask(**frame, session="talk"))[-1]
                assert ("error", "stopping") == (refused["frame"], refused["code"])
            assert 0 == conversation.state.last
            await client.close()


async def test_a_frame_that_the_machine_cannot_do_is_answered(tmp_path: Path) -> None:
    """
    With the reason, and the socket goes on: a full disk ends nobody's conversation.
    """

    async def run(_conversation: Conversation, _line: str) -> Answers:
        raise OSError(28, "No space left on device")

    async with Engine(open_store(tmp_path / "store"), setup(scripted())) as engine:
        await engine.open("talk")
        async with running(engine, tmp_path, commands=run) as gateway:
            client = await gateway.client()
            await client.attach("talk")
            failed = (await client.ask(frame="command", session="talk", line="/status"))[-1]
            assert ("error", "failed") == (failed["frame"], failed["code"])
            assert "No space left" in failed["message"]
            assert "done" == (await client.ask(frame="stop", session="talk"))[-1]["frame"]
            await client.close()
