"""`history`: the lines that were typed in sessions."""

import os

from holdfast.assembly import folder_of
from holdfast.commands.text.times import count
from holdfast.config.places import state_folder
from holdfast.errors import BadInput
from holdfast.hosts.command.call import Call
from holdfast.hosts.command.exits import Exit
from holdfast.hosts.typed_lines import clear_all_lines, clear_lines, lines_of, remove_shared


async def history(call: Call) -> Exit:
    """List what was typed, oldest first, or clear it."""
    keys = call.names("keys")
    if keys:
        async with call.open() as store:
            for key in keys:
                await store.state(key)  # raises for a session that is not there
    if call.text("action") == "clear":
        return _clear(call, keys)
    if not keys:
        raise BadInput("No session is named.", hint="`holdfast sessions` lists them.")
    typed = {key: lines_of(folder_of(call.store, key))[::-1] for key in keys}
    if call.flag("json"):
        call.print_json(typed)
        return Exit.OK
    for lines in typed.values():
        for line in lines:
            call.console.line(line)
    return Exit.OK


def _clear(call: Call, keys: list[str]) -> Exit:
    if keys:
        cleared = clear_lines(call.store, keys)
    else:
        cleared = clear_all_lines(call.store)
        remove_shared(state_folder(os.environ))
    if call.flag("json"):
        call.print_json({"cleared": cleared})
    else:
        call.console.prose(f"Cleared what was typed in {count(cleared, 'session')}.")
    return Exit.OK
