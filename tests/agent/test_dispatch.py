"""Running what a reply calls: every call has one result, whatever its tool does."""

import asyncio
import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from holdfast import (
    Blob,
    FileChanged,
    PermissionAsked,
    PermissionDecided,
    Source,
    Text,
    ToolFinished,
    ToolStarted,
    open_volatile,
)
from holdfast.agent.conversation import Conversation
from holdfast.agent.dispatch import LONGEST, TOGETHER
from holdfast.agent.events import Appended, Asked, ToolBegan, ToolTold, TurnOver
from holdfast.agent.permissions import PLANNING, Permissions, Rule, question_of
from holdfast.agent.permissions import Answer as Said
from holdfast.agent.tool import FixedTools, Output, ToolContext, said
from holdfast.agent.unfinished import unanswered_turn
from holdfast.config.setting_names import KEYS
from holdfast.ids import CallId
from holdfast.log.blobs import blob_id
from holdfast.records.parts import plain_text
from holdfast.session.recovery import MAY_HAVE_RUN
from holdfast.session.writer import RECENT
from holdfast.tools.files.workspace import WorkspaceFiles
from holdfast.tools.files.write import WriteFile
from holdfast.tools.shell.sandbox import Sandbox
from holdfast.tools.shell.shell import Shell
from tests.agent.troupe import PlainTool, calling, entries, opened, scripted, setup, turn, volatile
from tests.journeys.afterwards import is_in_order

ALL = [Rule(tool="*", decision="allow")]


async def results(conversation: Conversation) -> list[ToolFinished]:
    """Every result."""
    return [entry for entry in await entries(conversation.session) if isinstance(entry, ToolFinished)]


async def test_no_more_read_at_once_than_may() -> None:
    """
    Whatever a reply asks for.
    """
    running = most = 0

    async def read(*_: object) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    calls = calling(*(("look", "{}", f"c{n}") for n in range(3 * TOGETHER)))
    async with await volatile(setup(scripted(calls, "Seen."), tools=[PlainTool("look", read)])) as conversation:
        await turn(conversation, "go")

        assert 1 < most <= TOGETHER
        assert 3 * TOGETHER == len(await results(conversation))


async def test_a_failed_writer_does_not_keep_the_next_one() -> None:
    """
    The model is told of each, in the order it gave.
    """

    async def write(text: str, _: ToolContext) -> Output:
        return said("no luck", ok=False) if text == "a" else said("done")

    calls = calling(("write", '{"text":"a"}'), ("write", '{"text":"b"}'))
    tools = [PlainTool("write", write, reads_only=False)]
    made = setup(scripted(calls, "Well."), tools=tools, permissions=lambda: Permissions(ALL))
    async with await volatile(made) as conversation:
        await turn(conversation, "go")

        assert [("error", "no luck"), ("ok", "done")] == [
            (each.outcome, plain_text(each.parts)) for each in await results(conversation)
        ]


async def test_what_is_forbidden_is_not_asked_about_and_not_begun() -> None:
    """
    The others beside it run.
    """
    tool = PlainTool("look")
    rules = [Rule(tool="look", pattern="secret", decision="deny")]
    calls = calling(("look", '{"text":"secret"}'), ("look", '{"text":"open"}'))
    made = setup(scripted(calls, "Well."), tools=[tool], permissions=lambda: Permissions(rules))
    async with await volatile(made) as conversation:
        seen = await turn(conversation, "go")
        log = await entries(conversation.session)

        assert ["open"] == tool.ran
        assert 1 == sum(isinstance(event, ToolBegan) for event in seen)
        assert 1 == sum(isinstance(entry, ToolStarted) for entry in log)
        assert ["[not run] The settings forbid it."] == [
            plain_text(each.parts) for each in await results(conversation) if each.outcome == "denied"
        ]
        assert not any(isinstance(event, Asked) for event in seen)
        assert isinstance(seen[-1], TurnOver)
        assert seen[-1].denied


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(Said(), "The person did not allow it."), (Said(text="rather not"), "The person said: rather not")],
)
async def test_a_no_is_told_in_the_person_s_words(answer: Said, expected: str) -> None:
    """
    Where there are any.
    """
    tool = PlainTool("write", reads_only=False)
    async with await volatile(setup(scripted(calling(("write", "{}")), "Well."), tools=[tool])) as conversation:
        with conversation.watch() as watch:
            await conversation.send("go")
            async for event in watch:
                if isinstance(event, Asked):
                    conversation.answer(event.question.id, answer)
                if isinstance(event, TurnOver):
                    break

        assert [f"[not run] {expected}"] == [plain_text(each.parts) for each in await results(conversation)]


