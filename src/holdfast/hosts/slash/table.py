"""Every slash command, once: running, help, completion and the reference page come from this table.

Handlers are named, not imported, so that a prompt is there before they are needed.
"""

from typing import Literal

from holdfast.records.parts import Value

Takes = Literal["", "command", "session", "model", "theme", "setting", "format", "branch", "tool"]
"""What can be completed after a command."""

Kept = Literal["all", "line", "nothing"]
"""What the log keeps of a command: with what it showed, only that it was run, or nothing."""

TALK, SESSIONS, COURSE, WINDOW, AGENT, LOOK, LEAVE = (
    "Talking",
    "Sessions",
    "Going back and aside",
    "What the model sees",
    "The agent",
    "Looking up and taking along",
    "Leaving",
)
GROUPS = (TALK, SESSIONS, COURSE, WINDOW, AGENT, LOOK, LEAVE)


class SlashCommand(Value, frozen=True, kw_only=True):
    """One command."""

    name: str
    """Without the slash."""
    help: str
    """One line."""
    group: str
    handler: str
    """The module here and the function in it."""
    arguments: str = ""
    """What it is given, as in a line of usage."""
    aliases: tuple[str, ...] = ()
    details: str = ""
    """More, for its own help and for the reference."""
    takes: Takes = ""
    kept: Kept = "all"

    @property
    def usage(self) -> str:
        """How it is written."""
        return f"/{self.name} {self.arguments}".rstrip()


