"""Evidence for the claim that a goal is reached: results of tools, named by their position in the log.

What is older than the goal, stands on another branch, came from no tool that does work, or is about a file that was
changed since, is refused. It is read from the log, never from what the agent says of it.
"""

from collections.abc import Awaitable, Callable, Sequence

from holdfast.errors import ToolFailed
from holdfast.goals.results import NO_EVIDENCE
from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.entries import FileChanged, ModelReplied, ToolFinished
from holdfast.records.parts import ToolCall, Value, plain_text
from holdfast.session.goals import Goal
from holdfast.session.state import SessionState, on_path

MOST = 20
SHOWN = 4_000
"""Characters of each that the verifier is shown."""
BEFORE = 200
"""So many entries before the first one its reply is looked for."""


class Evidence(Value, frozen=True, kw_only=True):
    """One result that is named as evidence."""

    pos: Position
    name: str
    arguments: str
    text: str


Load = Callable[[int, int | None], Awaitable[list[Record]]]
"""Records of the session from a position up to, not including, another one."""


async def gathered(state: SessionState, goal: Goal, positions: Sequence[int], load: Load) -> tuple[Evidence, ...]:
    """What is named as evidence. Raises `ToolFailed` with why a position is refused."""
    if len(positions) > MOST:
        raise ToolFailed(f"Name at most {MOST} positions.", hint="Take the strongest.")
    wanted = sorted(set(positions))
    for pos in wanted:
        if pos <= goal.pos:
            raise ToolFailed(f"@{pos} is older than the goal.", hint="Name what a tool gave since it was set.")
        if not on_path(Position(pos), state.path):
            raise ToolFailed(f"@{pos} is not in this conversation.", hint="Name results that you see.")
    if not wanted and not goal.checks:
        raise ToolFailed("No evidence is named, and the goal has no checks.", hint="Name results by position.")
    if not wanted:
        return ()
    # The reply with the first call stands before its result.
    records = [each for each in await load(max(goal.pos, wanted[0] - BEFORE), None) if on_path(each.pos, state.path)]
    return tuple(_evidence(pos, records) for pos in wanted)


def _evidence(pos: int, records: list[Record]) -> Evidence:
    entry, calls = None, dict[str, str]()
    for record in records:
        if record.pos == pos:
            entry = record.entry
            break
        if isinstance(record.entry, ModelReplied):
            calls = {part.id: part.arguments for part in record.entry.parts if isinstance(part, ToolCall)}
    if not isinstance(entry, ToolFinished) or entry.name in NO_EVIDENCE:
        raise ToolFailed(f"@{pos} is no result of a tool that does work.", hint="Name results of tools.")
    if entry.outcome != "ok":
        raise ToolFailed(f"@{pos} is a call that came to nothing ({entry.outcome}).", hint="Name one that succeeded.")
    arguments = calls.get(entry.call, "")
    for record in records:
        changed = record.entry
        if record.pos > pos and isinstance(changed, FileChanged) and _is_about(entry.name, arguments, changed.path):
            raise ToolFailed(
                f"@{pos} is about {changed.path}, which was changed since (@{record.pos}).", hint="Look at it again."
            )
    return Evidence(pos=Position(pos), name=entry.name, arguments=arguments, text=plain_text(entry.parts))


def _is_about(name: str, arguments: str, path: str) -> bool:
    """Whether a call was about a file: by its path, or in a command by its name."""
    return path in arguments or (name == "shell" and path.rpartition("/")[2] in arguments)
