"""One rewind, or its undo: what it is called, what it asks about files, and doing it.

A rewind is named by what was said, not by a position. Where tools changed files since, the person is asked whether they
are taken back too; undoing a rewind brings back what it took, and asks only about what somebody else changed.
"""

from holdfast.commands.answers import Answers, Choose, Confirm, Data, Moved, NextLine, Note, Prose, Typed
from holdfast.commands.context import CommandContext, WritableSession
from holdfast.commands.inputs import Inputs
from holdfast.commands.past import PastTurn, first_said_after, last_said
from holdfast.commands.rewound_files import FilePlan, announced, done, planned, unfinished, workspace_files
from holdfast.commands.text.times import count
from holdfast.errors import BadInput
from holdfast.records.printable import printable_line
from holdfast.tools.files.take_back import FoundFile

LINE = 60
"""How much of what was said stands in a line."""


class Rewinding:
    """Takes a session back, or forth again, as somebody typed it."""

    def __init__(self, given: Inputs, context: CommandContext, session: WritableSession) -> None:
        """Work on a session that is held."""
        self._given, self._context, self._held = given, context, session
        self._session = session.session
        self._files = workspace_files(context.loaded, context.environment)

    async def before(self, turn: PastTurn) -> Answers:
        """Go back before something that was said, and put that into the input."""
        typed = (Typed(text=turn.said),) if turn.said else ()
        return await self._go(turn.before, turn.before, f"before {_quoted(turn.said)}", typed)

    async def to(self, position: int) -> Answers:
        """Go back to a position."""
        next_said = await first_said_after(self._session, position)
        return await self._go(position, position, f"before {_quoted(next_said)}" if next_said else "to the end", ())

    async def undo(self) -> Answers:
        """Take the last rewind back."""
        jumps = self._session.state.jumps
        since = jumps[-1].at if jumps else self._session.state.last
        return await self._go(None, since, "to where it was", ())

    async def offer(self, turn: PastTurn) -> Answers:
        """Ask whether to go back before a turn, as nothing is rewound."""
        where = f"Nothing is rewound. Go back before {_quoted(turn.said)}?"
        plan = await self._plan(turn.before)
        if plan.found:
            return (_asked(where, plan, "/rewind 1"),)
        return (Confirm(question=f"{where} {plan.words}".strip(), then="/rewind 1 --no-files"),)

    async def finish(self) -> Answers:
        """Go on with the files of a rewind that was broken off."""
        left, _ = await unfinished(self._session, self._files)
        if not left.found:
            raise BadInput("No rewind has left a file to be taken back.")
        failed = await done(self._session, self._files, left.found)
        said = f"{count(len(left.found) - len(failed), 'file')} taken back."
        return (Prose(markdown=said), *([Note(text="\n".join(failed))] if failed else []))

    async def _plan(self, since: int) -> FilePlan:
        """What is to be known of files; nothing where the session is about another folder."""
        if self._session.state.workspace != self._context.identity:
            if self._given.flag("files") or self._given.flag("theirs"):
                raise BadInput(
                    "This session is about another folder, so its files are not taken back from here.",
                    hint="Run it in that folder, or leave --files out.",
                )
            return FilePlan()
        return await planned(self._session, self._files, since)

    async def _go(self, to: int | None, since: int, where: str, typed: tuple[Typed, ...]) -> Answers:
        """Go to a position, or with None take the last rewind back; or ask about files first."""
        plan, given = await self._plan(since), self._given
        decided = given.flag("files") or given.flag("no_files") or given.flag("theirs")
        if given.in_chat and not decided and (plan.found if to is not None else plan.theirs):
            return (_asked(f"Go back {where}?", plan, given.again("").strip()),)
        files = self._chosen(plan, undoing=to is None)
        changes = await announced(self._session, files)
        if to is None:
            await self._held.undo_rewind(*changes)
        else:
            await self._held.rewind(to, *changes)
        failed = await done(self._session, self._files, files)
        head = self._session.state.head
        data = Data(value={"key": self._session.key, "head": head, "files": [each.past.path for each in files]})
        left = "\n".join((*failed, *_left(plan, files)))
        notes = (Note(text=left),) if left else ()
        again = "brought back" if to is None else "taken back"
        taken = f" {count(len(files) - len(failed), 'file')} {again}." if files else ""
        if given.in_chat:
            said = await self._said(where, undone=to is None)
            return (Moved(head=head, said=f"{said}{taken}"), *notes, *typed, data)
        key = self._session.key
        back = "" if to is None else f" `{self._context.line('rewind', key, '--undo')}` takes it back."
        return (Prose(markdown=f"{key} goes on from {self._session.state.jumps[-1].to}.{taken}{back}"), *notes, data)

    def _chosen(self, plan: FilePlan, *, undoing: bool) -> tuple[FoundFile, ...]:
        """The files to take back."""
        given = self._given
        if given.flag("no_files") or not (undoing or given.flag("files") or given.flag("theirs")):
            return ()
        return (*plan.ours, *(plan.theirs if given.flag("theirs") else ()))

    async def _said(self, where: str, *, undone: bool) -> str:
        if not undone:
            return f"Back {where}. What came after is kept: /undo goes there again."
        last = await last_said(self._session)
        return f"The rewind is undone: the last thing you said is {_quoted(last)} again."


def _quoted(said: str) -> str:
    """What was said, in a line."""
    return f"“{printable_line(said, LINE)}”" if said.strip() else "the last turn"


def _asked(question: str, plan: FilePlan, line: str) -> Choose:
    """The question what is to become of files."""
    choices: list[NextLine] = []
    if plan.ours:
        choices.append(NextLine(text=f"Go back, take {count(len(plan.ours), 'file')} back", then=f"{line} --files"))
    choices.append(NextLine(text="Go back, leave files as they are", then=f"{line} --no-files"))
    if plan.theirs:
        every = count(len(plan.ours) + len(plan.theirs), "file")
        choices.append(NextLine(text=f"Go back, take all {every} back", then=f"{line} --files --theirs"))
    return Choose(question=f"{question} Files were changed since:\n{plan.words}", choices=tuple(choices))


def _left(plan: FilePlan, taken: tuple[FoundFile, ...]) -> list[str]:
    """What stays as it is although it was changed since."""
    left = [each for each in plan.found if each not in taken]
    said = [f"{printable_line(each.past.path, LINE)} stays as it is: {each.why}." for each in left if each.why]
    ours = sum(not each.why for each in left)
    if ours:
        said.append(
            f"{count(ours, 'file')} changed since; {'it stays as it is' if ours == 1 else 'they stay as they are'}."
        )
    if plan.commands and (taken or left):
        said.append(f"{count(plan.commands, 'command')} ran since; what commands changed stays as it is.")
    return said
