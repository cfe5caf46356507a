"""Commands of the user's own: a Markdown file whose text is said to the model.

They lie in `commands/` of the user's folder, and in `.holdfast/commands/` of a project. A file only says something:
what the model does then needs permission as ever, and a command that comes with Holdfast is never replaced.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from holdfast.commands.answers import Answers
from holdfast.commands.chat_table import BY_NAME
from holdfast.commands.context import ConversationContext
from holdfast.config import Loaded
from holdfast.config.places import OWN, user_folder
from holdfast.errors import BadInput, ToolFailed
from holdfast.records.parts import Text, Value
from holdfast.records.printable import printable_line
from holdfast.tools.front_matter import front_matter
from holdfast.tools.skills import read_below

FOLDER = "commands"
MOST = 200
"""Files of one folder that are looked at."""
LONGEST = 120
"""Characters of a description."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_PLACES = re.compile(r"\$(ARGUMENTS|[1-9])\b")


class OwnCommand(Value, frozen=True, kw_only=True):
    """A command of the user, or of a project."""

    name: str
    description: str
    arguments: str
    """What it is given, as in a line of usage; '' where the file does not say."""
    tools: tuple[str, ...]
    """The tools that it needs."""
    text: str
    project: bool

    @property
    def help(self) -> str:
        """One line about it."""
        return f"{self.description} (project)" if self.project else self.description


class _Place(NamedTuple):
    root: Path
    inside: str
    project: bool


def own_commands(loaded: Loaded, environment: Mapping[str, str]) -> dict[str, OwnCommand]:
    """Every own command by its name; of two with one name the user's counts."""
    found: dict[str, OwnCommand] = {}
    for place, path in _files(loaded, environment):
        name = path.stem
        if name not in BY_NAME and name not in found and _NAME.fullmatch(name):
            try:
                found[name] = _command(place, name)
            except ToolFailed as error:
                found[name] = _broken(place, name, error.message)
    return found


def _files(loaded: Loaded, environment: Mapping[str, str]) -> Iterator[tuple[_Place, Path]]:
    places = [_Place(user_folder(environment) / FOLDER, "", project=False)]
    if loaded.trusted:
        places.append(_Place(loaded.root, f"{OWN}/{FOLDER}", project=True))
    for place in places:
        folder = place.root / place.inside
        if folder.is_dir() and not (place.project and (folder.is_symlink() or folder.parent.is_symlink())):
            yield from ((place, path) for path in sorted(folder.glob("*.md"))[:MOST])


def _command(place: _Place, name: str) -> OwnCommand:
    root, inside = place.root, f"{place.inside}/{name}.md"
    if not place.project:  # the user may well link to commands kept elsewhere
        whole = (root / f"{name}.md").resolve()
        root, inside = whole.parent, whole.name
    data, cut = read_below(root, inside)
    text = data.decode(errors="replace")
    fields = front_matter(text)
    body = _body(text).strip()
    if cut or not body:
        raise ToolFailed("it is too long." if cut else "it has no text for the model.")
    return OwnCommand(
        name=name,
        description=printable_line(fields.get("description", "") or body, LONGEST),
        arguments=printable_line(fields.get("arguments", ""), LONGEST),
        tools=tuple(filter(None, re.split(r"[\s,\[\]\"']+", fields.get("tools", "")))),
        text=body,
        project=place.project,
    )


def _broken(place: _Place, name: str, why: str) -> OwnCommand:
    """A command that says what is wrong with its file, wherever it is seen."""
    said = f"cannot be used: {why}"
    return OwnCommand(name=name, description=said, arguments="", tools=(), text="", project=place.project)


def _body(text: str) -> str:
    """What stands behind the front matter."""
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() != "---":
        return text
    ends = [number for number, line in enumerate(lines[1:], 1) if line.rstrip() in {"---", "..."}]
    return "\n".join(lines[ends[0] + 1 :]) if ends else text


def filled_in(command: OwnCommand, rest: str) -> str:
    """The text of a command with what was typed behind its name."""
    try:
        words = shlex.split(rest)
    except ValueError:  # a quote that is not closed is a quote
        words = rest.split()
    if not _PLACES.search(command.text):
        return f"{command.text}\n\n{rest}" if rest else command.text
    values = {"ARGUMENTS": rest, **{str(index): word for index, word in enumerate(words[:9], 1)}}
    return _PLACES.sub(lambda found: values.get(found[1], ""), command.text)


async def run_own(name: str, rest: str, context: ConversationContext) -> Answers | None:
    """Say what an own command says; None if there is none of that name. Raises `BadInput` if it cannot be used."""
    command = own_commands(context.loaded, context.environment).get(name)
    if command is None:
        return None
    if not command.text:
        raise BadInput(f"/{name} {command.description}", hint=f"Look at its file, {name}.md.")
    missing = [each for each in command.tools if each not in await _offered(context)]
    if missing:
        raise BadInput(
            f"/{name} needs {' and '.join(missing)}, which the agent does not have here.",
            hint="/tools lists what it has; `tools.enabled` and `tools.disabled` decide.",
        )
    redacted = context.agent.engine.setup.redactor.redacted
    await context.conversation.ran(redacted(f"/{name} {rest}".strip())[0], "")
    # Nobody said of themselves what a file says: a project's could be anybody's.
    await context.conversation.send((Text(text=filled_in(command, rest), given="file"),))
    return ()


async def _offered(context: ConversationContext) -> Iterable[str]:
    return {tool.spec.name for tool in await context.conversation.setup.toolbox.tools()}
