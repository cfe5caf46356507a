"""What keeps the built-in demo model in bounds: which messages it is not asked, and where its replies end."""

import pytest

from holdfast.context.prompt import PLAIN, Briefing, system_text
from holdfast.model.protocol import AssistantMessage, Request, UserMessage
from holdfast.providers.demo_limits import CANNOT, Unrepeated, is_task, refusal
from holdfast.providers.local import TARGET
from holdfast.records.parts import Text

TASKS = [
    "What is in this folder?",
    "list the files here",
    "Read README.md and tell me what it says.",
    "Run the tests",
    "Can you explain what main.py does?",
    "Please fix the bug in utils.py",
    "run `ls -la`",
    "git status",
    "Find all TODOs in this project.",
    "Which files changed since yesterday in my repo?",
    "Create a file hello.txt with the word hi in it.",
    "Delete the old logs in /var/tmp",
    "Search the codebase for open_store",
    "How many lines does this project have?",
    "Install the dependencies",
    "review my code please",
    "What does this project do?",
    "Fetch https://example.com and sum it up",
    "I want you to refactor this module and run make check afterwards.",
    "why does my test fail? have a look at tests/test_app.py",
]
OTHERS = [
    "What is the capital of France?",
    "Hello!",
    "How do I list files in Linux?",
    "What does git status do?",
    "Explain in one sentence what a log file is.",
    "Write a short poem about the sea.",
    "Name three fruits.",
    "What is the difference between a commit and a branch?",
    "Run through the main ideas of the Stoics.",
    "How do I learn to run a marathon?",
    "Give me a name for a blue boat.",
    "What is a folder?",
    "Tell me a story about a lost dog.",
    "Read me a bedtime story.",
    "Translate 'the file is open' into French.",
    "Who wrote The Old Man and the Sea?",
    "Write a Python function that reverses a string.",
    "make me laugh",
    "What should I cook tonight?",
    "My project is late and I am sad.",
]


def test_a_task_is_recognised() -> None:
    """
    At least 18 of 20 messages that ask to look at something or to run something.
    """
    missed = [text for text in TASKS if not is_task(text)]

    assert (20, True) == (len(TASKS), len(missed) <= 2), missed


def test_a_conversation_is_not_taken_for_a_task() -> None:
    """
    At most 1 of 20 messages that a model without tools can answer.
    """
    taken = [text for text in OTHERS if is_task(text)]

    assert (20, True) == (len(OTHERS), len(taken) <= 1), taken


def asked(text: str, system: str) -> Request:
    """A request with one message."""
    return Request(target=TARGET, messages=(UserMessage(parts=(Text(text=text),)),), system=system)


def test_the_fixed_line_says_what_to_do_instead() -> None:
    """
    It is one line, and names the command for a key and the one for Ollama.
    """
    line = refusal(asked("Run the tests", system_text(Briefing(instructions="Be brief."), tools=False)))

    assert line.startswith(CANNOT)
    assert "\n" not in line
    assert all(part in line for part in ("`holdfast key add openai`", "`ollama pull qwen3:"))


@pytest.mark.parametrize(
    "request_",
    [
        asked("What is the capital of France?", PLAIN),
        asked("Run the tests", "You find titles."),
        asked("Run the tests. " * 40, PLAIN),
        Request(target=TARGET, messages=(AssistantMessage(parts=(Text(text="Run the tests"),)),), system=PLAIN),
        Request(target=TARGET, messages=(), system=PLAIN),
    ],
)
def test_whatever_else_is_asked_goes_to_the_model(request_: Request) -> None:
    """
    Other questions, requests that are no conversation, and long texts.
    """
    assert "" == refusal(request_)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("One line of it.\nAnother line.\nOne line of it.\nMore.", "One line of it.\nAnother line.\n"),
        ("I am a chatbot. I am a chatbot. I am a chatbot.", "I am a chatbot. "),
        ("where the sky is,\nwhere the sky is.", "where the sky is,\n"),
        ("a place where it ends\na place where it begins", "a place where it ends\na place where it begins"),
        ("```\nx = 1\n```\n", "```\nx = 1\n```\n"),
        ("Yes. Yes. Yes.", "Yes. Yes. Yes."),
        ("- Apples grow\n- Pears grow\n", "- Apples grow\n- Pears grow\n"),
        ("", ""),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_reply_ends_where_it_repeats_itself(said: str, shown: str, size: int) -> None:
    """
    At the first line or sentence that it has said, in whatever pieces it comes; short ones may come again.
    """
    reply, seen = Unrepeated(), ""
    for begin in range(0, len(said), size):
        if not reply.over:
            seen += reply.take(said[begin : begin + size])
    if not reply.over:
        seen += reply.rest()

    assert shown == seen
