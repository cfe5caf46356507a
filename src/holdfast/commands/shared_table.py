"""Commands that a shell and a chat both have."""

from holdfast.commands.command import (
    AGENT,
    BRANCH,
    CARE,
    CHANGE,
    COURSE,
    JSON,
    KEY,
    LOOK,
    LOOKING,
    REMOVE,
    REPLACE,
    SESSIONS,
    WINDOW,
    YES,
    Argument,
    Command,
    InChat,
    InShell,
)

SEARCH = Command(
    "search",
    "search:search",
    reach=("store",),
    arguments=(
        Argument(("text",), 'words, or a "phrase in quotes"', many="+", chat="rest"),
        Argument(("-n", "--limit"), "how many at most", value="N", number=True, least=1, default=10),
        Argument(("--session",), "only in this session", value="KEY", completes="keys"),
        JSON,
        Argument(("find",), "go to the find of this number", number=True, shell=False, chat="#"),
    ),
    shell=InShell(
        LOOK,
        "find what was said, in all sessions or one",
        examples=("holdfast search harbour", "holdfast search '\"red bicycle\"' --session notes"),
    ),
    chat=InChat(
        LOOKING,
        "where something was said, in all conversations",
        arguments="WORDS [#NUMBER]",
        aliases=("find",),
        details='A "phrase in quotes" is found as it is. `/search harbour #2` goes to the second find.',
        kept="line",
    ),
)

EXPORT = Command(
    "export",
    "export:export",
    reach=("conversation",),
    arguments=(
        KEY,
        Argument(
            ("-f", "--format"),
            "the format; without it the ending of FILE decides, or else md",
            value="FORMAT",
            choices=("md", "html", "json", "jsonl"),
            chat="word",
        ),
        Argument(("--json",), "the same as --format json"),
        Argument(
            ("-o", "--output"),
            "where to write; without it to the terminal or pipe",
            value="FILE",
            completes="files",
            chat="rest",
            reach="own files",
        ),
        BRANCH,
        Argument(("--full",), "md and html: every entry, with its position and time", chat="switch"),
        REPLACE,
    ),
    shell=InShell(
        LOOK,
        "write a conversation as md, html, json or jsonl",
        details=(
            "md and html are for people: what was said, and what the agent did. html is one page with "
            "rendered Markdown, its pictures, and the results of tools folded; it runs nothing and "
            "fetches nothing. --full gives every entry of the conversation as it is now. json and "
            "jsonl hold the whole log, every branch and every field; jsonl is the stored lines."
        ),
        examples=("holdfast export notes > notes.md", "holdfast export notes --output notes.html"),
    ),
    chat=InChat(
        LOOKING,
        "write this conversation to a file",
        arguments="[md | html | json | jsonl] [FILE] [--full] [--replace]",
        details=(
            "Without a file name it is called after the session and lies in the workspace. "
            "Without a kind the ending of the name says which, as with `/save`. `json` and "
            "`jsonl` hold every entry of the log, also of other branches."
        ),
        takes="format",
    ),
)

FORK = Command(
    "fork",
    "branches:fork",
    reach=("conversation",),
    arguments=(
        KEY,
        Argument(("new",), "the key of the new session"),
        Argument(
            ("--at",),
            "up to and including this position; without it all of it",
            value="POSITION",
            number=True,
            chat="@",
        ),
        JSON,
    ),
    shell=InShell(
        CHANGE,
        "begin a new session as a copy of another one",
        details="The original stays as it is. Stored data is shared, so a fork takes almost no space.",
        examples=("holdfast fork notes notes-2", "holdfast fork notes what-if --at 40"),
    ),
    chat=InChat(
        COURSE,
        "go on in a copy of this conversation; this one stays as it is",
        arguments="[POSITION]",
        aliases=("branch",),
        details="With a position the copy ends there.",
    ),
)

FILES = (
    Argument(("--files",), "take back the files that tools changed since", chat="switch"),
    Argument(("--theirs",), "with --files: also those that somebody else changed", chat="switch"),
    Argument(("--no-files",), "leave files as they are", chat="switch"),
)