async def test_nobody_is_not_a_person() -> None:
    """
    Where nobody could be asked, the model is not told that somebody said so.
    """
    tool = PlainTool("write", reads_only=False)
    made = setup(scripted(calling(("write", "{}")), "Well."), tools=[tool], attended=False)
    async with await volatile(made) as conversation:
        await turn(conversation, "go")
        (result,) = await results(conversation)

        assert plain_text(result.parts).startswith("[not run] Nobody is there to ask.")


async def test_secrets_and_endless_words_are_not_kept() -> None:
    """
    What is no text is kept as it is.
    """

    async def look(text: str, context: ToolContext) -> Output:
        if text == "long":
            return said("x" * (LONGEST + 10))
        blob = await context.attach(b"\x89PNG", media_type="image/png", name="a.png")
        return Output(parts=(Text(text="key sk-ant-REDACTED"), blob))

    calls = calling(("look", '{"text":"long"}'), ("look", '{"text":"picture"}'))
    async with await volatile(setup(scripted(calls, "Seen."), tools=[PlainTool("look", look)])) as conversation:
        await turn(conversation, "go")
        by_size = sorted(await results(conversation), key=lambda each: len(each.parts))
        (kept,) = [part for part in by_size[0].parts if isinstance(part, Blob)]
        data = (await conversation.session.get_blob(kept.blob)).decode()

        assert "AAAAAAAA" not in plain_text(by_size[1].parts)
        assert [b"\x89PNG"] == [
            await conversation.session.get_blob(part.blob) for part in by_size[1].parts if isinstance(part, Blob)
        ]
        assert LONGEST < len(data) < LONGEST + 100
        assert data.endswith("[cut: 10 more characters were not kept]")


async def test_a_changed_file_is_in_the_log_before_it_changes(tmp_path: Path) -> None:
    """
    Between the start of the call and its result; with it, what the file held can be had back.
    """
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(0o600)
    call = ("write_file", json.dumps({"path": "a", "content": "new"}))
    made = setup(scripted(calling(call), "Done."), permissions=lambda: Permissions(ALL))
    made = replace(made, toolbox=FixedTools([WriteFile(WorkspaceFiles(tmp_path))]))
    async with await volatile(made) as conversation:
        await turn(conversation, "go")
        log = await entries(conversation.session)
        (changed,) = [entry for entry in log if isinstance(entry, FileChanged)]
        assert changed.before is not None
        before = await conversation.session.get_blob(changed.before.blob)

    kinds = [type(entry) for entry in log]
    assert [ToolStarted, FileChanged, ToolFinished] == kinds[kinds.index(ToolStarted) :][:3]
    assert ("a", "c0", blob_id(b"new"), 0o600) == (changed.path, changed.call, changed.after, changed.mode)
    assert (b"old", "new") == (before, (tmp_path / "a").read_text())


async def test_the_end_of_a_flood_is_kept(tmp_path: Path) -> None:
    """
    A command that writes without end says at its end what went wrong, so that is never what is cut.
    """
    shell = Shell(tmp_path, Sandbox(said="No sandbox."), environment={"PATH": os.defpath})
    call = ("shell", json.dumps({"command": "head -c 9000000 /dev/zero | tr '\\0' x; echo; echo the end"}))
    made = setup(scripted(calling(call), "Seen."))
    made = replace(made, toolbox=FixedTools([shell]), permissions=lambda: Permissions(ALL))
    async with await volatile(made) as conversation:
        await turn(conversation, "go")
        ((kept,),) = [each.parts for each in await results(conversation)]
        assert isinstance(kept, Blob)
        data = (await conversation.session.get_blob(kept.blob)).decode()
    await shell.jobs.close()

    assert kept.preview.endswith("the end")
    assert data.startswith("exit code 0\nxxx")
    assert data.endswith("x\nthe end")


