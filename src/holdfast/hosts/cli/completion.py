"""Shell completion: the scripts, and the answers they ask for.

A script hands over the words typed so far and gets one candidate a line, so that
what can be completed is known in one place and in one language.
"""

import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress

from holdfast.commands.command import STORE, Argument, Command
from holdfast.commands.shell_table import IN_SHELL
from holdfast.hosts.cli.call import ShellCall
from holdfast.hosts.cli.parser import HIDDEN, find
from holdfast.hosts.console import Console
from holdfast.hosts.exits import Exit

FILES = "<files>"
"""Tells a script to complete names of files."""

_BASH = f"""\
_holdfast() {{
    local candidate
    COMPREPLY=()
    while IFS= read -r candidate; do
        if [ "$candidate" = "{FILES}" ]; then
            compopt -o default 2>/dev/null
        else
            COMPREPLY+=("$candidate")
        fi
    done < <(holdfast {HIDDEN} bash "$COMP_WORDBREAKS" "${{COMP_LINE:0:$COMP_POINT}}" 2>/dev/null)
}}
complete -F _holdfast holdfast
"""

_ZSH = f"""\
#compdef holdfast
_holdfast() {{
    local -a candidates
    candidates=("${{(@f)$(holdfast {HIDDEN} zsh "${{(@Q)words[2,$CURRENT]}}" 2>/dev/null)}}")
    if [[ ${{candidates[1]}} == "{FILES}" ]]; then
        _files
    elif [[ -n ${{candidates[1]}} ]]; then
        compadd -- "${{candidates[@]}}"
    fi
}}
compdef _holdfast holdfast
"""

_FISH = f"""\
function __holdfast_complete
    set -l candidates (holdfast {HIDDEN} fish (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
    if test "$candidates[1]" = "{FILES}"
        __fish_complete_path (commandline -ct)
    else
        printf '%s\\n' $candidates
    end
end
complete -c holdfast -f -a '(__holdfast_complete)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


async def completion(call: ShellCall) -> Exit:
    """Print the script for a shell."""
    call.console.data(SCRIPTS[call.text("shell")].encode())
    return Exit.OK


def complete(words: Sequence[str], console: Console) -> int:
    """Answer a script: the shell, what it needs to be told of it, and the words so far, the last one unfinished."""
    shell, *typed = words or [""]
    breaks, quotes = "", False
    if shell == "bash":
        breaks, line = (*typed, "", "")[:2]
        typed, quotes = _bash_words(line)
    last = typed[-1] if typed else ""
    for candidate in candidates(typed):
        if candidate.startswith(last) and candidate.isprintable():
            console.data(f"{_for_bash(candidate, last, breaks) if quotes else candidate}\n".encode())
        elif candidate == FILES:
            console.data(f"{FILES}\n".encode())
    return Exit.OK


def _bash_words(line: str) -> tuple[list[str], bool]:
    """The words after the command itself, as bash splits them, and whether the last one needs quotes."""
    # Inside quotes that are still open bash wants the bare text, and closes them itself.
    for end, quotes in ((".", True), (".'", False), ('."', False)):
        with suppress(ValueError):
            *words, last = shlex.split(line + end)
            return [*words, last[:-1]][1:], quotes
    return [], True


def _for_bash(candidate: str, typed: str, breaks: str) -> str:
    """Bash replaces only what stands after the last of its word breaks, such as a colon."""
    cut = max((typed.rfind(char) for char in breaks if char not in "\"' \t\n"), default=-1) + 1
    return shlex.quote(candidate)[cut:] if shlex.quote(candidate) == candidate else shlex.quote(candidate[cut:])


def candidates(typed: Sequence[str]) -> Iterable[str]:
    """What could stand where the last word stands."""
    done, last = list(typed[:-1]), typed[-1] if typed else ""
    store, rest = _without_store(done)
    if done and done[-1] == STORE.names[0]:
        return (FILES,)
    command = find(rest[0]) if rest else None
    if command is None:
        return (*(each.name for each in IN_SHELL), "--help", "--store", "--version") if not rest else ()
    wanted = _argument(command, rest[1:], last)
    if wanted is None:
        return ("--help", "--store", *(each.names[-1] for each in command.options if each.is_option))
    if wanted.choices:
        return wanted.choices
    return (FILES,) if wanted.completes == "files" else _from_store(wanted.completes, store, last)


def _without_store(words: list[str]) -> tuple[str, list[str]]:
    rest, store = list(words), ""
    while STORE.names[0] in rest:
        at = rest.index(STORE.names[0])
        store = rest[at + 1] if at + 1 < len(rest) else ""
        del rest[at : at + 2]
    return store, rest


def _argument(command: Command, words: list[str], last: str) -> Argument | None:
    """The argument that the last word is; None for an option's name."""
    options = {name: each for each in command.options for name in each.names if each.is_option and each.value}
    if words and words[-1] in options:
        return options[words[-1]]
    if last.startswith("-") and not command.shell.dashes:
        return None
    filled = 0
    for index, word in enumerate(words):
        filled += not word.startswith("-") and not (index and words[index - 1] in options)
    places = [each for each in command.options if not each.is_option]
    if filled < len(places):
        return places[filled]
    return places[-1] if places and places[-1].many in {"*", "+"} else None


def _from_store(what: str, store: str, last: str) -> Iterable[str]:
    import asyncio

    from holdfast.assembly import open_store
    from holdfast.config import load

    place = load(flags={"store": store} if store else {}).store
    if not what or (place.folder is not None and not place.folder.is_dir()):
        return ()

    async def ask() -> Iterable[str]:
        async with open_store(place) as opened:
            if what == "trash":
                return [each.key for each in await opened.trash()]
            if what == "keys":
                return await opened.keys()
            page = await opened.list(limit=1000, archived=None)
            sign = last[:1] if last[:1] in {"+", "-"} else ""
            return sorted({f"{sign}{tag}" for each in page.sessions for tag in each.tags})

    return asyncio.run(ask())