REWIND = Command(
    "rewind",
    "branches:rewind",
    reach=("conversation",),
    arguments=(
        KEY,
        Argument(("position",), "the last entry to keep", number=True, many="?", chat="@"),
        Argument(("--undo",), "take the last rewind back"),
        *FILES,
        JSON,
        Argument(("turns",), "how many turns to go back", number=True, shell=False, chat="word"),
        Argument(("--finish",), "take the files back that a rewind left", shell=False, chat="switch"),
    ),
    shell=InShell(
        CHANGE,
        "go back to a position, or take that back",
        details=(
            "Nothing is removed: what came after stays in the log as another branch. With --files the files that the "
            "agent's tools changed since are taken back too, if the command is run in the session's workspace; what "
            "commands changed, and files over 10 MB, stay as they are. --undo brings both back."
        ),
        examples=("holdfast rewind notes 40", "holdfast rewind notes 40 --files", "holdfast rewind notes --undo"),
    ),
    chat=InChat(
        COURSE,
        "go back before the last turn, or further; what came after stays as a branch",
        arguments="[TURNS | @POSITION] [--files | --no-files]",
        details=(
            "`/rewind 2` goes back before the last but one thing you said, and puts it into the "
            "input to be said differently. `/rewind @42` goes to a position of the log, as "
            "`/history` and `/search` name them. If tools changed files since, you are asked whether they are taken "
            "back too; `--files` and `--no-files` answer beforehand. A file that somebody else changed is left alone, "
            "unless `--theirs` is given as well. What commands changed, and files over 10 MB, stay as they are. "
            "`/undo` takes it back, files included. `/rewind --finish` goes on with files after a rewind that was "
            "broken off."
        ),
        kept="nothing",
    ),
)

GOAL = Command(
    "goal",
    "goal:goal",
    reach=("conversation",),
    arguments=(
        Argument(
            ("action",),
            "what to do with the goal",
            many="?",
            choices=("show", "set", "run", "pause", "resume", "edit", "check", "budget", "cancel", "history"),
            default="show",
        ),
        Argument(
            ("action",),
            "what to do with the goal",
            choices=("pause", "resume", "edit", "check", "budget", "cancel", "history"),
            shell=False,
            chat="word",
        ),
        Argument(("key",), "the session's key, as `holdfast sessions` lists it", many="?", reach="store"),
        Argument(("words",), "the objective, an amendment, a check, or an amount", many="*", chat="rest"),
        Argument(("--check",), "a command that must succeed; set it more than once", value="COMMAND", repeats=True),
        Argument(("--allow",), "run: let a tool run unasked: TOOL or TOOL:PATTERN", value="RULE", repeats=True),
        Argument(("--deny",), "run: never let a tool run: TOOL or TOOL:PATTERN", value="RULE", repeats=True),
        Argument(("--title",), "set: the goal in a few words", value="TITLE"),
        Argument(("--replace",), "set: end the goal there is, and begin this one", chat="switch"),
        JSON,
    ),
    shell=InShell(
        CHANGE,
        "work on a goal until it is reached, and see how far it is",
        details=(
            "`run` works on the goal of a session here, until it is reached, paused, or needs a person; with words it "
            "sets them as the goal first. Ctrl-C pauses it. `show` is what is done by default. `edit` adds to "
            "what is wanted, `check COMMAND` adds a command that must succeed, `check -N` takes one away, and "
            "`budget +N` raises a budget: tokens, or `+20 steps`, `+2h`, `+$5`. `run` exits with 0 if the goal is "
            "reached, 8 if a budget or the guard paused it, and 9 if it waits for a person."
        ),
        examples=(
            "holdfast goal set notes 'Have the tide table built and tested' --check 'make test'",
            "holdfast goal show notes --json",
            "holdfast goal cancel notes",
        ),
        dashes=True,
    ),
    chat=InChat(
        AGENT,
        "work on a goal over many turns until it is reached; without words, how far it is",
        arguments="[OBJECTIVE | pause | resume | edit TEXT | check COMMAND | budget +N | cancel | history] [--replace]",
        details=(
            "`/goal OBJECTIVE` sets it: the agent then goes on by itself, one goal step after the other. `/goal edit` "
            "adds to what is wanted, `/goal check COMMAND` adds a command that must succeed before the goal counts as "
            "reached, `/goal check -2` takes the second one away, and `/goal budget +500000` raises a budget (tokens, "
            "or `+20 steps`, `+2h`, `+$5`). `/goal pause` and `/stop` hold until `/goal resume`. What you say "
            "meanwhile is answered, then the goal goes on."
        ),
        kept="all",
    ),
)
SCHEDULE = Command(
    "schedule",
    "schedules:schedule",
    reach=("conversation",),
    arguments=(
        Argument(
            ("action",),
            "what to do",
            many="?",
            choices=("list", "loop", "remind", "pause", "resume", "delete", "history"),
            default="list",
        ),
        Argument(
            ("action",),
            "what to do",
            choices=("list", "pause", "resume", "delete", "history"),
            shell=False,
            chat="word",
        ),
        Argument(("key",), "the session's key, as `holdfast sessions` lists it", many="?", reach="store"),
        Argument(("words",), "the number of a schedule; for loop and remind, when and what", many="*", chat="rest"),
        Argument(("--zone",), "the time zone, such as Europe/Prague; without it, that of the machine", value="ZONE"),
        JSON,
    ),
    shell=InShell(
        CHANGE,
        "say something in a session at a time, or again and again",
        details=(
            "`remind KEY 'tomorrow 9:00 Check the fuel'` says it once, `loop KEY 'every 2 hours Look at the build'` "
            "again and again; `list` is what is done by default. A gateway or an open chat fires them."
        ),
        examples=(
            "holdfast schedule remind notes 'in 20m Check the oven'",
            "holdfast schedule list notes --json",
            "holdfast schedule delete notes 1",
        ),
    ),
    chat=InChat(
        AGENT,
        "the reminders and loops of this conversation",
        arguments="[list | pause N | resume N | delete N | history]",
        details=(
            "Each slot fires once, also where several processes could fire it. After a time when nothing ran it fires "
            "once, and says how late. A slot of a loop that comes while a turn runs is skipped, and listed as that."
        ),
        aliases=("schedules",),
    ),
)
RENAME = Command(
    "rename",
    "sessions:rename",
    reach=("conversation",),
    arguments=(KEY, Argument(("title",), "the new title; '' takes it away", chat="rest"), JSON),
    shell=InShell(
        CHANGE,
        "give a session a title",
        details="The key stays; to change that, fork the session and delete the old one.",
        examples=("holdfast rename notes 'Plans for the boat'",),
    ),
    chat=InChat(SESSIONS, "give this conversation a title", arguments="TITLE", aliases=("title",)),
)

