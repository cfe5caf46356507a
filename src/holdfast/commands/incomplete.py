"""The line that says that a list or a search may not be complete, because the catalog is still catching up."""

from holdfast.commands.answers import Note
from holdfast.commands.context import CommandContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import count


def incomplete(waiting: int, given: Inputs, context: CommandContext) -> tuple[Note, ...]:
    """A note for the chat; elsewhere it is printed beside the answer, which may be for a program."""
    if not waiting:
        return ()
    note = Note(text=f"This may be incomplete: {count(waiting, 'session')} still to be checked for changes.")
    if given.in_chat:
        return (note,)
    context.progress(note)
    return ()
