"""What the command says to the shell when it ends; docs/reference/command.md has the same table."""

from enum import IntEnum


class Exit(IntEnum):
    """Every exit code."""

    OK = 0
    ERROR = 1
    USAGE = 2
    NOT_FOUND = 3
    HELD = 4
    DAMAGED = 5
    DECLINED = 6
    DENIED = 7
    LIMIT = 8
    NEEDS_PERSON = 9
    INTERRUPTED = 130
    PIPE_CLOSED = 141


MEANINGS = {
    Exit.OK: "done; a search that finds nothing, and an empty list, are done too",
    Exit.ERROR: "it failed, or `doctor` found a problem; the message says why",
    Exit.USAGE: "wrong usage, or a setting or value that cannot be",
    Exit.NOT_FOUND: "no such session, position, attachment or thing in the trash",
    Exit.HELD: "another process has the session open for writing",
    Exit.DAMAGED: "`verify` or `repair` found entries or attachments that cannot be read",
    Exit.DECLINED: "not confirmed, so nothing was removed",
    Exit.DENIED: "answered, but a tool that was wanted on the way was not allowed to run",
    Exit.LIMIT: "the turn reached one of its limits and was ended there; `goal run`: a budget or the guard paused it",
    Exit.NEEDS_PERSON: "`goal run`: the goal waits for a person",
    Exit.INTERRUPTED: "stopped with Ctrl-C, or the turn was cancelled",
    Exit.PIPE_CLOSED: "the program that read the output stopped reading, as `head` does",
}
"""What each means, for people."""
