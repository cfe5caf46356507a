"""Events and snapshots of the engine as frames: the one place where either knows of the other."""

from typing import assert_never

from holdfast.agent.events import (
    Answered,
    Appended,
    Asked,
    CallStreamed,
    Compacting,
    ConversationClosed,
    Event,
    FellBack,
    Noticed,
    Resync,
    Retrying,
    StepBegan,
    TextStreamed,
    ThinkingStreamed,
    ToolBegan,
    ToolTold,
    TurnBegan,
    TurnOver,
    WindowCompacted,
)
from holdfast.agent.permissions import Question
from holdfast.agent.snapshot import RunningReply, Snapshot
from holdfast.hosts.gateway.rows import goal_shown, time_text, wakes_at
from holdfast.ids import Position
from holdfast.records.parts import Text
from holdfast.remote.server_frames import (
    AnsweredFrame,
    BranchShown,
    CallFrame,
    CompactingFrame,
    CompactionFrame,
    DeltaFrame,
    DraftPart,
    DraftShown,
    EntryFrame,
    FallbackFrame,
    FromServer,
    NoticeFrame,
    QuestionFrame,
    QuestionShown,
    ResyncFrame,
    RetryFrame,
    SnapshotFrame,
    SpanShown,
    StepFrame,
    ToolFrame,
    ToolOutputFrame,
    TurnBeganFrame,
    TurnEndedFrame,
)
from holdfast.remote.wire import entry_json


def frame_of(session: str, event: Event) -> FromServer | None:
    """What a client is told of an event; None for nothing."""
    match event:
        case Appended(record=record):
            return EntryFrame(session=session, position=record.pos, entry=entry_json(record))
        case TextStreamed():
            return DeltaFrame(session=session, reply=event.reply, offset=event.offset, kind="text", text=event.text)
        case ThinkingStreamed():
            return DeltaFrame(session=session, reply=event.reply, offset=event.offset, kind="thinking", text=event.text)
        case CallStreamed() | ToolBegan() | ToolTold() | StepBegan() | TurnBegan() | TurnOver():
            return _progress(session, event)
        case Retrying() | FellBack() | Compacting() | WindowCompacted() | Noticed():
            return _notice(session, event)
        case Asked(question=question):
            return QuestionFrame(session=session, question=question_shown(question))
        case Answered():
            return AnsweredFrame(session=session, question=event.id)
        case Resync():
            return ResyncFrame(session=session, position=event.position)
        case ConversationClosed():
            return None  # the session goes on, here or elsewhere, and who watches it sees it there
        case _:
            assert_never(event)


def _progress(
    session: str, event: CallStreamed | ToolBegan | ToolTold | StepBegan | TurnBegan | TurnOver
) -> FromServer:
    match event:
        case CallStreamed():
            return CallFrame(session=session, index=event.index, name=event.name, characters=event.characters)
        case ToolBegan():
            return ToolFrame(
                session=session,
                call=event.call,
                name=event.name,
                title=event.title,
                detail=event.detail,
                form=event.form,
            )
        case ToolTold():
            return ToolOutputFrame(session=session, call=event.call, text=event.text)
        case StepBegan():
            return StepFrame(
                session=session,
                step=event.step,
                model=event.model,
                tokens=event.tokens,
                room=event.room,
                notes=event.notes,
            )
        case TurnBegan():
            return TurnBeganFrame(session=session, model=event.model)
        case TurnOver(ended=ended):
            return TurnEndedFrame(
                session=session,
                why=ended.why,
                note=ended.note,
                cause=ended.cause,
                milliseconds=ended.milliseconds,
                usage=ended.usage,
                denied=event.denied,
            )
        case _:
            assert_never(event)


def _notice(session: str, event: Retrying | FellBack | Compacting | WindowCompacted | Noticed) -> FromServer:
    match event:
        case Retrying():
            return RetryFrame(
                session=session,
                attempt=event.attempt,
                attempts=event.attempts,
                seconds=event.seconds,
                why=event.why,
            )
        case FellBack():
            return FallbackFrame(session=session, model=event.model, why=event.why)
        case Compacting():
            return CompactingFrame(session=session, why=event.why)
        case WindowCompacted():
            return CompactionFrame(
                session=session, stage=event.stage, before=event.before, after=event.after, failure=event.failure
            )
        case Noticed():
            return NoticeFrame(session=session, text=event.text)
        case _:
            assert_never(event)


def question_shown(question: Question) -> QuestionShown:
    """A question as a client shows it."""
    ask = question.ask
    if ask is None:
        return QuestionShown(id=question.id, text=question.text, options=question.options)
    return QuestionShown(
        id=question.id,
        tool=ask.tool,
        title=ask.title,
        detail=ask.detail,
        form=ask.form,
        subjects=ask.subjects,
        can_always=not ask.opaque,
    )


def _draft(reply: RunningReply) -> DraftShown:
    parts = (DraftPart(kind="text" if isinstance(part, Text) else "thinking", text=part.text) for part in reply.parts)
    return DraftShown(reply=reply.reply, offset=reply.offset, parts=tuple(parts))


def snapshot_frame(session: str, found: Snapshot, *, epoch: str, after: Position) -> SnapshotFrame:
    """A session at the moment of attaching."""
    state = found.state
    return SnapshotFrame(
        session=session,
        epoch=epoch,
        after=after,
        last=state.last,
        head=state.head,
        path=tuple(SpanShown(first=span.first, last=span.last) for span in state.path),
        branches=tuple(BranchShown(at=jump.at, to=jump.to) for jump in state.jumps),
        title=state.title,
        tags=state.tags,
        archived=state.archived,
        workspace=state.workspace,
        model=state.model,
        mode=found.mode,
        messages=state.messages,
        turns=state.turns,
        usage=state.usage,
        draft=_draft(found.reply) if found.reply is not None else None,
        questions=tuple(map(question_shown, found.questions)),
        queued=tuple(each.pos for each in state.queued),
        goal=state.goal.objective if state.goal is not None else "",
        running=found.running,
        since=time_text(state.since) if found.running else None,
        goal_state=goal_shown(state),
        wakes_at=wakes_at(state),
    )