async def test_what_a_stopped_command_wrote_is_kept(tmp_path: Path) -> None:
    """
    While it runs its last line is told, without secrets; when it is stopped, the model and the log have what it wrote.
    """
    shell = Shell(tmp_path, Sandbox(said="No sandbox."), environment={"PATH": os.defpath})
    key = "sk-ant-api03-" + "aB3" * 31 + "AA"
    call = ("shell", json.dumps({"command": f"echo first; echo key {key}; exec sleep 61"}))
    made = setup(scripted(calling(call), "Seen."))
    made = replace(made, toolbox=FixedTools([shell]), permissions=lambda: Permissions(ALL))
    async with await volatile(made) as conversation:
        with conversation.watch() as watch:
            await conversation.send("go")
            told = await anext(event async for event in watch if isinstance(event, ToolTold))
        assert await conversation.cancel()
        (result,) = await results(conversation)
        unanswered = await unanswered_turn(conversation.session)
    await shell.jobs.close()

    assert "key [redacted" in told.text
    assert "interrupted" == result.outcome
    assert [MAY_HAVE_RUN, "Until then it wrote:", "first"] == plain_text(result.parts).splitlines()[:3]
    assert key not in plain_text(result.parts)
    assert unanswered is not None
    assert ("shell",) == unanswered.begun


async def test_a_log_that_takes_no_more_stops_the_tools_beside() -> None:
    """
    No tool goes on working for a session that another process has.
    """
    stopped: list[str] = []

    async def work(text: str, _: ToolContext) -> None:
        if text == "steal":
            await asyncio.sleep(0)
            await conversation.session.close()
            return
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append(text)
            raise

    calls = calling(("look", '{"text":"steal"}'), ("look", '{"text":"wait"}'))
    async with await volatile(setup(scripted(calls), tools=[PlainTool("look", work)])) as conversation:
        seen = await asyncio.wait_for(turn(conversation, "go"), 60)

        assert isinstance(seen[-1], TurnOver)
        assert "failed" == seen[-1].ended.why
        assert ["wait"] == stopped


async def test_a_result_is_seen_while_others_still_run() -> None:
    """
    Whoever watches need not wait for the slowest.
    """
    enough = asyncio.Event()

    async def look(text: str, _: ToolContext) -> None:
        if text == "long":
            await enough.wait()

    calls = calling(("look", '{"text":"long"}', "long"), ("look", '{"text":"short"}', "short"))
    async with await volatile(setup(scripted(calls, "Seen."), tools=[PlainTool("look", look)])) as conversation:
        with conversation.watch() as watch:
            await conversation.send("go")
            async with asyncio.timeout(60):
                async for event in watch:
                    if isinstance(event, Appended) and isinstance(event.record.entry, ToolFinished):
                        break
        seen = [each.call for each in await results(conversation)]
        enough.set()

        assert ["short"] == seen


async def test_every_result_is_seen_however_many_there_are() -> None:
    """
    Also if nothing else happens between them.
    """
    calls = calling(*(("missing", "{}", f"c{n}") for n in range(RECENT + 1)))
    async with await volatile(setup(scripted(calls, "Well."))) as conversation:
        seen = await turn(conversation, "go")
        positions = [event.record.pos for event in seen if isinstance(event, Appended)]

        assert list(range(positions[0], conversation.state.last + 1)) == positions


async def test_results_stand_in_the_log_before_the_model_is_asked_again() -> None:
    """
    Each once, and legal whoever is asked next.
    """
    tool = PlainTool("look")
    calls = calling(("look", '{"text":"a"}'), ("missing", "{}"), ("look", "no json"), ("look", '{"text":"b"}'))
    async with await volatile(setup(scripted(calls, calls, "Seen."), tools=[tool])) as conversation:
        await turn(conversation, "go")

        assert ["a", "b", "a", "b"] == tool.ran
        await is_in_order(conversation)


async def test_what_is_asked_and_decided_is_written_down() -> None:
    """
    The question before it is asked, without secrets; the decision before the call begins, with who made it and where.
    """
    tools = [PlainTool("write", reads_only=False)]
    script = scripted(calling(("write", '{"text":"a"}'), ("write", '{"text":"b"}')), "Well.")
    by = Source(host="web", sender="alice")
    answers = iter([(Said(allowed=True, always="session", text="ignored"), by), (Said(text="no"), None)])
    async with await volatile(setup(script, tools=tools)) as conversation:
        with conversation.watch() as watch:
            await conversation.send("go")
            async for event in watch:
                if isinstance(event, Asked):
                    (record,) = [each async for each in conversation.session.read(start=conversation.state.last)]
                    assert isinstance(record.entry, PermissionAsked)
                    assert event.question == question_of(record.entry)
                    assert conversation.answer(event.question.id, *next(answers))
                if isinstance(event, TurnOver):
                    break
        log = await entries(conversation.session)

    call, other = CallId("c0"), CallId("c1")
    assert [
        PermissionAsked(call=call, question="2.0", tool="write", title="write a", subjects=("a",)),
        PermissionDecided(call=call, question="2.0", allowed=True, always="session", by=by),
        PermissionAsked(call=other, question="2.1", tool="write", title="write b", subjects=("b",)),
        PermissionDecided(call=other, question="2.1", allowed=False, text="no"),
    ] == [entry for entry in log if isinstance(entry, PermissionAsked | PermissionDecided)]
    kinds = [type(entry) for entry in log]
    assert kinds.index(PermissionDecided) < kinds.index(ToolStarted)


