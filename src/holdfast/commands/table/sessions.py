"""Conversations: which one, what it is called, what becomes of it."""

from holdfast.commands.arguments import (
    CHANGE,
    COURSE,
    JSON,
    KEY,
    LIMIT,
    LOOK,
    REMOVE,
    REPLACE,
    SESSIONS,
    YES,
    Argument,
    Command,
    InChat,
    InShell,
    words,
)

ROWS = (
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
    Command(
        "rewind",
        "branches:rewind",
        reach=("conversation",),
        arguments=(
            KEY,
            Argument(("position",), "the last entry to keep", number=True, many="?", chat="@"),
            Argument(("--undo",), "take the last rewind back"),
            JSON,
            Argument(("turns",), "how many turns to go back", number=True, shell=False, chat="word"),
        ),
        shell=InShell(
            CHANGE,
            "go back to a position, or take that back",
            details="Nothing is removed: what came after stays in the log as another branch.",
            examples=("holdfast rewind notes 40", "holdfast rewind notes --undo"),
        ),
        chat=InChat(
            COURSE,
            "go back before the last turn, or further; what came after stays as a branch",
            arguments="[TURNS | @POSITION]",
            details=(
                "`/rewind 2` goes back before the last but one thing you said, and puts it into the "
                "input to be said differently. `/rewind @42` goes to a position of the log, as "
                "`/history` and `/search` name them. Files that tools changed stay as they are. "
                "`/undo` takes it back."
            ),
            kept="nothing",
        ),
    ),
    Command(
        "undo",
        "branches:undo",
        reach=("conversation",),
        chat=InChat(
            COURSE,
            "take the last rewind back; without one, offer to go back before the last turn",
            details=(
                "It counts as long as nothing was said after the rewind; once more takes the undoing "
                "back. Files that tools changed stay as they are."
            ),
            kept="nothing",
        ),
    ),
    Command(
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
    ),
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
        "sessions",
        "list:sessions",
        reach=("store",),
        arguments=(
            Argument(("-n", "--limit"), "how many at most", value="N", number=True, least=1, default=LIMIT),
            Argument(("--cursor",), "go on where the last list ended", value="CURSOR"),
            Argument(("--tag",), "only sessions with this tag", value="TAG", completes="tags"),
            Argument(("-a", "--all"), "archived ones too"),
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
    ),
    Command(
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
            SESSIONS,
            "add tags, take them away with a minus, or list them",
            arguments="[TAG | -TAG ...]",
            aliases=("tags",),
        ),
    ),
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
    Command(
        "delete",
        "delete:delete",
        reach=("conversation",),
        arguments=(
            KEY._replace(many="+"),
            YES,
            Argument(("--trash",), "only into the trash; `holdfast trash restore` brings them back"),
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
    ),
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
)
