"""The agent: what the model sees, who answers, what may be done."""

from holdfast.commands.arguments import AGENT, WINDOW, Argument, Command, InChat, words

ROWS = (
    Command(
        "context",
        "window:show_context",
        reach=("conversation",),
        chat=InChat(WINDOW, "what fills the window of the model, and how much room there is"),
    ),
    Command(
        "compact",
        "window:compact",
        reach=("conversation",),
        arguments=(words("focus", "what the summary should keep in mind, or `undo`"),),
        chat=InChat(
            WINDOW,
            "sum up older turns to make room; the log keeps every word",
            arguments="[FOCUS | undo]",
            aliases=("summarize", "summarise"),
            details=(
                "What you write after it says what the summary should keep in mind. `/compact undo` "
                "shows the model again what the last summary stands for."
            ),
        ),
    ),
    Command(
        "usage",
        "usage:usage",
        reach=("conversation",),
        chat=InChat(WINDOW, "tokens and cost, by turn and by day", aliases=("cost",)),
    ),
    Command(
        "model",
        "models:model",
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
    Command("skills", "tools:skills", reach=("conversation",), chat=InChat(AGENT, "what the model can read how to do")),
)
