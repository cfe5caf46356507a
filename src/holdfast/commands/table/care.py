"""Looking after: the store, the settings, the machine."""

from holdfast.commands.arguments import AGENT, CARE, JSON, KEY, Argument, Command, InChat, InShell

ROWS = (
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
    Command(
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
    ),
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
    Command(
        "status",
        "status:status",
        reach=("conversation",),
        chat=InChat(AGENT, "one screen: model, session, store, sandbox, servers, notes"),
    ),
    Command(
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
    ),
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
