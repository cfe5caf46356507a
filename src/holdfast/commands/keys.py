"""How a session is named on a command line.

A key may hold what no shell can pass on or no terminal should show. Such a session is
also known by the name of its folder, which is plain: `show %1b%5b31m` finds it.
"""

import shlex

from holdfast.ids import SessionKey


def line(command: str, key: str, options: str = "") -> str:
    """A command about a session, to be copied into a shell."""
    name = word(key)
    words = [command, options, "--", name] if name.startswith("-") else [command, name, options]
    return " ".join(["holdfast", *filter(None, words)])


def word(key: str) -> str:
    """A session's key as one word of a shell, or the name of its folder where that cannot be."""
    if key.isprintable():
        return shlex.quote(key)
    from holdfast.stores.files.folder_names import folder_name

    return folder_name(SessionKey(key))
