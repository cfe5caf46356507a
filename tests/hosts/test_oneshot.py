"""One message from the command line: a real process, a scripted model, and whatever may happen to it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast.stores.files.drafts import read_drafts
from tests.hosts.processes import COMMAND, PATIENCE, environment

LOOK = [{"say": "Let me look."}, {"call": {"name": "list_dir", "arguments": {"path": "."}}}]
WRITE = {"call": {"name": "write_file", "arguments": {"path": "note.txt", "content": "hello"}}}


class Place:
    """A workspace, a store and a script, each in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.store, self.workspace, self.script = folder / "store", folder / "work", folder / "script.jsonl"
        self.workspace.mkdir()
        self.environment = environment(self.store, HOME=str(folder), XDG_CACHE_HOME=str(folder / "cache"))

    def write(self, *lines: object) -> None:
        """Write the script."""
        self.script.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    def start(self, *words: str, stdin: int = subprocess.DEVNULL) -> "subprocess.Popen[str]":
        """Start a turn."""
        command = [*COMMAND, "-p", *words, "--model", f"scripted:{self.script}"]
        return subprocess.Popen(
            command,
            cwd=self.workspace,
            env=self.environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, piped: str | None = None) -> tuple[int, str, str]:
        """Have a turn: exit code, standard output, standard error."""
        with self.start(*words, stdin=subprocess.DEVNULL if piped is None else subprocess.PIPE) as process:
            out, err = process.communicate(piped, timeout=PATIENCE)
        return process.returncode, out, err

    def entries(self, key: str) -> list[dict[str, object]]:
        """What the log says."""
        ran = subprocess.run(
            [*COMMAND, "show", key, "--raw"], env=self.environment, capture_output=True, text=True, check=True
        )
        return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Somewhere to talk."""
    return Place(tmp_path)


def kinds(entries: Sequence[dict[str, object]]) -> list[object]:
    """The kinds of entries, without those that only describe."""
    return [entry["kind"] for entry in entries if entry["kind"] not in {"opened", "described", "checkpointed"}]


def test_the_answer_alone_is_printed(place: Place) -> None:
    """
    What happens on the way is told on standard error.
    """
    place.write(LOOK, {"say": "There is nothing here."})

    code, out, err = place.run("What is here?", "--session", "s")

    assert (0, "There is nothing here.\n") == (code, out)
    assert "list ." in err
    assert [
        "user_said",
        "model_replied",
        "tool_started",
        "tool_finished",
        "model_replied",
        "turn_ended",
    ] == kinds(place.entries("s"))


def test_a_prompt_can_be_piped_in(place: Place) -> None:
    """
    Alone, or behind the words of the command line; it is marked, so that nobody takes it for the person's own words.
    """
    place.write({"say": "Heard."})

    assert (0, "Heard.\n") == place.run("--session", "a", piped="from a pipe\n")[:2]
    assert (0, "Heard.\n") == place.run("Review this:", "--session", "b", piped="from a pipe\n")[:2]
    said = [entry["parts"] for key in "ab" for entry in place.entries(key) if entry["kind"] == "user_said"]
    assert [
        [{"kind": "text", "text": "from a pipe", "given": "piped"}],
        [{"kind": "text", "text": "Review this:"}, {"kind": "text", "text": "\n\nfrom a pipe", "given": "piped"}],
    ] == said


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_is_too_long_for_the_model_is_told(place: Place, form: str) -> None:
    """
    Half of a long file gets an answer that looks like one about all of it, so the person is told.
    """
    place.write({"say": "It is long."})
    code, out, err = place.run("What is it?", "--output", form, piped="word " * 400_000)

    assert 0 == code
    assert 1 == err.count("not sent: ")
    assert "shortened" in err
    if form == "json":
        assert ["shortened"] == [text.rpartition(" ")[2] for text in json.loads(out)["noticed"]]


def test_a_mode_is_named_in_a_script(place: Place) -> None:
    """
    Accepting edits lets files be written, planning changes nothing whatever is allowed, and the next run has neither.
    """
    write = {"call": {"name": "write_file", "arguments": {"path": "note.txt", "content": "x\\n"}}}
    codes = []
    for wishes in (["--mode", "plan", "--allow", "write_file"], ["--mode", "edits"], []):
        place.write(write, {"say": "Well."})
        codes.append((place.run("Write.", *wishes)[0], (place.workspace / "note.txt").exists()))
        (place.workspace / "note.txt").unlink(missing_ok=True)

    assert [(7, False), (0, True), (7, False)] == codes


def test_nothing_to_say_is_wrong_usage(place: Place) -> None:
    """
    With what to do instead, and no session is made.
    """
    place.write({"say": "never"})

    code, out, err = place.run(piped="  \n")

    assert (2, "") == (code, out)
    assert "Give a prompt after -p" in err
    assert not place.store.exists()


def test_one_object_says_how_it_went(place: Place) -> None:
    """
    For programs: the answer, the session, what it used.
    """
    place.write({"say": "Yes."})

    code, out, _ = place.run("Well?", "--session", "s", "--output", "json")
    told = json.loads(out)

    assert 0 == code
    assert ("s", "Yes.", "answered", False) == (told["session"], told["answer"], told["why"], told["denied"])
    assert told["output_tokens"] > 0


def test_every_event_can_be_had(place: Place) -> None:
    """
    As it happens, one object a line, entries with their positions.
    """
    place.write(LOOK, {"say": "Nothing."})

    code, out, _ = place.run("Well?", "--output", "stream-json")
    frames = [json.loads(line) for line in out.splitlines()]

    assert 0 == code
    assert "turn_over" == frames[-1]["event"]
    assert {"turn_began", "step_began", "text_streamed", "call_streamed", "tool_began", "appended"} <= {
        frame["event"] for frame in frames
    }
    positions = [frame["entry"]["pos"] for frame in frames if frame["event"] == "appended"]
    assert sorted(positions) == positions


def test_a_server_that_does_not_start_is_told_and_does_without(place: Place) -> None:
    """
    Whoever wonders where its tools are knows, and the turn goes on.
    """
    settings = Path(place.environment["HOME"]) / ".config" / "holdfast" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[mcp.papers]\ncommand = "/nonexistent/program"\n')
    place.write(LOOK, {"say": "Nothing."})

    code, out, err = place.run("Well?")

    assert (0, "Nothing.\n") == (code, out)
    assert 1 == err.count("The tools of papers cannot be used")


def test_what_nobody_allows_is_not_run(place: Place) -> None:
    """
    The exit code says so, and standard error which tool it was; with --allow it runs, and --deny wins over it.
    """
    place.write(WRITE, {"say": "Done."})

    code, _, err = place.run("Write.")
    assert 7 == code
    assert (
        "write_file: [not run] Nobody is there to ask. Allow it in the settings, or with --allow." in err.splitlines()
    )
    assert not (place.workspace / "note.txt").exists()
    assert 7 == place.run("Write.", "--allow", "write_file", "--deny", "write_file:note*")[0]
    assert not (place.workspace / "note.txt").exists()
    assert 0 == place.run("Write.", "--allow", "write_file:*.txt")[0]
    assert "hello" == (place.workspace / "note.txt").read_text()


def test_a_failure_is_an_exit_code_and_a_reason(place: Place) -> None:
    """
    And what was said is kept.
    """
    place.write({"fail": "refused"})

    code, out, err = place.run("Well?", "--session", "s")

    assert (1, "") == (code, out)
    assert "failed:" in err
    assert ["user_said", "turn_ended"] == kinds(place.entries("s"))


def test_each_further_try_is_told_and_the_answer_comes(place: Place) -> None:
    """
    Whoever waits is told why, and for how long.
    """
    place.environment["HOLDFAST_RETRY_BASE"] = "0.2"
    place.write({"fail": "unavailable"}, {"say": "Here."})

    code, out, err = place.run("Hello?")

    assert (0, "Here.\n") == (code, out)
    assert re.search(r"^retrying in 0(\.\d)? s: ", err, re.MULTILINE)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_the_shell_closed_is_one_that_nobody_listens_to(place: Place, closed: str) -> None:
    """
    The turn is had, and nothing of it ends up in another file.
    """
    place.write(LOOK, {"say": "Here."})
    words = [*COMMAND, "-p", "Hello?", "--session", "s", "--model", f"scripted:{place.script}"]
    ran = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *words],
        cwd=place.workspace,
        env=place.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )

    assert 0 == ran.returncode, ran.stderr
    assert b"Traceback" not in ran.stderr
    assert "turn_ended" == kinds(place.entries("s"))[-1]
    verified = subprocess.run([*COMMAND, "verify"], env=place.environment, capture_output=True, check=False)
    assert 0 == verified.returncode, verified.stdout


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_answer_that_broke_off_and_went_on_is_whole(place: Place, form: str) -> None:
    """
    The model goes on from what was shown, so its last reply alone would be half of the answer.
    """
    place.environment["HOLDFAST_RETRY_BASE"] = "0.1"
    place.write(LOOK, [{"say": "One, two,"}, {"fail": "unavailable"}], {"say": "three."})

    code, out, _ = place.run("Count.", "--output", form)

    assert (0, "One, two,\nthree.") == (code, json.loads(out)["answer"] if form == "json" else out.removesuffix("\n"))


def test_what_was_left_out_instead_of_summed_up_is_told_with_why(place: Place) -> None:
    """
    A summary that cannot be had leaves the conversation shorter than it was, and nobody is to wonder.
    """
    place.environment |= {"HOLDFAST_CONTEXT_TOKENS": "11200", "HOLDFAST_CONTEXT_OUTPUT": "1000"}
    place.write({"say": "Yes."})
    for _ in range(4):
        place.run("long " * 1500, "--session", "s")
    place.write({"say": "No summary."}, {"say": "Yes."})

    _, _, err = place.run("long " * 1500, "--session", "s")

    told = r"^compacted \(truncation\): [\d,]+ to [\d,]+ tokens; nothing was summarized: It did not have "
    assert re.search(told, err, re.MULTILINE), err


def test_the_last_session_of_the_workspace_goes_on(place: Place) -> None:
    """
    Also after the workspace was moved; in another workspace there is none.
    """
    place.write({"say": "Yes."})
    place.run("One.", "--session", "s")
    place.workspace = place.workspace.rename(place.workspace.with_name("moved"))

    assert 0 == place.run("Two.", "--continue")[0]
    assert ["user_said", "model_replied", "turn_ended"] * 2 == kinds(place.entries("s"))
    place.workspace = place.workspace.with_name("other")
    place.workspace.mkdir()
    code, _, err = place.run("Three.", "--continue")
    assert 3 == code
    assert "This folder has no conversation yet" in err


def _read_until(process: "subprocess.Popen[str]", wanted: str) -> str:
    """What a process prints up to some words."""
    assert process.stdout is not None
    seen = ""
    until = time.monotonic() + PATIENCE
    while wanted not in seen:
        assert time.monotonic() < until, seen
        line = process.stdout.readline()
        assert line, (seen, process.stderr.read() if process.stderr else "")
        seen += line
    return seen


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGINT, 130)], ids=str)
def test_a_signal_in_a_stream_keeps_what_was_shown(place: Place, number: signal.Signals, code: int) -> None:
    """
    The turn ends as cancelled, everything is committed, and the process leaves in good order.
    """
    place.write([{"say": "One two three four five six seven eight nine ten"}, {"fail": "silence", "after": 2}])
    with place.start("Count.", "--session", "s", "--output", "stream-json") as process:
        _read_until(process, "text_streamed")
        process.send_signal(number)
        assert code == process.wait(timeout=PATIENCE)
    entries = place.entries("s")

    assert ["user_said", "model_replied", "turn_ended"] == kinds(entries)
    assert ("cancelled", "cancelled") == (entries[-2]["stop"], entries[-1]["why"])
    assert f"told to leave ({number.name})" == entries[-1]["note"]


def test_a_signal_in_a_tool_ends_it(place: Place) -> None:
    """
    What the tool started is stopped, and its call says that it may have run.
    """
    place.write([{"call": {"name": "shell", "arguments": {"command": "echo $$ > pid; sleep 300"}}}], {"say": "Done."})
    with place.start("Sleep.", "--session", "s", "--output", "stream-json", "--allow", "shell") as process:
        _read_until(process, "tool_began")
        process.send_signal(signal.SIGTERM)
        assert 0 == process.wait(timeout=PATIENCE)
    entries = place.entries("s")

    assert ["user_said", "model_replied", "tool_started", "tool_finished", "turn_ended"] == kinds(entries)
    assert "interrupted" == entries[-2]["outcome"]


def test_the_next_start_says_how_the_last_turn_ended(place: Place) -> None:
    """
    In every form, as long as there is no answer since: a person reads it, and so does a program.
    """
    told = "The last turn was stopped in step 1, while shell ran (it may have done something): told to leave (SIGTERM)."
    place.write([{"call": {"name": "shell", "arguments": {"command": "sleep 300"}}}])
    with place.start("Sleep.", "--session", "s", "--output", "stream-json", "--allow", "shell") as process:
        _read_until(process, "tool_began")
        process.send_signal(signal.SIGTERM)
        assert 0 == process.wait(timeout=PATIENCE)
    place.write({"say": "Here."})
    for key in "abc":
        subprocess.run([*COMMAND, "fork", "s", key], env=place.environment, capture_output=True, check=True)
    text, one, every = (
        place.run("And?", "--session", key, "--output", form)
        for key, form in zip("abc", ("text", "json", "stream-json"), strict=True)
    )

    assert (0, "Here.\n") == text[:2]
    assert told in text[2].splitlines()
    assert [told] == json.loads(one[1])["noticed"]
    assert {"event": "noticed", "text": told} == json.loads(every[1].splitlines()[1])
    assert "The last turn" not in place.run("And now?", "--session", "a")[2]


def _streamed(lines: str) -> str:
    """The words of a reply among the events that a process printed; a line that its end tore is none."""
    return "".join(json.loads(line)["text"] for line in lines.split("\n")[:-1] if "text_streamed" in line)


def test_a_kill_loses_at_most_a_tenth_of_a_second_of_what_was_shown(place: Place) -> None:
    """
    In the stream's own time, a piece every 10 ms: no step in which it is kept is longer than ten pieces.

    What the next start finds is kept as an interrupted reply, and it says what happened.
    """
    pieces = [f"{number:>23} " for number in range(400)]
    place.write([{"say": "".join(pieces)}, {"delay": 0.01}])
    with place.start("Count.", "--session", "s", "--output", "stream-json") as process:
        shown = _read_until(process, pieces[60])
        process.kill()
        shown += process.stdout.read()  # type: ignore[union-attr]  # what was shown and not yet read
    drafts = [each.text for each in read_drafts(place.store / "sessions" / "s")]
    place.write({"say": "Here I am."})
    code, _out, err = place.run("And?", "--session", "s")
    kept, seen = "".join(drafts), _streamed(shown)

    assert 10 * 24 >= max(map(len, [*drafts, seen[len(kept) :]]))
    assert 0 == code
    assert "broken off" in err
    assert [(kept, "interrupted"), ("Here I am.", None)] == [
        (entry["parts"][0]["text"], entry.get("stop"))  # type: ignore[index]
        for entry in place.entries("s")
        if entry["kind"] == "model_replied"
    ]


def test_a_bare_command_with_a_pipe_answers(place: Place) -> None:
    """
    `echo hi | holdfast` is a question.
    """
    place.write({"say": "Hello."})
    command = [sys.executable, "-m", "holdfast.hosts.main"]

    ran = subprocess.run(
        command,
        cwd=place.workspace,
        env={**place.environment, "HOLDFAST_MODEL": f"scripted:{place.script}"},
        input="hi\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert (0, "Hello.\n") == (ran.returncode, ran.stdout)
    assert os.listdir(place.store / "sessions")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give folders to another user")
def test_a_folder_of_another_user_is_passed_over_with_one_line(place: Place) -> None:
    """
    It says how to trust the folder; for programs nothing is said but what they asked for.
    """
    (place.workspace / ".git").mkdir()
    (place.workspace / "AGENTS.md").write_text("Sing.")
    for path in (place.workspace, *place.workspace.rglob("*")):
        os.chown(path, 4321, 4321)
    place.write({"say": "Yes."})
    code, out, err = place.run("Do you sing?")

    assert (0, "Yes.\n", 1) == (code, out, err.count("belongs to user 4321"))
    assert "trusted_folders" in err
    assert [] == os.listdir(place.workspace / ".git")
