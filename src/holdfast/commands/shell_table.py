"""Every command of a shell, in the order of its help: parsing, help, completion and the reference come from here.

Handlers are named, not imported, so that help and completion load nothing else.
"""

from holdfast.commands.command import (
    BRANCH,
    CARE,
    CHANGE,
    JSON,
    KEY,
    LIMIT,
    LOOK,
    REMOVE,
    TALK,
    YES,
    Argument,
    Command,
    InShell,
)
from holdfast.commands.shared_table import (
    CONFIG,
    DELETE,
    DOCTOR,
    EXPORT,
    FORK,
    GOAL,
    MEMORY,
    RENAME,
    REWIND,
    SCHEDULE,
    SEARCH,
    TAG,
)

DEFAULT = "chat"
"""The command that is meant where none is named."""
HOSTS = frozenset({DEFAULT, "serve"})
"""Commands that start another host than the one that reads them."""

IN_SHELL = (
    Command(
        "chat",
        "",
        reach=("terminal",),
        arguments=(
            Argument(("prompt",), "what to say first", many="*"),
            Argument(("-p", "--print"), "answer once on standard output, and leave; reads standard input too"),
            Argument(
                ("--output",),
                "with -p: the answer, one JSON object about the turn, or one for every event",
                value="FORM",
                choices=("text", "json", "stream-json"),
                default="text",
            ),
            Argument(
                ("--input",),
                "with -p: the text of a message, or messages, answers and cancels as JSON, one a line",
                value="FORM",
                choices=("text", "stream-json"),
                default="text",
            ),
            Argument(("-c", "--continue"), "go on with the last conversation of this folder"),
            Argument(("--new",), "begin a new session"),
            Argument(("-r", "--resume"), "choose a session of this workspace, by hand or by the words of the prompt"),
            Argument(
                ("--session",),
                "the session to open, by its whole key or `@last`; created if there is none",
                value="KEY",
                completes="keys",
            ),
            Argument(("--fork",), "go on in a copy, and leave the session as it is"),
            Argument(("--take-over",), "take the session from the process that has it"),
            Argument(("--model",), "the model to ask, as service:name", value="NAME"),
            Argument(
                ("--mode",),
                "ask, accept edits of files in the workspace, or plan and change nothing",
                value="MODE",
                choices=("ask", "edits", "plan"),
                default="ask",
            ),
            Argument(("--allow",), "let a tool run unasked: TOOL or TOOL:PATTERN", value="RULE", repeats=True),
            Argument(("--deny",), "never let a tool run: TOOL or TOOL:PATTERN", value="RULE", repeats=True),
        ),
        shell=InShell(
            TALK,
            "talk to the agent, in a terminal or with -p in a script; it need not be named",
            details=(
                "Without a session named, it goes on with the last conversation of this folder, and says "
                "so; with -p it begins a new session. Everything said and done is in the log before "
                "anything else happens, so it can be killed at any time and goes on where it was. "
                "With -p there is nobody to ask, so a tool runs only if the settings or --allow let "
                "it run."
            ),
            examples=(
                "holdfast",
                "holdfast -p 'What is in this folder?' --allow shell",
                "git diff | holdfast -p 'Review this' --output json",
            ),
        ),
    ),
    Command(
        "serve",
        "",
        reach=("terminal",),
        arguments=(
            Argument(("--open",), "open the page in a browser"),
            Argument(("--host",), "the address to listen on, instead of gateway.host", value="ADDRESS"),
            Argument(("--port",), "the port to listen on, instead of gateway.port", value="PORT", number=True),
            Argument(("--unix",), "listen on a Unix socket too, for your own programs"),
            Argument(("--login",), "print a link that logs a browser in, and leave"),
            Argument(("--token",), "print a token for a program of this name, and leave", value="NAME"),
            Argument(("--person",), "with --login or --token: for whom, if not for you", value="PERSON"),
            Argument(("--logins",), "list who may come in, and leave"),
            Argument(("--logout",), "end logins by id, name or person, and leave", value="NAME"),
        ),
        shell=InShell(
            TALK,
            "serve the conversations to browsers, phones and programs",
            details=(
                "Listens on 127.0.0.1 unless something else is said, and prints a link that logs one browser in. Runs "
                "until it is told to stop; then it lets turns that run end, and tells its clients. Logins can be made "
                "and ended while it runs: one that is ended closes what is open with it."
            ),
            examples=("holdfast serve", "holdfast serve --port 9000 --open"),
        ),
    ),
    Command(
        "sessions",
        "list:sessions",
        reach=("store",),
        arguments=(
            Argument(("-n", "--limit"), "how many at most", value="N", number=True, least=1, default=LIMIT),
            Argument(("--cursor",), "go on where the last list ended", value="CURSOR"),
            Argument(("--tag",), "only sessions with this tag", value="TAG", completes="tags"),
            Argument(("-a", "--all"), "archived ones and runs of `holdfast -p` too"),
            Argument(("--archived",), "archived ones only"),
            JSON,
        ),
        shell=InShell(
            LOOK,
            "list sessions, the most recently used first",
            details=(
                "With HOLDFAST_RETENTION_DAYS set, sessions idle for longer are moved into the trash "
                "first, and it says so."
            ),
            examples=("holdfast sessions --tag work", "holdfast sessions --json | jq -r '.sessions[].key'"),
        ),
    ),
    Command(
        "show",
        "show:show",
        reach=("store",),
        arguments=(
            KEY,
            Argument(("-f", "--follow"), "wait for what is said next, until Ctrl-C"),
            Argument(("--from",), "begin at this position", value="POSITION", number=True),
            Argument(("--last",), "only the last N entries", value="N", number=True, least=1),
            BRANCH,
            Argument(("--full",), "long results of tools in full"),
            Argument(("--raw",), "the lines of the log, exactly as they are stored"),
            Argument(("--json",), "print one JSON object per entry and line"),
        ),
        shell=InShell(
            LOOK,
            "print a conversation",
            details=(
                "Shows the conversation as it is now: what was rewound is left out, and `--branch` "
                "shows it. `--raw` prints every line of the log. Control characters in what was said "
                "are shown as what they are."
            ),
            examples=("holdfast show notes", "holdfast show notes --from 120", "holdfast show notes --raw | jq .kind"),
        ),
    ),
    SEARCH,
    EXPORT,
    Command(
        "where",
        "sessions:where",
        reach=("store", "own files"),
        arguments=(KEY._replace(many="?"), JSON),
        shell=InShell(
            LOOK, "print the folder of a session, or of the store", examples=('ls "$(holdfast where notes)"',)
        ),
    ),
    GOAL,
    SCHEDULE,
    FORK,
    REWIND,
    RENAME,
    TAG,
    Command(
        "archive",
        "sessions:archive",
        reach=("store",),
        arguments=(KEY._replace(many="+"), Argument(("--undo",), "put them back on the list"), JSON),
        shell=InShell(
            CHANGE,
            "leave sessions out of the list, or take that back",
            examples=("holdfast archive notes", "holdfast archive notes --undo"),
        ),
    ),
    DELETE,
    Command(
        "trash",
        "trash:trash",
        reach=("store",),
        arguments=(
            Argument(
                ("action",),
                "list, restore NAME, empty [NAME], or sweep --days N",
                many="?",
                choices=("list", "restore", "empty", "sweep"),
                default="list",
            ),
            Argument(("name",), "a key, or the name that the list shows", many="?", completes="trash"),
            Argument(("--days",), "sweep: move sessions idle for more than N days into the trash", value="N"),
            Argument(("--dry-run",), "sweep: only say which"),
            YES,
            JSON,
        ),
        shell=InShell(
            REMOVE,
            "list the trash, bring sessions back, empty it",
            details="The trash is never emptied by itself. `empty` asks, as `delete` does.",
            examples=("holdfast trash", "holdfast trash restore notes", "holdfast trash sweep --days 365 --dry-run"),
        ),
    ),
    Command(
        "history",
        "typed_lines:history",
        reach=("store",),
        arguments=(
            Argument(("action",), "list or clear", choices=("list", "clear")),
            Argument(("keys",), "sessions; `clear` without any clears all of them", many="*", completes="keys"),
            JSON,
        ),
        shell=InShell(
            REMOVE,
            "list the lines that were typed in a session, or clear them",
            details=(
                "The up key of the chat brings these lines back. They lie in the folder of their "
                "session, in `typed/history.jsonl`, so they go into the trash and are deleted with "
                "it. What was said stays in the log."
            ),
            examples=("holdfast history list notes", "holdfast history clear notes", "holdfast history clear"),
        ),
    ),
    MEMORY,
    Command(
        "verify",
        "verify:verify",
        reach=("store",),
        arguments=(
            Argument(("keys",), "sessions; without any, or with `all`, every one", many="*", completes="keys"),
            JSON,
        ),
        shell=InShell(
            CARE,
            "check every byte of sessions; changes nothing",
            details="Exits with 5 if entries or attachments cannot be read.",
            examples=("holdfast verify", "holdfast verify notes"),
        ),
    ),
    Command(
        "repair",
        "verify:repair",
        reach=("store",),
        arguments=(KEY, JSON),
        shell=InShell(
            CARE,
            "mend the end of a log and keep damaged bytes aside",
            details=(
                "Loses nothing: every good entry stays, and damaged bytes are copied into the "
                "session's `aside` folder. Opening a session for writing mends its end too, so this "
                "is for looking closer."
            ),
            examples=("holdfast repair notes",),
        ),
    ),
    Command(
        "reindex",
        "verify:reindex",
        reach=("store",),
        arguments=(JSON,),
        shell=InShell(
            CARE,
            "make the list and the search index anew from the logs",
            details="A missing or damaged index is made anew by itself; this does it at a time you choose.",
            examples=("holdfast reindex",),
        ),
    ),
    Command(
        "stats",
        "stats:stats",
        reach=("store",),
        arguments=(
            Argument(("--days",), "how many days the plot shows", value="N", number=True, least=1, default=30),
            JSON,
        ),
        shell=InShell(CARE, "sizes, counts and days of all sessions", examples=("holdfast stats",)),
    ),
    CONFIG,
    Command(
        "init",
        "project:init",
        reach=("own files",),
        arguments=(
            Argument(
                ("folder",), "the folder; without it the current one", many="?", completes="files", reach="own files"
            ),
            JSON,
        ),
        shell=InShell(
            CARE,
            "make a folder a project with settings of its own",
            details=(
                "Makes `.holdfast/config.toml` in it, with nothing but comments. From then on the "
                "folder is the workspace of every start in it and below it, as a folder with a `.git`"
                " is already. A mere start marks no folder."
            ),
            examples=("holdfast init boat",),
        ),
    ),
    Command(
        "key",
        "",
        reach=("terminal",),
        arguments=(
            Argument(
                ("action",),
                "add SERVICE, list, or remove SERVICE",
                many="?",
                choices=("add", "list", "remove"),
                default="list",
            ),
            Argument(("service",), "the service: anthropic, openai, google, …", many="?"),
            JSON,
        ),
        shell=InShell(
            CARE,
            "keep the key of a service of models, list or remove them",
            details=(
                "`add` reads the key without showing it, or from a pipe, asks the service for one "
                "word to see whether it is right, and keeps it: in the keyring of the system if the "
                "package `keyring` is there, or else in keys.json beside your settings, which only "
                "you can read. A key in the environment counts before it."
            ),
            examples=("holdfast key add openai", "holdfast key list", "holdfast key remove openai"),
            secret=True,
        ),
    ),
    DOCTOR,
    Command(
        "completion",
        "",
        reach=("terminal",),
        arguments=(Argument(("shell",), "bash, zsh or fish", choices=("bash", "zsh", "fish")),),
        shell=InShell(
            CARE,
            "print a script that completes commands and keys",
            details=(
                "bash: `source <(holdfast completion bash)` in ~/.bashrc. zsh: the same with zsh in "
                "~/.zshrc, after compinit. fish: `holdfast completion fish > "
                "~/.config/fish/completions/holdfast.fish`."
            ),
            examples=("holdfast completion bash",),
        ),
    ),
)
