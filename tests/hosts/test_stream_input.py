"""A program drives a conversation with lines of JSON."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.hosts.processes import PATIENCE
from tests.hosts.test_oneshot import WRITE, Place, kinds

DRIVE = ("--input", "stream-json", "--output", "stream-json", "--session", "s")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Somewhere to talk."""
    return Place(tmp_path)


def lines(*given: object) -> str:
    """What a program writes."""
    return "".join(f"{json.dumps(each)}\n" for each in given)


def events(out: str) -> list[dict[str, object]]:
    """What a program reads."""
    return [json.loads(line) for line in out.splitlines()]


def message(text: str, **more: str) -> dict[str, str]:
    """A line that says something."""
    return {"type": "message", "text": text, **more}


def test_the_first_line_says_what_there_is(place: Place) -> None:
    """
    Session, model, tools and mode; then every event. The same id says a message once.
    """
    place.write({"say": "Yes."})
    code, out, _ = place.run(*DRIVE, "--mode", "plan", piped=lines(message("One.", id="1"), message("One.", id="1")))

    began, *_, over, closed = events(out)
    assert ("began", "s", "plan") == (began["event"], began["session"], began["mode"])
    assert str(began["model"]).startswith("scripted:")
    assert isinstance(began["tools"], list)
    assert "read_file" in began["tools"]
    assert ("turn_over", "conversation_closed") == (over["event"], closed["event"])
    assert (0, ["user_said", "model_replied", "turn_ended"]) == (code, kinds(place.entries("s")))


def test_a_question_is_answered_and_a_turn_is_cancelled(place: Place) -> None:
    """
    A program reads the id of a question, and answers it; a cancel stops the turn, and the next message begins another.
    """
    place.write(
        [{"say": "I write."}, WRITE], {"say": "Done."}, {"say": "Long. " * 4000, "delay": 0.2}, {"say": "Again."}
    )
    with place.start(*DRIVE, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def write(*given: object) -> None:
            assert process.stdin is not None
            process.stdin.write(lines(*given))
            process.stdin.flush()

        def read(event: str) -> dict[str, object]:
            assert process.stdout is not None
            return next(each for each in map(json.loads, process.stdout) if each["event"] == event)

        write(message("Write it."))
        question = read("asked")["question"]
        assert isinstance(question, dict)
        write({"type": "answer", "question": question["id"], "allowed": True})
        assert "answered" == _why(read("turn_over"))
        write(message("Go on."))
        read("text_streamed")
        write({"type": "cancel"})
        assert "cancelled" == _why(read("turn_over"))
        write(message("And?"))
        assert "answered" == _why(read("turn_over"))
        process.stdin.close()
        assert 0 == process.wait(PATIENCE)

    assert "hello" == (place.workspace / "note.txt").read_text()


def _why(over: dict[str, object]) -> object:
    ended = over["ended"]
    assert isinstance(ended, dict)
    return ended["why"]


def test_where_the_input_ends_open_questions_are_answered_with_no(place: Place) -> None:
    """
    The turn goes on to its end, and the exit code says that something was not allowed.
    """
    place.write([{"say": "I write."}, WRITE], {"say": "Then not."})
    code, out, _ = place.run("Write it.", *DRIVE, piped="\n")

    assert "Then not." in out
    assert 7 == code or "denied" in out
    assert not (place.workspace / "note.txt").exists()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("no json\n", "Line 1 of the input is not a message, an answer or a cancel"),
        ('\n{"type": "other"}\n', "Line 2 of the input is not a message, an answer or a cancel"),
        ('{"type": "answer", "question": "9.9"}\n', "No question '9.9' is open."),
        ('{"type": "message", "text": ""}\n', "There is nothing to say"),
    ],
)
def test_a_wrong_line_ends_it(place: Place, line: str, told: str) -> None:
    """
    It is said which, with exit code 2; nothing is guessed.
    """
    place.write({"say": "Yes."})
    code, _, err = place.run(*DRIVE, piped=line)

    assert 2 == code
    assert told in err


def test_events_cannot_be_read_as_text(place: Place) -> None:
    """
    A program that writes lines reads lines.
    """
    code, _, err = place.run("--input", "stream-json", piped="")

    assert 2 == code
    assert "--input stream-json needs --output stream-json" in err
