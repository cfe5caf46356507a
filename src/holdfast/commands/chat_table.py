"""Every command of a chat, in the order of its help: the same in a terminal, a page and a channel.

Handlers are named, not imported, so that a prompt is there before they are needed.
"""

from holdfast.commands.command import (
    AGENT,
    COURSE,
    LEAVING,
    LOOKING,
    REPLACE,
    SESSIONS,
    TALKING,
    WINDOW,
    Argument,
    Command,
    InChat,
    words,
)
from holdfast.commands.shared_table import (
    CONFIG,
    DELETE,
    DOCTOR,
    EXPORT,
    FILES,
    FORGET,
    FORK,
    GOAL,
    MEMORY,
    REMEMBER,
    RENAME,
    REWIND,
    SCHEDULE,
    SEARCH,
    TAG,
)

FILES_IN_CHAT = tuple(each._replace(shell=False) for each in FILES)

IN_CHAT = (
    Command(
        "help",
        "help:show_help",
        arguments=(words("command", "the command to tell more of"),),
        chat=InChat(
            TALKING,
            "what there is to type, or how one command is used",
            arguments="[COMMAND]",
            aliases=("?", "h"),
            takes="command",
            kept="line",
        ),
    ),
    Command(
        "stop",
        "steer:stop",
        reach=("conversation",),
        chat=InChat(
            TALKING, "stop the turn that runs; what was shown of it is kept", aliases=("cancel",), kept="nothing"
        ),
    ),
    Command(
        "steer",
        "steer:steer",
        reach=("conversation",),
        arguments=(words("text", "what to say"),),
        chat=InChat(
            TALKING, "say something that the running turn hears at its next step", arguments="TEXT", kept="nothing"
        ),
    ),
    Command(
        "queue",
        "steer:queue",
        reach=("conversation",),
        arguments=(words("text", "what to say"),),
        chat=InChat(TALKING, "say something that is answered after the running turn", arguments="TEXT", kept="nothing"),
    ),
    Command(
        "continue",
        "steer:go_on",
        reach=("conversation",),
        arguments=(words("name", "the conversation to go on with"),),
        chat=InChat(
            TALKING, "go on with a turn that was broken off or stopped; without one, choose a session", kept="nothing"
        ),
    ),
    Command(
        "shell",
        "typed_command:run_typed",
        reach=("conversation", "terminal"),
        arguments=(words("line", "the command to run"),),
        chat=InChat(
            TALKING,
            "run a command in the sandbox and show the model its output; `!COMMAND` is the same",
            arguments="COMMAND",
            details=(
                "It runs in the workspace as a command of the model would, without a question, and not at all if a "
                "rule denies it. The output is said to the model as a message. A message of several lines that begins "
                "with `!` is a message."
            ),
            kept="nothing",
        ),
    ),
    Command(
        "new",
        "sessions:new",
        reach=("conversation",),
        chat=InChat(SESSIONS, "begin a new conversation; this one is kept", kept="nothing"),
    ),
    Command(
        "clear",
        "sessions:clear",
        reach=("conversation", "terminal"),
        chat=InChat(
            SESSIONS,
            "begin a new conversation on an empty screen; nothing is deleted",
            details=(
                "The model starts afresh, as with `/new`, and the screen is emptied. The conversation"
                " so far is kept as it is: `/resume` brings it back."
            ),
            kept="nothing",
        ),
    ),
    Command(
        "resume",
        "sessions:resume",
        reach=("store",),
        arguments=(words("name", "a key, words of a title, or a number"),),
        chat=InChat(
            SESSIONS,
            "go on with another conversation",
            arguments="[NAME | NUMBER]",
            aliases=("sessions",),
            details=(
                "Without a name there is a list to choose from. A name is a key, or words of a title."
                " A number counts from 1, the conversation of this workspace that was used last; this"
                " one is not counted."
            ),
            takes="session",
            kept="nothing",
        ),
    ),
    Command(
        "session",
        "sessions:session",
        reach=("conversation",),
        chat=InChat(SESSIONS, "this conversation: its key, where it lies, how long it is, how safe"),
    ),
    Command(
        "save",
        "export:save",
        reach=("conversation",),
        arguments=(
            Argument(("output",), "the file to write", completes="files", shell=False, chat="rest", reach="own files"),
            REPLACE,
        ),
        chat=InChat(
            SESSIONS,
            "make sure that everything is on disk, and say where; with a file, write it there too",
            arguments="[FILE] [--replace]",
            details=(
                "Everything is saved as it is said, so this is for those who want to hear it. The "
                "ending of the file says what is written: `.md`, `.html`, `.json` or `.jsonl`. A file"
                " that exists is replaced only after a question, or with `--replace`. A path that "
                "does not begin with `/` or `~` counts from the workspace."
            ),
        ),
    ),
    RENAME,
    TAG,
    DELETE,
    REWIND,
    Command(
        "undo",
        "branches:undo",
        reach=("conversation",),
        arguments=FILES_IN_CHAT,
        chat=InChat(
            COURSE,
            "take the last rewind back; without one, offer to go back before the last turn",
            arguments="[--files | --no-files]",
            details=(
                "It counts as long as nothing was said after the rewind; once more takes the undoing "
                "back. Files that the rewind took back come back too; if somebody else changed one of them since, you "
                "are asked first, or answer with `--files`, `--theirs` or `--no-files`."
            ),
            kept="nothing",
        ),
    ),
    FORK,
    Command(
        "tree",
        "branches:tree",
        reach=("conversation",),
        arguments=(Argument(("branch",), "the number of a branch", number=True, shell=False, chat="word"),),
        chat=InChat(
            COURSE,
            "all ways this conversation went; choose one to go on with",
            arguments="[NUMBER]",
            aliases=("branches",),
            takes="branch",
            kept="nothing",
        ),
    ),
    Command(
        "init",
        "project:init_here",
        reach=("conversation", "own files"),
        chat=InChat(
            AGENT,
            "make this folder a project, and have the model write a first AGENTS.md",
            details=(
                "The folder is marked as `holdfast init` does. An AGENTS.md that is there stays as it is. Otherwise "
                "the model looks around and writes one, with the questions that it needs; a model without tools "
                "leaves you a page to fill in."
            ),
            kept="line",
        ),
    ),
    Command(
        "context",
        "context_window:show_context",
        reach=("conversation",),
        chat=InChat(WINDOW, "what fills the window of the model, and how much room there is"),
    ),
    Command(
        "compact",
        "context_window:compact",
        reach=("conversation",),
        arguments=(words("focus", "what the summary should keep in mind, or `undo`"),),
        chat=InChat(
            WINDOW,
            "summarize older turns to make room; the log keeps every word",
            arguments="[FOCUS | undo]",
            aliases=("summarize", "summarise"),
            details=(
                "What you write after it says what the summary should keep in mind. `/compact undo` "
                "shows the model again what the last summary stands for."
            ),
        ),
    ),
    MEMORY,
    REMEMBER,
    FORGET,
    Command(
        "usage",
        "usage:usage",
        reach=("conversation",),
        chat=InChat(WINDOW, "tokens and cost, by turn and by day", aliases=("cost",)),
    ),
    Command(
        "effort",
        "effort:effort",
        reach=("conversation",),
        arguments=(
            Argument(("level",), "how long", choices=("low", "medium", "high", "auto"), shell=False, chat="word"),
        ),
        chat=InChat(
            AGENT,
            "how long the model may think before it answers, where it can be told",
            arguments="[low | medium | high | auto]",
            details=(
                "It counts for this conversation from the next step on, with whatever model answers. `auto` leaves it "
                "to the model. Longer thinking costs more and takes longer."
            ),
        ),
    ),
    Command(
        "model",
        "model_choice:model",
        reach=("conversation",),
        arguments=(words("name", "the model to ask, as service:name"),),
        chat=InChat(
            AGENT,
            "which model answers and what else could; with a name, change it",
            arguments="[NAME]",
            aliases=("models",),
            takes="model",
        ),
    ),
    GOAL,
    Command(
        "loop",
        "schedules:loop",
        reach=("conversation",),
        arguments=(words("words", "how often, and what is to be said"),),
        chat=InChat(
            AGENT,
            "say something to the agent again and again",
            arguments="EVERY TEXT",
            details="`/loop 30m Look at the build`, `/loop daily at 9:00 Summarize the news`, 「/loop 每天9点 天气」.",
        ),
    ),
    Command(
        "remind",
        "schedules:remind",
        reach=("conversation",),
        arguments=(words("words", "when, and what is to be said"),),
        chat=InChat(
            AGENT,
            "say something to the agent once, at a time",
            arguments="WHEN TEXT",
            details="`/remind in 20m Check the oven`, `/remind tomorrow 9:00 Call home`, 「/remind 明天9点 开会」.",
        ),
    ),
    SCHEDULE,
    Command(
        "tools",
        "tools:tools",
        reach=("conversation",),
        chat=InChat(AGENT, "what the model may ask for, and which servers bring more", aliases=("mcp",)),
    ),
    Command(
        "permissions",
        "permissions:permissions",
        reach=("conversation",),
        arguments=(
            Argument(
                ("action",), "what to do", choices=("list", "allow", "ask", "deny", "forget"), shell=False, chat="word"
            ),
            words("rule", "TOOL or TOOL:PATTERN"),
        ),
        chat=InChat(
            AGENT,
            "what runs unasked, what is asked about, what never runs",
            arguments="[allow | ask | deny TOOL[:PATTERN] | forget]",
            aliases=("allowed",),
            details=(
                "`/permissions allow shell:git status*` counts for this session, in this process. A "
                "denial anywhere wins. `/permissions forget` takes back what was said in this "
                "session, and allowed for this workspace."
            ),
            takes="tool",
        ),
    ),
    Command(
        "mode",
        "permissions:mode",
        reach=("conversation",),
        arguments=(Argument(("action",), "the mode", choices=("ask", "edits", "plan"), shell=False, chat="word"),),
        chat=InChat(
            AGENT,
            "the permission mode: ask, accept edits, or plan; Shift-Tab switches it",
            arguments="[ask | edits | plan]",
            details=(
                "In `ask`, what no rule allows is asked about. In `edits`, file edits in the workspace run without "
                "asking. In `plan`, only reading is allowed, and the turn ends with a plan to approve. A rule that "
                "denies wins in every mode. The mode ends with the open conversation."
            ),
        ),
    ),
    Command(
        "approve",
        "permissions:approve",
        reach=("conversation",),
        arguments=(
            Argument(("action",), "`edits` accepts edits from then on", choices=("edits",), shell=False, chat="word"),
        ),
        chat=InChat(
            AGENT,
            "leave plan mode and have the plan carried out; with `edits`, accept edits",
            arguments="[edits]",
            kept="nothing",
        ),
    ),
    Command("skills", "tools:skills", reach=("conversation",), chat=InChat(AGENT, "what the model can read how to do")),
    CONFIG,
    Command(
        "status",
        "status:status",
        reach=("conversation",),
        chat=InChat(AGENT, "one screen: model, session, store, sandbox, servers, notes"),
    ),
    DOCTOR,
    Command(
        "history",
        "history:history",
        reach=("conversation",),
        arguments=(
            Argument(("messages",), "how many messages", number=True, shell=False, chat="word"),
            Argument(("position",), "show what was said around this position", number=True, shell=False, chat="@"),
            Argument(
                ("action",), "`clear` empties the list of what was typed", choices=("clear",), shell=False, chat="word"
            ),
        ),
        chat=InChat(
            LOOKING,
            "what was said last, or around a position",
            arguments="[MESSAGES | @POSITION | clear]",
            details=(
                "`/history clear` empties the list of what you typed in this session, which the up "
                "key brings back. What was said stays in the log."
            ),
            kept="line",
        ),
    ),
    SEARCH,
    Command(
        "copy",
        "replies:copy",
        reach=("conversation",),
        arguments=(
            Argument(("number",), "which block of code, counted from the last", number=True, shell=False, chat="word"),
        ),
        chat=InChat(
            LOOKING, "copy the last reply, or the NUMBERth last block of code", arguments="[NUMBER]", kept="nothing"
        ),
    ),
    Command(
        "thinking",
        "replies:thinking",
        reach=("conversation",),
        chat=InChat(
            LOOKING,
            "all of what the model thought before its last reply",
            aliases=("unfold",),
            details="While a reply comes, its thinking is folded after a few lines.",
            kept="nothing",
        ),
    ),
    Command(
        "output",
        "replies:output",
        reach=("conversation",),
        arguments=(Argument(("number",), "which call, counted from the last", number=True, shell=False, chat="word"),),
        chat=InChat(
            LOOKING,
            "all of what the last tool call returned, or the NUMBERth last",
            arguments="[NUMBER]",
            details="Below a finished call stand the first six lines of what it returned. Ctrl-O does the same.",
            kept="nothing",
        ),
    ),
    EXPORT,
    Command(
        "theme",
        "settings:theme",
        reach=("terminal",),
        arguments=(words("name", "which colours", "auto", "light", "dark", "none"),),
        chat=InChat(
            LOOKING,
            "other colours, until you leave",
            arguments="[auto | light | dark | none]",
            details="`ui.theme` in the settings makes it last. `none` has no colours.",
            takes="theme",
            kept="nothing",
        ),
    ),
    Command(
        "quit",
        "sessions:leave",
        reach=("terminal",),
        chat=InChat(LEAVING, "leave; everything is kept", aliases=("exit", "q", "bye"), kept="nothing"),
    ),
)

BY_NAME = {name: each for each in IN_CHAT for name in (each.name, *each.chat.aliases)}
"""Every one by its name and by its other names."""