async def test_the_rule_that_allowed_a_call_is_named_where_it_begins() -> None:
    """
    Each rule once; a call that a person allowed, or that needs no rule, names none.
    """
    rules = [Rule(tool="write", pattern="a*", decision="allow"), Rule(tool="look", decision="allow")]
    tools = [PlainTool("write", reads_only=False), PlainTool("look", reads_only=False), PlainTool("read")]
    script = scripted(calling(("write", '{"text":"ab"}'), ("look", "{}"), ("read", "{}")), "Well.")
    async with await volatile(setup(script, tools=tools, permissions=lambda: Permissions(rules))) as conversation:
        await turn(conversation, "go")
        log = await entries(conversation.session)

    assert ["write:a*", "look", ""] == [entry.rule for entry in log if isinstance(entry, ToolStarted)]
    assert not any(isinstance(entry, PermissionAsked) for entry in log)


async def test_a_plan_is_made_by_reading_alone(tmp_path: Path) -> None:
    """
    While plan mode is on the model is told so and nothing is changed, whatever is allowed; after it everything runs.
    """
    write = ("write_file", json.dumps({"path": "a.txt", "content": "new\n"}))
    model = scripted(calling(write), "The plan.", calling(write), "Done.")
    made = replace(setup(model), toolbox=FixedTools([WriteFile(WorkspaceFiles(tmp_path))]))
    made = replace(made, permissions=lambda: Permissions(ALL))
    async with await volatile(made) as conversation:
        conversation.permissions.mode = "plan"
        await turn(conversation, "go")
        planned = await results(conversation)
        there = (tmp_path / "a.txt").exists()
        conversation.permissions.mode = "ask"
        await turn(conversation, "do it")

    assert [("denied", f"[not run] {PLANNING}")] == [(each.outcome, plain_text(each.parts)) for each in planned]
    assert not there
    assert "new\n" == (tmp_path / "a.txt").read_text()
    assert [True, True, False, False] == [PLANNING in request.system for request in model.requests]


async def test_a_mode_belongs_to_the_open_conversation() -> None:
    """
    Nothing brings it along: no log, no fork, no restart, and no setting.
    """
    made, store = setup(scripted("Hm.")), open_volatile()
    async with await opened(store, made) as conversation:
        conversation.permissions.mode = "edits"
        await turn(conversation, "go")
        assert "edits" == conversation.snapshot().mode
        await store.fork("talk", "copy")
        log = [record.raw async for record in conversation.session.read()]
    modes = []
    for key in ("talk", "copy"):
        async with await opened(store, made, key) as conversation:
            modes.append(str(conversation.permissions.mode))

    assert ["ask", "ask"] == modes
    assert not any(b"edits" in line for line in log)
    assert [] == [name for name in KEYS if name.rpartition(".")[2] == "mode"]


@pytest.mark.parametrize(("path", "asked"), [("a.txt", 0), (".env", 1)])
async def test_accepted_edits_are_not_asked_about(tmp_path: Path, path: str, asked: int) -> None:
    """
    Files of the workspace are written, and the log says why nobody was asked; what looks like a secret is asked about.
    """
    write = ("write_file", json.dumps({"path": path, "content": "new\n"}))
    made = replace(setup(scripted(calling(write), "Done.")), toolbox=FixedTools([WriteFile(WorkspaceFiles(tmp_path))]))
    async with await volatile(made) as conversation:
        conversation.permissions.mode = "edits"
        with conversation.watch() as watch:
            await conversation.send("go")
            async for event in watch:
                if isinstance(event, Asked):
                    conversation.answer(event.question.id, Said(allowed=True))
                if isinstance(event, TurnOver):
                    break
        log = await entries(conversation.session)

    assert asked == sum(isinstance(entry, PermissionAsked) for entry in log)
    assert ["" if asked else "mode edits"] == [entry.rule for entry in log if isinstance(entry, ToolStarted)]
    assert "new\n" == (tmp_path / path).read_text()