TAG = Command(
    "tag",
    "sessions:tag",
    reach=("conversation",),
    arguments=(
        KEY,
        Argument(
            ("changes",),
            "+tag adds it, -tag takes it away; nothing lists them",
            many="*",
            completes="tags",
            chat="rest",
        ),
        JSON,
    ),
    shell=InShell(
        CHANGE,
        "list a session's tags, add some (+x), take some away (-x)",
        examples=("holdfast tag notes", "holdfast tag notes +work -draft"),
        dashes=True,
    ),
    chat=InChat(
        SESSIONS, "add tags, take them away with a minus, or list them", arguments="[TAG | -TAG ...]", aliases=("tags",)
    ),
)

DELETE = Command(
    "delete",
    "delete:delete",
    reach=("conversation",),
    arguments=(
        KEY._replace(many="+"),
        YES,
        Argument(("--trash",), "only into the trash; `holdfast trash restore` brings them back"),
        Argument(("--keep-memory",), "keep the facts that came only from them, without their quotes"),
        JSON,
    ),
    shell=InShell(
        REMOVE,
        "remove sessions for good, or into the trash",
        details=(
            "Asks first, and takes no for an answer. Without a terminal to ask on it needs --yes."
            " Log, attachments and every trace in the search index are removed; what forks share "
            "with it stays theirs."
        ),
        examples=("holdfast delete notes", "holdfast delete notes --trash"),
    ),
    chat=InChat(
        SESSIONS,
        "move this conversation into the trash, after a question",
        arguments="[--yes]",
        details="`holdfast trash restore KEY` brings it back. A new conversation begins in its place.",
        kept="nothing",
    ),
)

