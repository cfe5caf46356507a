"""`init`: makes a folder a project; in a chat it has the model write a first AGENTS.md as well."""

from collections.abc import Iterable, Mapping
from os.path import abspath
from pathlib import Path

from holdfast.commands.answers import Answers, Data, Prose
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.config.discovery import discover
from holdfast.config.places import OWN, project_file
from holdfast.errors import BadInput
from holdfast.stores.files.home_folder import home

SETTINGS = """\
# Settings of Holdfast for this project. They count for everybody who works in it, so check this file in.
# They can only tighten what a user allows. `holdfast config` shows what counts here.

# instructions = "Run make check before you say that you are done."
# tools.disabled = ["web_fetch"]
# limits.steps = 20

# [[permissions]]
# tool = "write_file"
# pattern = "migrations/*"
# decision = "deny"
"""


NOTES = "AGENTS.md"
"""What every agent that works in the folder is told."""
ASKED = """\
Write a first AGENTS.md for this folder. Every agent that works here will read it, so it says what is needed again and \
again and cannot be guessed from the files.

Look around first: README, build files, tests, how the code is laid out. Then write AGENTS.md, 20 to 60 lines:
- what this is, in one or two sentences;
- the commands to set it up, build, test and check it, exactly as they are typed, also for a single test;
- where things are, and the few rules that the code follows throughout;
- what an agent must not do or change here.
Write nothing that is not so: leave out what you did not see. Plain words, no praise."""
SKELETON = """\
# For coding agents

What this is: …

## Commands
    …               set it up
    …               run all tests
    …               run one test

## Rules
- …
"""


async def init(given: Inputs, context: CommandContext) -> Answers:
    """Make a folder a project."""
    root = Path(abspath(given.text("folder")))  # noqa: ASYNC240, PTH100 # without following links
    made = _made(root, context.environment, context.settings.trusted_folders)
    file = project_file(root)
    said = "is a project now, with its settings in" if made else "is a project already; its settings are in"
    data = Data(value={"workspace": root, "file": file, "made": made})
    return (Prose(markdown=f"{root} {said} {file}."), data)


def _made(root: Path, environment: Mapping[str, str], trusted: Iterable[Path]) -> bool:
    """Make a folder a project; whether it was none before."""
    root.mkdir(parents=True, exist_ok=True)
    if home(environment).exists() and root.samefile(home(environment)):
        raise BadInput(
            "Your home folder is never a project: the search for one ends there.",
            hint="Run `holdfast init` in the folder of the project, or name that.",
        )
    found = discover(root, environment, trusted)
    if found.root == root and not found.trusted:
        raise BadInput(f"{root} does not belong to you alone, so nothing in it would count.", hint=found.note)
    if (root / OWN).is_symlink():
        raise BadInput(f"{root / OWN} is a link, and nothing is written through it.", hint="Remove it first.")
    (root / OWN).mkdir(exist_ok=True)
    try:
        with project_file(root).open("x", encoding="utf-8") as new:
            new.write(SETTINGS)
    except FileExistsError:
        return False
    return True


async def init_here(_: Inputs, context: ConversationContext) -> Answers:
    """Make the workspace a project, and have the model write a first AGENTS.md."""
    root = context.agent.root
    made = _made(root, context.environment, context.settings.trusted_folders)
    is_project = f"{root} {'is a project now' if made else 'is a project already'}."
    notes = root / NOTES
    if notes.exists() or notes.is_symlink():
        return (Prose(markdown=f"{is_project} It has an {NOTES} already, which stays as it is."),)
    if (await context.conversation.chat_model()).takes_tools:
        await context.conversation.send(ASKED)
        return (Prose(markdown=f"{is_project} The model looks around now, and writes {NOTES}; you are asked as ever."),)
    with notes.open("x", encoding="utf-8") as new:
        new.write(SKELETON)
    return (Prose(markdown=f"{is_project} The model here uses no tools, so {NOTES} is a page to fill in."),)
