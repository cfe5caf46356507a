"""Reading: what was said, looking for it, and taking it along."""

from holdfast.commands.arguments import (
    BRANCH,
    JSON,
    KEY,
    LOOK,
    LOOKING,
    REPLACE,
    Argument,
    Command,
    InChat,
    InShell,
    words,
)

ROWS = (
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
    Command(
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
    ),
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
            REPLACE,
        ),
        shell=InShell(
            LOOK,
            "write a conversation as md, html, json or jsonl",
            details=(
                "md and html hold the conversation as it is now, long texts included; html is one "
                "page with its pictures, which runs nothing and fetches nothing. json and jsonl hold "
                "the whole log, every branch and every field; jsonl is the stored lines themselves."
            ),
            examples=("holdfast export notes > notes.md", "holdfast export notes --output notes.html"),
        ),
        chat=InChat(
            LOOKING,
            "write this conversation to a file",
            arguments="[md | html | json | jsonl] [FILE] [--replace]",
            details=(
                "Without a file name it is called after the session and lies in the workspace. "
                "Without a kind the ending of the name says which, as with `/save`. `json` and "
                "`jsonl` hold every entry of the log, also of other branches."
            ),
            takes="format",
        ),
    ),
    Command(
        "where",
        "sessions:where",
        reach=("store", "own files"),
        arguments=(KEY._replace(many="?"), JSON),
        shell=InShell(
            LOOK, "print the folder of a session, or of the store", examples=('ls "$(holdfast where notes)"',)
        ),
    ),
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
)