COMMANDS = (
    SlashCommand(
        name="help",
        aliases=("?", "h"),
        arguments="[COMMAND]",
        help="what there is to type, or how one command is used",
        group=TALK,
        handler="helping:show_help",
        takes="command",
        kept="line",
    ),
    SlashCommand(
        name="stop",
        aliases=("cancel",),
        help="stop the turn that runs; what was shown of it is kept",
        group=TALK,
        handler="talking:stop",
        kept="nothing",
    ),
    SlashCommand(
        name="steer",
        arguments="TEXT",
        help="say something that the running turn hears at its next step",
        group=TALK,
        handler="talking:steer",
        kept="nothing",
    ),
    SlashCommand(
        name="queue",
        arguments="TEXT",
        help="say something that is answered after the running turn",
        group=TALK,
        handler="talking:queue",
        kept="nothing",
    ),
    SlashCommand(
        name="continue",
        help="go on with a turn that was broken off; without one, choose a session",
        group=TALK,
        handler="talking:go_on",
        kept="nothing",
    ),
    SlashCommand(
        name="new",
        help="begin a new conversation; this one is kept",
        group=SESSIONS,
        handler="sessions:new",
        kept="nothing",
    ),
    SlashCommand(
        name="clear",
        help="begin a new conversation on an empty screen; nothing is deleted",
        group=SESSIONS,
        handler="sessions:clear",
        details="The model starts afresh, as with `/new`, and the screen is emptied. "
        "The conversation so far is kept as it is: `/resume` brings it back.",
        kept="nothing",
    ),
    SlashCommand(
        name="resume",
        aliases=("sessions",),
        arguments="[NAME | NUMBER]",
        help="go on with another conversation",
        group=SESSIONS,
        handler="sessions:resume",
        details="Without a name there is a list to choose from. A name is a key, or words of a title. "
        "A number counts from 1, the conversation of this workspace that was used last; this one is not counted.",
        takes="session",
        kept="nothing",
    ),
    SlashCommand(
        name="session",
        help="this conversation: its key, where it lies, how long it is, how safe",
        group=SESSIONS,
        handler="sessions:session",
    ),
    SlashCommand(
        name="save",
        arguments="[FILE] [--replace]",
        help="make sure that everything is on disk, and say where; with a file, write it there too",
        group=SESSIONS,
        handler="exporting:save",
        details="Everything is saved as it is said, so this is for those who want to hear it. The ending of the file "
        "says what is written: `.md`, `.html`, `.json` or `.jsonl`. A file that exists is replaced only after a "
        "question, or with `--replace`. A path that does not begin with `/` or `~` counts from the workspace.",
    ),
    SlashCommand(
        name="rename",
        aliases=("title",),
        arguments="TITLE",
        help="give this conversation a title",
        group=SESSIONS,
        handler="sessions:rename",
    ),
    SlashCommand(
        name="tag",
        aliases=("tags",),
        arguments="[TAG | -TAG ...]",
        help="add tags, take them away with a minus, or list them",
        group=SESSIONS,
        handler="sessions:tag",
    ),
    SlashCommand(
        name="delete",
        arguments="[--yes]",
        help="move this conversation into the trash, after a question",
        group=SESSIONS,
        handler="sessions:delete",
        details="`holdfast trash restore KEY` brings it back. A new conversation begins in its place.",
        kept="nothing",
    ),
    SlashCommand(
        name="rewind",
        arguments="[TURNS | @POSITION]",
        help="go back before the last turn, or further; what came after stays as a branch",
        group=COURSE,
        handler="branching:rewind",
        details="`/rewind 2` goes back before the last but one thing you said, and puts it into the input to be said "
        "differently. `/rewind @42` goes to a position of the log, as `/history` and `/search` name them. "
        "Files that tools changed stay as they are. `/undo` takes it back.",
        kept="nothing",
    ),
    SlashCommand(
        name="undo",
        help="take the last rewind back; without one, offer to go back before the last turn",
        group=COURSE,
        handler="branching:undo",
        details="It counts as long as nothing was said after the rewind; once more takes the undoing back. "
        "Files that tools changed stay as they are.",
        kept="nothing",
    ),
    SlashCommand(
        name="fork",
        aliases=("branch",),
        arguments="[POSITION]",
        help="go on in a copy of this conversation; this one stays as it is",
        group=COURSE,
        handler="branching:fork",
        details="With a position the copy ends there.",
    ),
    SlashCommand(
        name="tree",
        aliases=("branches",),
        arguments="[NUMBER]",
        help="all ways this conversation went; choose one to go on with",
        group=COURSE,
        handler="branching:tree",
        takes="branch",
        kept="nothing",
    ),
    SlashCommand(
        name="context",
        help="what fills the window of the model, and how much room there is",
        group=WINDOW,
        handler="window:context",
    ),
    SlashCommand(
        name="compact",
        aliases=("summarize", "summarise"),
        arguments="[FOCUS | undo]",
        help="sum up older turns to make room; the log keeps every word",
        group=WINDOW,
        handler="window:compact",
        details="What you write after it says what the summary should keep in mind. `/compact undo` shows the model "
        "again what the last summary stands for.",
    ),
    SlashCommand(
        name="usage",
        aliases=("cost",),
        help="tokens and cost, by turn and by day",
        group=WINDOW,
        handler="usage:usage",
    ),
    SlashCommand(
        name="model",
        aliases=("models",),
        arguments="[NAME]",
        help="which model answers and what else could; with a name, change it",
        group=AGENT,
        handler="models:model",
        takes="model",
    ),
    SlashCommand(
        name="tools",
        aliases=("mcp",),
        help="what the model may ask for, and which servers bring more",
        group=AGENT,
        handler="tools:tools",
    ),
    SlashCommand(
        name="permissions",
        aliases=("allowed",),
        arguments="[allow | ask | deny TOOL[:PATTERN] | forget]",
        help="what runs unasked, what is asked about, what never runs",
        group=AGENT,
        handler="permissions:permissions",
        details="`/permissions allow shell:git status*` counts for this session, in this process. A denial anywhere "
        "wins. `/permissions forget` takes back what was said in this session, and allowed for this workspace.",
        takes="tool",
    ),
    SlashCommand(
        name="skills",
        help="what the model can read how to do",
        group=AGENT,
        handler="tools:skills",
    ),
    SlashCommand(
        name="config",
        aliases=("settings",),
        arguments="[KEY]",
        help="the settings that count here, and who said so",
        group=AGENT,
        handler="settings:config",
        takes="setting",
    ),
    SlashCommand(
        name="status",
        help="one screen: model, session, store, sandbox, servers, notes",
        group=AGENT,
        handler="status:status",
    ),
    SlashCommand(
        name="doctor",
        help="whether everything is here that is needed, and how to mend what is not",
        group=AGENT,
        handler="status:doctor",
    ),
    SlashCommand(
        name="history",
        arguments="[MESSAGES | @POSITION | clear]",
        help="what was said last, or around a position",
        group=LOOK,
        handler="history:history",
        details="`/history clear` empties the list of what you typed in this session, which the up key brings back. "
        "What was said stays in the log.",
        kept="line",
    ),
    SlashCommand(
        name="search",
        aliases=("find",),
        arguments="WORDS [#NUMBER]",
        help="where something was said, in all conversations",
        group=LOOK,
        handler="searching:search",
        details='A "phrase in quotes" is found as it is. `/search harbour #2` goes to the second find.',
        kept="line",
    ),
    SlashCommand(
        name="copy",
        arguments="[NUMBER]",
        help="copy the last reply, or the NUMBERth last block of code",
        group=LOOK,
        handler="copying:copy",
        kept="nothing",
    ),
    SlashCommand(
        name="thinking",
        aliases=("unfold",),
        help="all of what the model thought before its last reply",
        group=LOOK,
        handler="thoughts:thinking",
        details="While a reply comes, its thinking is folded after a few lines.",
        kept="nothing",
    ),
    SlashCommand(
        name="export",
        arguments="[md | html | json | jsonl] [FILE] [--replace]",
        help="write this conversation to a file",
        group=LOOK,
        handler="exporting:export",
        details="Without a file name it is called after the session and lies in the workspace. "
        "Without a kind the ending of the name says which, as with `/save`. "
        "`json` and `jsonl` hold every entry of the log, also of other branches.",
        takes="format",
    ),
    SlashCommand(
        name="theme",
        arguments="[auto | light | dark | none]",
        help="other colours, until you leave",
        group=LOOK,
        handler="settings:theme",
        details="`ui.theme` in the settings makes it last. `none` has no colours.",
        takes="theme",
        kept="nothing",
    ),
    SlashCommand(
        name="quit",
        aliases=("exit", "q", "bye"),
        help="leave; everything is kept",
        group=LEAVE,
        handler="sessions:leave",
        kept="nothing",
    ),
)

BY_NAME = {name: each for each in COMMANDS for name in (each.name, *each.aliases)}
"""Every command by its name and by its other names."""
