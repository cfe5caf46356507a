"""What keeps the built-in demo model in bounds: which messages it is not asked, and where its replies end."""

import pytest

from holdfast.context.system_text import PLAIN, Briefing, system_text
from holdfast.model.protocol import AssistantMessage, Request, UserMessage
from holdfast.providers.local.demo_limits import CANNOT, Unrepeated, is_task, refusal
from holdfast.providers.local.model import TARGET
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


OTHER_TASKS = [
    "Open config.yaml and show me line 3",
    "Show me the contents of the current directory",
    "Execute make test",
    "Rename foo.txt to bar.txt",
    "Summarize the PDF in my downloads folder",
    "Add a unit test for parse_date",
    "commit my changes",
    "What's in package.json?",
    "Write a script that backs up my home folder and run it",
    "check disk usage",
    "Look at src/app.py",
    "Please list all python files",
    "grep for TODO in src",
    "Make a new folder called test",
    "Build the project",
    "Which python version is installed?",
    "Update the README with install instructions",
    "count the words in notes.txt",
    "Download the page at https://example.org",
    "Refactor the class User in models.py",
]
OTHER_OTHERS = [
    "What is 2+2?",
    "Who are you?",
    "Tell me about the sea.",
    "What is the tallest mountain?",
    "How does a search engine work?",
    "Give me three tips for better sleep.",
    "What does the word 'file' mean?",
    "How do I open a bank account?",
    "Write a haiku about running water.",
    "Explain recursion.",
    "How many planets are there?",
    "What is Python?",
    "Can you help me with my homework?",
    "Tell me a joke about programmers.",
    "What is the best way to delete a bad habit?",
    "How do I write a good README?",
    "Describe a test of courage.",
    "Read my mind.",
    "What is a git repository?",
    "Suggest a name for my project.",
]


@pytest.mark.parametrize("tasks", [TASKS, OTHER_TASKS], ids=["one", "another"])
def test_a_task_is_recognised(tasks: list[str]) -> None:
    """
    At least 18 of 20 messages that ask to look at something or to run something.
    """
    missed = [text for text in tasks if not is_task(text)]

    assert (20, True) == (len(tasks), len(missed) <= 2), missed


@pytest.mark.parametrize("others", [OTHERS, OTHER_OTHERS], ids=["one", "another"])
def test_a_conversation_is_not_taken_for_a_task(others: list[str]) -> None:
    """
    At most 1 of 20 messages that a model without tools can answer.
    """
    taken = [text for text in others if is_task(text)]

    assert (20, True) == (len(others), len(taken) <= 1), taken


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