CONFIG = Command(
    "config",
    "settings:config",
    reach=("own files",),
    arguments=(
        Argument(
            ("key",), "one setting or one table, such as `limits`; `path` prints the files", many="?", chat="rest"
        ),
        JSON,
    ),
    shell=InShell(
        CARE,
        "print the settings, and where each came from",
        details=(
            "Settings come from your file, the project's file, the environment and options, the "
            "later the stronger. Secrets are never printed. `docs/reference/settings.md` says "
            "what each setting does."
        ),
        examples=("holdfast config", "holdfast config limits.steps", "holdfast config path"),
    ),
    chat=InChat(
        AGENT,
        "the settings that count here, and who said so",
        arguments="[KEY]",
        aliases=("settings",),
        takes="setting",
    ),
)

DOCTOR = Command(
    "doctor",
    "doctor:doctor",
    reach=("own files",),
    arguments=(Argument(("--ask",), "send the model one short question"), JSON),
    shell=InShell(
        CARE,
        "check what Holdfast needs here, and say how to mend it",
        details=(
            "Looks at the environment, settings, store, model, sandbox, servers and packages. "
            "Sends nothing to anybody without --ask. Exits with 1 if there is a problem; a "
            "warning is none."
        ),
        examples=("holdfast doctor",),
    ),
    chat=InChat(AGENT, "whether everything is here that is needed, and how to mend what is not"),
)

MEMORY = Command(
    "memory",
    "memory:memory",
    reach=("conversation",),
    arguments=(
        Argument(
            ("action",),
            "show, why FACT, history FACT, remember TEXT, retract FACT, undo, forget TEXT, consolidate [KEY], check, "
            "rebuild, export; on or off in a conversation",
            many="?",
            choices=(
                "show",
                "why",
                "history",
                "remember",
                "retract",
                "undo",
                "forget",
                "consolidate",
                "check",
                "rebuild",
                "export",
                "on",
                "off",
            ),
            default="show",
            chat="word",
        ),
        Argument(("what",), "a fact's id, a text, or a session's key", many="*", chat="rest"),
        Argument(("--session",), "forget: what was said in this session", value="KEY", completes="keys"),
        Argument(("--before",), "forget: what was said before this day, as 2026-11-16", value="DATE"),
        Argument(("--since",), "consolidate: only sessions used since this day, as 2026-11-16", value="DATE"),
        Argument(("--scope",), "whose memory: `me`, or `of:OWNER`", value="NAME", default="me", reach="own files"),
        YES,
        JSON,
    ),
    shell=InShell(
        CARE,
        "what is remembered from one session to the next: show, correct, forget",
        details=(
            "Facts are found in what you said, each with its quote. `why` shows where one comes from. `consolidate` "
            "looks at sessions that were not looked at by themselves, and says first what that costs. `rebuild` folds "
            "the facts anew from the logs, without a model; `check` reads every quote again."
        ),
        examples=(
            "holdfast memory",
            "holdfast memory remember I am allergic to peanuts",
            "holdfast memory forget peanuts",
        ),
    ),
    chat=InChat(
        WINDOW,
        "what is remembered, and where each fact comes from",
        arguments="[why FACT | undo | off | on]",
        details=(
            "Without a word it lists the facts with their ids, what was done today, and how finding facts is going. "
            "`/memory why F2gk` shows the quote and where it stands. `/memory undo` takes back the newest facts. "
            "`/memory off` leaves this conversation out: nothing is remembered from it, and nothing is shown in it."
        ),
        kept="line",
    ),
)

REMEMBER = Command(
    "remember",
    "memory:remember",
    reach=("conversation",),
    arguments=(Argument(("text",), "the fact, one sentence", shell=False, chat="rest"),),
    chat=InChat(
        WINDOW,
        "remember a fact from now on, in every conversation; no model is asked",
        arguments="TEXT",
        kept="nothing",
    ),
)

FORGET = Command(
    "forget",
    "memory:forget",
    reach=("conversation",),
    arguments=(
        Argument(("text",), "words, or the id of a fact", shell=False, chat="rest"),
        YES,
    ),
    chat=InChat(
        WINDOW,
        "forget a fact, and where it was said",
        arguments="TEXT | FACT [--yes]",
        details=(
            "It shows what matches and asks first. The fact leaves the memory, the model is shown `[forgotten]` where "
            "it was said, and no search finds it. The log keeps the words."
        ),
        kept="nothing",
    ),
)
