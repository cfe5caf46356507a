"""Talking: what is said, and the turns of a conversation."""

from holdfast.commands.arguments import LEAVING, TALK, TALKING, Argument, Command, InChat, InShell, words

ROWS = (
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
        shell=InShell(
            TALK,
            "talk to the agent, in a terminal or with -p in a script; needs not be named",
            details=(
                "Without a session named, it goes on with the last one of this workspace, and says "
                "so; with -p it begins a new one. Everything said and done is in the log before "
                "anything else happens, so it can be killed at any time and goes on where it was. "
                "With -p nobody can be asked: what neither the settings nor --allow let run is not "
                "run."
            ),
            examples=(
                "holdfast",
                "holdfast -p 'What is in this folder?' --allow shell",
                "git diff | holdfast -p 'Review this' --output json",
            ),
        ),
    ),
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
        "turn:stop",
        reach=("conversation",),
        chat=InChat(
            TALKING, "stop the turn that runs; what was shown of it is kept", aliases=("cancel",), kept="nothing"
        ),
    ),
    Command(
        "steer",
        "turn:steer",
        reach=("conversation",),
        arguments=(words("text", "what to say"),),
        chat=InChat(
            TALKING, "say something that the running turn hears at its next step", arguments="TEXT", kept="nothing"
        ),
    ),
    Command(
        "queue",
        "turn:queue",
        reach=("conversation",),
        arguments=(words("text", "what to say"),),
        chat=InChat(TALKING, "say something that is answered after the running turn", arguments="TEXT", kept="nothing"),
    ),
    Command(
        "continue",
        "turn:go_on",
        reach=("conversation",),
        arguments=(words("name", "the conversation to go on with"),),
        chat=InChat(TALKING, "go on with a turn that was broken off; without one, choose a session", kept="nothing"),
    ),
    Command(
        "quit",
        "sessions:leave",
        reach=("terminal",),
        chat=InChat(LEAVING, "leave; everything is kept", aliases=("exit", "q", "bye"), kept="nothing"),
    ),
)
