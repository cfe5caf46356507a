"""What tools gave in the goal steps so far, read back from the log: for the guard, and as evidence."""

from hashlib import sha256

from holdfast.goals.text import clipped
from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.entries import Entry, GoalStatusChanged, ModelReplied, ToolFinished, TurnEnded, UserSaid
from holdfast.records.parts import ToolCall, Value, plain_text
from holdfast.session.state import on_path
from holdfast.session.writer import Session

NO_EVIDENCE = frozenset(
    {"set_goal", "report_progress", "wait_for", "complete_goal", "block_goal", "todo", "ask_user", "schedule"}
)
"""Tools whose results say nothing about the work."""
CHANGING = frozenset({"edit_file", "write_file"})
"""Tools whose results look the same for different changes."""
STEPS = 8
"""So many goal steps back a result counts as known."""
FAR = 2_000
"""So many entries are read back at most."""


class Result(Value, frozen=True, kw_only=True):
    """What came of one call."""

    pos: Position
    name: str
    arguments: str
    text: str
    ok: bool
    milliseconds: int

    @property
    def known_by(self) -> str:
        """What makes it the same as another one."""
        about = self.arguments if self.name in CHANGING else ""
        return sha256(f"{self.name}\0{about}\0{self.text}".encode("utf-8", "replace")).hexdigest()

    @property
    def line(self) -> str:
        """For a list."""
        how = "" if self.ok else " (failed)"
        return f"@{self.pos} {self.name} {clipped(self.arguments, 80)}{how}: {clipped(self.text, 80)}"


class StepResults(Value, frozen=True, kw_only=True):
    """What tools gave since a goal was set."""

    steps: tuple[tuple[Result, ...], ...] = ()
    """Of each of the last goal steps, the oldest first."""
    between: tuple[Result, ...] = ()
    """In turns that a person began."""
    unattended: int = 0
    """How many of the last steps there were since a person spoke or had the goal go on."""

    def lines(self, most: int = 12, *, evidence: bool = False) -> str:
        """The newest results, the oldest first; all of work, or only those that can be evidence."""
        found = [each for step in (self.between, *self.steps) for each in step if each.name not in NO_EVIDENCE]
        found = [each for each in found if each.ok or not evidence]
        return "\n".join(each.line for each in sorted(found, key=lambda each: each.pos)[-most:])


async def look_back(session: Session) -> StepResults:
    """Read back what tools gave in the last goal steps of this branch."""
    state, goal = session.state, session.state.goal
    if goal is None:
        return StepResults()
    path, records, begun = state.path, list[Record](), 0
    async for record in session.read_back(before=state.head + 1):
        if record.pos <= goal.pos or begun == STEPS or len(records) == FAR:
            break
        if on_path(record.pos, path):
            records.append(record)
            begun += is_step(record.entry)
    return sorted_results(records[::-1])


def is_step(entry: Entry) -> bool:
    """Whether a goal step begins with an entry."""
    return isinstance(entry, UserSaid) and entry.source is not None and entry.source.host == "goal"


def sorted_results(records: list[Record]) -> StepResults:
    """The results among the records of a branch, oldest first, by goal step."""
    steps, between, calls = list[list[Result]](), list[Result](), dict[str, str]()
    inside, unattended = False, 0
    for record in records:
        entry = record.entry
        match entry:
            case UserSaid() if is_step(entry):
                steps.append([])
                inside, unattended = True, unattended + 1
            case UserSaid() if entry.source is None or not entry.source.is_engine:
                unattended = 0
            case GoalStatusChanged() if entry.status == "active" and entry.by is not None:
                unattended = 0
            case TurnEnded():
                inside = False
            case ModelReplied():
                calls = {part.id: part.arguments for part in entry.parts if isinstance(part, ToolCall)}
            case ToolFinished():
                (steps[-1] if inside else between).append(_result(record.pos, entry, calls.get(entry.call, "")))
            case _:
                pass
    return StepResults(steps=tuple(map(tuple, steps)), between=tuple(between), unattended=unattended)


def _result(pos: Position, entry: ToolFinished, arguments: str) -> Result:
    return Result(
        pos=pos,
        name=entry.name,
        arguments=arguments,
        text=plain_text(entry.parts),
        ok=entry.outcome == "ok",
        milliseconds=entry.milliseconds,
    )
