"""What a command gave back, printed: as JSON where that was asked for, or for people.

Most answers are printed as they are. Some commands have a drawing of their own, which suits a shell better.
"""

import json
from collections.abc import Callable, Coroutine, Mapping
from importlib import import_module
from typing import TypeAlias

from holdfast.commands.answers import (
    Answers,
    CommandAnswer,
    Data,
    DocumentFile,
    Note,
    Outcome,
    PlainLines,
    Prose,
    json_of,
    outcome_of,
)
from holdfast.commands.text.plain_text import lines_of
from holdfast.commands.verify import Checked
from holdfast.hosts.cli.call import ShellCall
from holdfast.hosts.cli.verify_progress import bar, print_checked
from holdfast.hosts.console import escaped
from holdfast.hosts.exits import Exit
from holdfast.session.catalog import Progress

CODES: Mapping[Outcome, Exit] = {
    "good": Exit.OK,
    "problem": Exit.ERROR,
    "damaged": Exit.DAMAGED,
    "declined": Exit.DECLINED,
}
UNBROKEN = 10_000
"""How wide a table may be where nobody looks."""

Drawing: TypeAlias = Callable[[ShellCall, Answers], Coroutine[object, object, None]]
"""Prints the answers of one command."""

DRAWINGS = {
    "sessions": "lists:print_page",
    "search": "lists:print_hits",
    "trash": "lists:print_trash",
    "show": "transcript:print_transcript",
    "stats": "reports:print_stats",
    "config": "reports:print_settings",
    "doctor": "reports:print_findings",
    "verify": "verify_progress:print_rest",
    "repair": "verify_progress:print_rest",
}
"""Commands with a drawing of their own: the module here and the function in it."""


class AnswerPrinter:
    """Prints what a command gives back, and what it tells on the way."""

    def __init__(self, call: ShellCall) -> None:
        """Print to the console of a call."""
        self._call, self._console = call, call.console
        self._drawn = False

    def progress(self, told: object) -> None:
        """Print how far a long command has come."""
        if isinstance(told, Note):
            self._console.note(told.text)
        elif isinstance(told, Checked) and not self._call.flag("json"):
            print_checked(self._console, told)
        elif isinstance(told, Progress) and self._console.shows_progress:
            self._console.redraw(bar(told, self._console.width or 80))
            self._drawn = True

    async def show(self, answers: Answers) -> Exit:
        """Print all of it; gives the exit code."""
        if self._drawn:
            self._console.redraw("")
        name = self._call.command.name
        if self._call.flag("json") and any(isinstance(each, Data) for each in answers):
            print_json(self._call, json_of(answers))
        elif name in DRAWINGS:
            module, _, function = DRAWINGS[name].partition(":")
            drawing: Drawing = getattr(import_module(f"holdfast.hosts.cli.{module}"), function)
            await drawing(self._call, answers)
        else:
            for each in answers:
                await print_answer(self._call, each)
        return CODES[outcome_of(answers)]


def print_json(call: ShellCall, value: object) -> None:
    """Print a value as one JSON document."""
    call.console.data(f"{escaped(json.dumps(value, ensure_ascii=False, indent=2))}\n".encode())


async def print_answer(call: ShellCall, answer: CommandAnswer) -> None:
    """Print one answer as it is."""
    match answer:
        case Prose():
            call.console.prose(answer.markdown)
        case Note():
            call.console.note(answer.text)
        case PlainLines():
            for line in answer.lines:
                call.console.line(line)
        case DocumentFile():
            async for piece in answer.pieces:
                call.console.data(piece)
            for note in answer.notes:
                call.console.note(note)
        case _:
            for line in lines_of(answer, call.console.width or UNBROKEN):
                call.console.line(line)
