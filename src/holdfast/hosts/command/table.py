"""Every command, once: the parser, the help, the reference page and the completions are made from this table.

Handlers are named, not imported, so that help and completion load nothing else.
"""

from holdfast.hosts.command.arguments import BRANCH, JSON, KEY, LIMIT, YES, Argument, Command

TALK, LOOK, CHANGE, REMOVE, CARE = "Talk", "Look", "Change", "Remove", "Look after"
GROUPS = (TALK, LOOK, CHANGE, REMOVE, CARE)
DEFAULT = "chat"
"""The command that is meant where none is named."""

COMMANDS = (
    Command(
        DEFAULT,
        TALK,
        "talk to the agent, in a terminal or with -p in a script; needs not be named",
        "holdfast.hosts.chat:chat",
        (
            Argument(("prompt",), "what to say first", many="*"),
            Argument(("-p", "--print"), "answer once on standard output, and leave; reads standard input too"),
            Argument(
                ("--output",),
                "with -p: the answer, one JSON object about the turn, or one for every event",
                value="FORM",
                choices=("text", "json", "stream-json"),
                default="text",
            ),
            Argument(("-c", "--continue"), "go on with the last session of this workspace"),
            Argument(("--new",), "begin a new session"),
            Argument(("-r", "--resume"), "choose a session of this workspace, by hand or by the words of the prompt"),
            Argument(("--session",), "the session to open, made if it is not there", value="KEY", completes="keys"),
            Argument(("--fork",), "go on in a copy, and leave the session as it is"),
            Argument(("--take-over",), "take the session from the process that has it"),
            Argument(("--model",), "the model to ask, as service:name", value="NAME"),
            Argument(("--allow",), "let a tool run unasked: TOOL or TOOL:PATTERN", value="RULE", repeats=True),
            Argument(("--deny",), "never let a tool run: TOOL or TOOL:PATTERN", value="RULE", repeats=True),
        ),
        "Without a session named, it goes on with the last one of this workspace, and says so; with -p it begins a new"
        " one. Everything said and done is in the log before anything else happens, so it can be killed at any time"
        " and goes on where it was. With -p nobody can be asked: what neither the settings nor --allow let run is not"
        " run.",
        (
            "holdfast",
            "holdfast -p 'What is in this folder?' --allow shell",
            "git diff | holdfast -p 'Review this' --output json",
        ),
    ),
    Command(
        "sessions",
        LOOK,
        "list sessions, the most recently used first",
        "listing:sessions",
        (
            Argument(("-n", "--limit"), "how many at most", value="N", number=True, least=1, default=LIMIT),
            Argument(("--cursor",), "go on where the last list ended", value="CURSOR"),
            Argument(("--tag",), "only sessions with this tag", value="TAG", completes="tags"),
            Argument(("-a", "--all"), "archived ones too"),
            Argument(("--archived",), "archived ones only"),
            JSON,
        ),
        "With HOLDFAST_RETENTION_DAYS set, sessions idle for longer are moved into the trash first, and it says so.",
        ("holdfast sessions --tag work", "holdfast sessions --json | jq -r '.sessions[].key'"),
    ),
    Command(
        "show",
        LOOK,
        "print a conversation",
        "showing:show",
        (
            KEY,
            Argument(("-f", "--follow"), "wait for what is said next, until Ctrl-C"),
            Argument(("--from",), "begin at this position", value="POSITION", number=True),
            Argument(("--last",), "only the last N entries", value="N", number=True, least=1),
            BRANCH,
            Argument(("--full",), "long results of tools in full"),
            Argument(("--raw",), "the lines of the log, exactly as they are stored"),
            Argument(("--json",), "print one JSON object per entry and line"),
        ),
        "Shows the conversation as it is now: what was rewound is left out, and `--branch` shows it. `--raw` prints"
        " every line of the log. Control characters in what was said are shown as what they are.",
        ("holdfast show notes", "holdfast show notes --from 120", "holdfast show notes --raw | jq .kind"),
    ),
    Command(
        "search",
        LOOK,
        "find what was said, in all sessions or one",
        "listing:search",
        (
            Argument(("text",), 'words, or a "phrase in quotes"', many="+"),
            Argument(("-n", "--limit"), "how many at most", value="N", number=True, least=1, default=10),
            Argument(("--session",), "only in this session", value="KEY", completes="keys"),
            JSON,
        ),
        "",
        ("holdfast search harbour", "holdfast search '\"red bicycle\"' --session notes"),
    ),
    Command(
        "export",
        LOOK,
        "write a conversation as md, html, json or jsonl",
        "exporting:export",
        (
            KEY,
            Argument(
                ("-f", "--format"),
                "the format; without it the ending of FILE decides, or else md",
                value="FORMAT",
                choices=("md", "html", "json", "jsonl"),
            ),
            Argument(("--json",), "the same as --format json"),
            Argument(
                ("-o", "--output"),
                "where to write; without it to the terminal or pipe",
                value="FILE",
                completes="files",
            ),
            BRANCH,
        ),
        "md and html hold the conversation as it is now, long texts included; html is one page with its pictures, which"
        " runs nothing and fetches nothing. json and jsonl hold the whole log, every branch and every field; jsonl is"
        " the stored lines themselves.",
        ("holdfast export notes > notes.md", "holdfast export notes --output notes.html"),
    ),
    Command(
        "where",
        LOOK,
        "print the folder of a session, or of the store",
        "showing:where",
        (KEY._replace(many="?"), JSON),
        "",
        ('ls "$(holdfast where notes)"',),
    ),
    Command(
        "fork",
        CHANGE,
        "begin a new session as a copy of another one",
        "changing:fork",
        (
            KEY,
            Argument(("new",), "the key of the new session"),
            Argument(
                ("--at",), "up to and including this position; without it all of it", value="POSITION", number=True
            ),
            JSON,
        ),
        "The original stays as it is. Stored data is shared, so a fork takes almost no space.",
        ("holdfast fork notes notes-2", "holdfast fork notes what-if --at 40"),
    ),
    Command(
        "rewind",
        CHANGE,
        "go back to a position, or take that back",
        "changing:rewind",
        (
            KEY,
            Argument(("position",), "the last entry to keep", number=True, many="?"),
            Argument(("--undo",), "take the last rewind back"),
            JSON,
        ),
        "Nothing is removed: what came after stays in the log as another branch.",
        ("holdfast rewind notes 40", "holdfast rewind notes --undo"),
    ),
    Command(
        "rename",
        CHANGE,
        "give a session a title",
        "changing:rename",
        (KEY, Argument(("title",), "the new title; '' takes it away"), JSON),
        "The key stays; to change that, fork the session and delete the old one.",
        ("holdfast rename notes 'Plans for the boat'",),
    ),
    Command(
        "tag",
        CHANGE,
        "list a session's tags, add some (+x), take some away (-x)",
        "changing:tag",
        (
            KEY,
            Argument(("changes",), "+tag adds it, -tag takes it away; nothing lists them", many="*", completes="tags"),
            JSON,
        ),
        "",
        ("holdfast tag notes", "holdfast tag notes +work -draft"),
        dashes=True,
    ),
    Command(
        "archive",
        CHANGE,
        "leave sessions out of the list, or take that back",
        "changing:archive",
        (KEY._replace(many="+"), Argument(("--undo",), "put them back on the list"), JSON),
        "",
        ("holdfast archive notes", "holdfast archive notes --undo"),
    ),
    Command(
        "delete",
        REMOVE,
        "remove sessions for good, or into the trash",
        "removing:delete",
        (
            KEY._replace(many="+"),
            YES,
            Argument(("--trash",), "only into the trash; `holdfast trash restore` brings them back"),
            JSON,
        ),
        "Asks first, and takes no for an answer. Without a terminal to ask on it needs --yes. Log, attachments and"
        " every trace in the search index are removed; what forks share with it stays theirs.",
        ("holdfast delete notes", "holdfast delete notes --trash"),
    ),
    Command(
        "trash",
        REMOVE,
        "list the trash, bring sessions back, empty it",
        "removing:trash",
        (
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
        "The trash is never emptied by itself. `empty` asks, as `delete` does.",
        ("holdfast trash", "holdfast trash restore notes", "holdfast trash sweep --days 365 --dry-run"),
    ),
    Command(
        "history",
        REMOVE,
        "list the lines that were typed in a session, or clear them",
        "typed:history",
        (
            Argument(("action",), "list or clear", choices=("list", "clear")),
            Argument(("keys",), "sessions; `clear` without any clears all of them", many="*", completes="keys"),
            JSON,
        ),
        "The up key of the chat brings these lines back. They lie in the folder of their session, in"
        " `typed/history.jsonl`, so they go into the trash and are deleted with it. What was said stays in the log.",
        ("holdfast history list notes", "holdfast history clear notes", "holdfast history clear"),
    ),
    Command(
        "verify",
        CARE,
        "check every byte of sessions; changes nothing",
        "checking:verify",
        (Argument(("keys",), "sessions; without any, or with `all`, every one", many="*", completes="keys"), JSON),
        "Exits with 5 if entries or attachments cannot be read.",
        ("holdfast verify", "holdfast verify notes"),
    ),
    Command(
        "repair",
        CARE,
        "mend the end of a log and keep damaged bytes aside",
        "checking:repair",
        (KEY, JSON),
        "Loses nothing: every good entry stays, and damaged bytes are copied into the session's `aside` folder. Opening"
        " a session for writing mends its end too, so this is for looking closer.",
        ("holdfast repair notes",),
    ),
    Command(
        "reindex",
        CARE,
        "make the list and the search index anew from the logs",
        "checking:reindex",
        (JSON,),
        "A missing or damaged index is made anew by itself; this does it at a time you choose.",
        ("holdfast reindex",),
    ),
    Command(
        "stats",
        CARE,
        "sizes, counts and days of all sessions",
        "figures:stats",
        (Argument(("--days",), "how many days the plot shows", value="N", number=True, least=1, default=30), JSON),
        "",
        ("holdfast stats",),
    ),
    Command(
        "config",
        CARE,
        "print the settings, and where each came from",
        "configuring:config",
        (
            Argument(("key",), "one setting or one table, such as `limits`; `path` prints the files", many="?"),
            JSON,
        ),
        "Settings come from your file, the project's file, the environment and options, the later the stronger. Secrets"
        " are never printed. `docs/reference/settings.md` says what each setting does.",
        ("holdfast config", "holdfast config limits.steps", "holdfast config path"),
    ),
    Command(
        "init",
        CARE,
        "make a folder a project with settings of its own",
        "beginning:init",
        (Argument(("folder",), "the folder; without it the current one", many="?", completes="files"), JSON),
        "Makes `.holdfast/config.toml` in it, with nothing but comments. From then on the folder is the workspace of"
        " every start in it and below it, as a folder with a `.git` is already. A mere start marks no folder.",
        ("holdfast init boat",),
    ),
    Command(
        "key",
        CARE,
        "keep the key of a service of models, list or remove them",
        "key:key",
        (
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
        "`add` reads the key without showing it, or from a pipe, asks the service for one word to see whether it is"
        " right, and keeps it: in the keyring of the system if the package `keyring` is there, or else in keys.json"
        " beside your settings, which only you can read. A key in the environment counts before it.",
        ("holdfast key add openai", "holdfast key list", "holdfast key remove openai"),
        secret=True,
    ),
    Command(
        "doctor",
        CARE,
        "check what Holdfast needs here, and say how to mend it",
        "doctor:doctor",
        (Argument(("--ask",), "send the model one short question"), JSON),
        "Looks at the environment, settings, store, model, sandbox, servers and packages. Sends nothing to anybody"
        " without --ask. Exits with 1 if there is a problem; a warning is none.",
        ("holdfast doctor",),
    ),
    Command(
        "completion",
        CARE,
        "print a script that completes commands and keys",
        "completing:completion",
        (Argument(("shell",), "bash, zsh or fish", choices=("bash", "zsh", "fish")),),
        "bash: `source <(holdfast completion bash)` in ~/.bashrc. zsh: the same with zsh in ~/.zshrc, after compinit."
        " fish: `holdfast completion fish > ~/.config/fish/completions/holdfast.fish`.",
        ("holdfast completion bash",),
    ),
)

HIDDEN = "__complete"
"""The command that completion scripts call."""


def find(name: str) -> Command | None:
    """The command with this name."""
    return next((command for command in COMMANDS if command.name == name), None)
