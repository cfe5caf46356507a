"""The chat in a terminal: a real process on a real terminal, a scripted model, and a person's keys."""

import re
import signal
import stat
from pathlib import Path

import pytest

from tests.hosts.terminal.ptys import Place, Terminal
from tests.records.pictures import png

SLOW = [{"delay": 0.08}, {"say": " ".join(f"word{number}" for number in range(200))}]
WRITE = {"call": {"name": "write_file", "arguments": {"path": "note.txt", "content": "hello\n"}}}
MARK = "\u203a"
"""What stands before the input, and before what was said."""
TITLE = {"say": "The boat", "when": "title"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Somewhere to talk."""
    return Place(tmp_path)


def ready(terminal: Terminal) -> Terminal:
    """Wait until the input is there."""
    terminal.wait_for(MARK, "✓")
    return terminal


def leave(terminal: Terminal) -> int:
    """Leave with Ctrl-D."""
    terminal.press("ctrl-d")
    return terminal.end()


def test_an_answer_is_drawn_above_the_input(place: Place) -> None:
    """
    What was said, then the answer, then the input again; nothing of it twice.
    """
    place.write(TITLE, {"say": "By the **sea**.\n\n- a pier\n- a light"})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.say("Where is the harbour?")
        terminal.wait_for("a light")
        terminal.wait_for("The boat", "saved ✓")
        text = terminal.transcript
        assert 0 == leave(terminal)

    assert f"{MARK} Where is the harbour?\n\nBy the sea.\n\n• a pier\n• a light\n\n{MARK}\n" in text
    assert 1 == text.count("By the sea.")
    assert ["Where is the harbour?"] == place.said("s")


def test_what_streams_is_not_called_saved(place: Place) -> None:
    """
    The mark comes when the reply is in the log: here one that falls silent, and is stopped.
    """
    place.write(TITLE, [{"say": "By the sea."}, {"fail": "silence"}])
    with ready(place.chat("--session", "s")) as terminal:
        terminal.say("Where is the harbour?")
        terminal.wait_for("By the sea.", "saving …")
        terminal.press("esc")
        terminal.wait_for("saved ✓")
        assert 0 == leave(terminal)


def test_words_on_the_command_line_are_said_first(place: Place) -> None:
    """
    As if they had been typed.
    """
    place.write(TITLE, {"say": "By the sea."})
    with place.chat("chat", "Where", "is", "it?") as terminal:
        terminal.wait_for(f"{MARK} Where is it?", "By the sea.")


def test_a_message_may_have_several_lines(place: Place) -> None:
    """
    Alt-Enter and Ctrl-J begin a new line, Enter sends all of them.
    """
    place.write(TITLE, {"say": "Three lines."})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.type("one")
        terminal.press("alt-enter")
        terminal.type("two")
        terminal.press("ctrl-j")
        terminal.say("three")
        terminal.wait_for(f"{MARK} one\n  two\n  three", "Three lines.")
        leave(terminal)

    assert ["one\ntwo\nthree"] == place.said("s")


def test_what_was_typed_comes_back_with_the_arrow(place: Place) -> None:
    """
    Also in another process, for nobody else to read. It belongs to the session: another one has none of it.
    """
    place.write(TITLE, {"say": "First."})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.say("the first thing")
        terminal.wait_for("First.")
        leave(terminal)
    with ready(place.chat("--session", "s")) as terminal:
        terminal.type("\x0c")
        terminal.wait_gone("the first thing")
        terminal.press("up")
        terminal.wait_for(f"{MARK} the first thing")
        terminal.press("ctrl-c")
        terminal.say("/new")
        terminal.wait_for("A new conversation.")
        ready(terminal)
        terminal.press("up")
        terminal.type("nothing before")
        terminal.wait_for(f"{MARK} nothing before")
        terminal.press("ctrl-c")
        terminal.say("/resume s")
        terminal.wait_for("Continuing")
        ready(terminal)
        terminal.say("/history clear")
        terminal.wait_for("brings back nothing")
        ready(terminal)
        terminal.press("up")
        terminal.type("nothing at all")
        terminal.wait_for(f"{MARK} nothing at all")
        terminal.press("ctrl-c")
        leave(terminal)

    assert not (place.store / "sessions" / "s" / "typed" / "history.jsonl").exists()


def test_the_list_that_sessions_shared_is_removed_with_one_line(place: Place) -> None:
    """
    No deletion reached it. The files of sessions are for nobody else to read.
    """
    (place.state / "history").mkdir()
    (place.state / "history" / "0.jsonl").write_text('"words of a session that was deleted"\n')
    place.write(TITLE, {"say": "First."})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.wait_for("The list shared by all")
        terminal.say("the first thing")
        terminal.wait_for("First.")
        leave(terminal)

    kept = place.store / "sessions" / "s" / "typed" / "history.jsonl"
    assert not (place.state / "history").exists()
    assert 0o600 == stat.S_IMODE(kept.stat().st_mode)


@pytest.mark.parametrize("key", ["ctrl-c", "esc"])
def test_a_key_stops_the_turn_and_keeps_what_was_shown(place: Place, key: str) -> None:
    """
    Ctrl-C and Esc stop at once; the chat goes on, and the log has the half reply.
    """
    place.write(TITLE, SLOW, {"say": "Well."})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.say("Talk.")
        terminal.wait_for("word5")
        terminal.press(key)
        terminal.wait_for("stopped")
        assert "word5" in terminal.transcript
        terminal.say("Enough.")
        terminal.wait_for("Well.")
        assert 0 == leave(terminal)

    replies = [entry for entry in place.entries("s") if entry["kind"] == "model_replied"]
    assert "cancelled" == replies[0]["stop"]
    assert "word5" in str(replies[0]["parts"])


def test_ctrl_c_twice_leaves(place: Place) -> None:
    """
    Once says so; what was typed is cleared first.
    """
    place.write(TITLE)
    with ready(place.chat()) as terminal:
        terminal.type("half a thought")
        terminal.wait_for("half a thought")
        terminal.press("ctrl-c")
        terminal.wait_gone("half a thought")
        terminal.press("ctrl-c")
        terminal.wait_for("Ctrl-C again leaves")
        terminal.press("ctrl-c")
        assert 0 == terminal.end()


@pytest.mark.parametrize("plain", ["true", "false"])
def test_ctrl_c_twice_leaves_a_turn_too(place: Place, plain: str) -> None:
    """
    Once stops it, twice leaves; what was shown is kept.
    """
    place.configure(f"[ui]\nscreen_reader = {plain}\n")
    place.write(TITLE, [{"delay": 0.03}, {"say": " ".join(f"word{number}" for number in range(400))}])
    with place.chat("--session", "s") as terminal:
        terminal.wait_for("asked for")
        terminal.say("Talk.")
        terminal.wait_for("word25")
        terminal.press("ctrl-c")
        terminal.wait_for("stopped")
        terminal.press("ctrl-c")
        assert 0 == terminal.end()

    assert ["cancelled"] == [entry["why"] for entry in place.entries("s") if entry["kind"] == "turn_ended"]


def test_ctrl_c_twice_is_nothing_between(place: Place) -> None:
    """
    What is typed and sent after the first makes the next one the first again.
    """
    place.write(TITLE, {"say": "Well."})
    with ready(place.chat()) as terminal:
        terminal.press("ctrl-c")
        terminal.wait_for("Ctrl-C again leaves")
        terminal.say("Talk.")
        terminal.wait_for("Well.")
        terminal.press("ctrl-c")
        terminal.watch(0.3)
        terminal.say("/session")
        terminal.wait_for("This conversation")
        assert 0 == leave(terminal)


def test_typing_while_a_turn_runs_steers_it(place: Place) -> None:
    """
    Enter: the model hears it at its next step, in the same turn.
    """
    place.write(
        TITLE,
        [{"delay": 0.1}, {"say": "I look."}, {"call": {"name": "list_dir", "arguments": {"path": "."}}}],
        {"say": "As you say."},
    )
    with ready(place.chat("--session", "s")) as terminal:
        terminal.say("Look around.")
        terminal.wait_for("writing")
        terminal.say("And be brief.")
        terminal.wait_for("And be brief.", "As you say.")
        leave(terminal)

    said = [(entry.get("enters", "now")) for entry in place.entries("s") if entry["kind"] == "user_said"]
    assert ["now", "step"] == said
    assert 1 == sum(entry["kind"] == "turn_ended" for entry in place.entries("s"))


def test_ctrl_q_queues_for_the_next_turn(place: Place) -> None:
    """
    It waits for the end of the turn, and is answered then.
    """
    place.write(TITLE, [{"delay": 0.1}, {"say": "This takes a moment. " * 30}], {"say": "Now the second."})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.say("First.")
        terminal.wait_for("writing")
        terminal.type("Second.")
        terminal.press("ctrl-q")
        terminal.wait_for("queued", "Now the second.")
        leave(terminal)

    assert 2 == sum(entry["kind"] == "turn_ended" for entry in place.entries("s"))


def test_a_question_shows_what_would_happen_and_y_allows_it(place: Place) -> None:
    """
    The change is printed, one key answers, and what was being typed is back afterwards.
    """
    place.write(TITLE, [{"delay": 0.05}, {"say": "I write it down for you."}, WRITE], {"say": "Done."})
    with ready(place.chat()) as terminal:
        terminal.say("Write.")
        terminal.type("by the way")
        terminal.wait_for("Allow: write note.txt (new)?", "1 + hello")
        terminal.wait_gone(f"{MARK} by the way")
        terminal.type("y")
        terminal.wait_for("✓ write note.txt (new)", "Done.", f"{MARK} by the way")

    assert "hello\n" == (place.workspace / "note.txt").read_text()


@pytest.mark.parametrize("keys", ["n", "\r", "\x1b", "write to other.txt\r", "yet not now\r"])
def test_everything_but_a_yes_is_a_no(place: Place, keys: str) -> None:
    """
    n, Enter, Esc, and words that say what to do instead, also when they begin like a yes.
    """
    place.write(TITLE, WRITE, {"say": "Then not."})
    with ready(place.chat()) as terminal:
        terminal.say("Write.")
        terminal.wait_for("Allow: write note.txt (new)?")
        terminal.watch(0.6)
        terminal.type(keys)
        terminal.wait_for("Then not.")
        assert "⊘ write note.txt" in terminal.transcript

    assert not (place.workspace / "note.txt").exists()


def test_a_letter_of_a_sentence_allows_nothing(place: Place) -> None:
    """
    Whoever types on while a question comes up writes on; only after a moment of quiet do keys answer.
    """
    place.write(TITLE, [{"delay": 0.05}, {"say": "I write it down for you now."}, WRITE], {"say": "Then not."})
    with ready(place.chat()) as terminal:
        terminal.say("Write.")
        while "Allow: write note.txt (new)?" not in terminal.transcript:
            terminal.type("y")
            terminal.watch(0.05)
        for _ in range(10):
            terminal.type("y")
            terminal.watch(0.05)
        terminal.wait_for(f"{MARK} yy")
        assert not (place.workspace / "note.txt").exists()
        terminal.wait_gone(f"{MARK} y")
        terminal.type("n")
        terminal.wait_for("Then not.")
        terminal.wait_for(f"{MARK} yy")

    assert not (place.workspace / "note.txt").exists()


def test_always_is_not_asked_again_in_the_session(place: Place) -> None:
    """
    The key `a` allows the same again.
    """
    again = {"call": {"name": "write_file", "arguments": {"path": "note.txt", "content": "again\n"}}}
    place.write(TITLE, WRITE, again, {"say": "Both done."})
    with ready(place.chat()) as terminal:
        terminal.say("Write.")
        terminal.wait_for("Allow: write note.txt (new)?")
        terminal.watch(0.6)
        terminal.type("a")
        terminal.wait_for("Both done.")
        leave(terminal)

    assert "again\n" == (place.workspace / "note.txt").read_text()


def test_a_tool_may_ask_and_options_have_numbers(place: Place) -> None:
    """
    The question is put in the chat, and the answer goes to the model.
    """
    ask = {"call": {"name": "ask_user", "arguments": {"question": "Which colour?", "options": ["red", "green"]}}}
    place.write(TITLE, ask, {"say": "Painted."})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.say("Paint.")
        terminal.wait_for("Which colour?", "2. green")
        terminal.watch(0.6)
        terminal.say("2")
        terminal.wait_for("Painted.")
        leave(terminal)

    (finished,) = (entry for entry in place.entries("s") if entry["kind"] == "tool_finished")
    assert [{"kind": "text", "text": "green"}] == finished["parts"]


def test_nothing_is_erased_from_the_corner_of_the_screen(place: Place) -> None:
    """
    For tmux that is a clearing, and it would copy what is redrawn into the scrollback.
    """
    place.write(TITLE, {"say": "Short."})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.say("Hello")
        terminal.wait_for("Short.")
        leave(terminal)

    assert 1 < terminal.raw.count(b"\x1b[J") == terminal.raw.count(b" \x1b[J\b")


def test_a_long_paste_is_a_label_and_is_sent_whole(place: Place) -> None:
    """
    The input stays small; backspace takes the label away at once.
    """
    text = "\n".join(f"line {number}" for number in range(212))
    place.write(TITLE, {"say": "Long."})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.type("See ")
        terminal.paste(text)
        terminal.wait_for(f"{MARK} See [pasted 212 lines]")
        terminal.press("backspace")
        terminal.wait_gone("pasted")
        terminal.paste(text)
        terminal.type(" please\r")
        terminal.wait_for("Long.")
        leave(terminal)

    assert [f"See \n{text}\n please"] == place.said("s")


def test_a_file_is_attached_by_its_name(place: Place) -> None:
    """
    Completed with Tab; its text goes along with the message, and words that are no file stay words.
    """
    (place.workspace / "harbour.md").write_text("The harbour is by the sea.\n")
    place.write(TITLE, {"say": "I read it."})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.type("Read @har")
        terminal.wait_for("harbour.md")
        terminal.press("tab")
        terminal.wait_for(f"{MARK} Read @harbour.md")
        terminal.type(" @alice")
        terminal.press("enter")
        terminal.wait_for("I read it.")
        leave(terminal)

    assert ["Read @harbour.md @alice\nharbour.md:\nThe harbour is by the sea.\n"] == place.said("s")


def test_a_pasted_path_of_a_picture_attaches_it(place: Place) -> None:
    """
    As terminals do when a file is dropped on them.
    """
    picture = place.workspace / "my boat.png"
    picture.write_bytes(png())
    place.write(TITLE, {"say": "A boat."})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.paste(str(picture).replace(" ", "\\ "))
        terminal.wait_for("my boat")
        terminal.say("what is it?")
        terminal.wait_for("A boat.")
        leave(terminal)

    (said,) = (entry for entry in place.entries("s") if entry["kind"] == "user_said")
    assert [("text", None), ("blob", "image/png")] == [(part["kind"], part.get("media_type")) for part in said["parts"]]  # type: ignore[attr-defined]


def test_a_draft_survives_a_killed_process(place: Place) -> None:
    """
    What was typed and not sent is in the input again, pastes too.
    """
    place.write(TITLE, {"say": "Good."})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.type("almost finished ")
        terminal.paste("\n".join("x" * 30))
        terminal.wait_for("[pasted 30 lines]")
        terminal.watch(0.5)
        terminal.kill()
        terminal.end()
    with ready(place.chat("--session", "s")) as terminal:
        terminal.wait_for(f"{MARK} almost finished [pasted 30 lines]")
        terminal.press("enter")
        terminal.wait_for("Good.")
        leave(terminal)
    with ready(place.chat("--session", "s")) as terminal:
        terminal.watch(0.3)
        assert "almost finished [" not in terminal.lines[-1]

    assert "x\nx\nx" in place.said("s")[0]


@pytest.mark.parametrize("way", ["SIGTERM", "SIGHUP", "hang up"])
def test_being_ended_keeps_everything(place: Place, way: str) -> None:
    """
    A signal, or a window that is closed in the middle of a reply: exit 0 at once, the half reply and the draft kept.
    """
    place.write(TITLE, SLOW)
    with ready(place.chat("--session", "s")) as terminal:
        terminal.say("Talk.")
        terminal.wait_for("word5")
        terminal.type("not sent")
        terminal.wait_for(f"{MARK} not sent")
        if way == "hang up":
            terminal.hang_up()
        else:
            terminal.kill(signal.Signals[way])
        assert 0 == terminal.end(seconds=8)

    kinds = [entry["kind"] for entry in place.entries("s")]
    assert "turn_ended" == kinds[-1]
    assert any("word5" in str(entry) for entry in place.entries("s") if entry["kind"] == "model_replied")
    with place.chat("--session", "s") as terminal:
        terminal.wait_for(f"{MARK} not sent")


def test_a_resize_in_the_middle_of_a_stream_tears_nothing(place: Place) -> None:
    """
    Every word is there once, in order, whatever the width was when it came.
    """
    place.write(TITLE, [{"delay": 0.03}, *SLOW[1:]])
    with ready(place.chat("--session", "s")) as terminal:
        terminal.say("Talk.")
        for columns in (60, 100, 40, 80):
            terminal.watch(0.4)
            terminal.resize(columns)
        terminal.wait_for("word199")
        terminal.wait_for("The boat")
        words = re.findall(r"word\d+", terminal.transcript)
        assert [f"word{number}" for number in range(200)] == words
        terminal.wait_until(lambda: terminal.screen.count("saved ✓") == 1, "one status that says that it is saved")


def test_without_colours_none_is_written(place: Place) -> None:
    """
    NO_COLOR: no sequence selects a colour.
    """
    place.write(TITLE, {"say": "**Bold** and `code`.\n\n```python\nprint(1)\n```"})
    with ready(place.chat(NO_COLOR="1")) as terminal:
        terminal.say("Show.")
        terminal.wait_for("print(1)", "The boat")
        leave(terminal)
        colours = re.findall(rb"\x1b\[[0-9;]*m", terminal.raw)

    assert not [each for each in colours if re.search(rb"[;\[](3[0-7]|9[0-7]|38|48)[;m]", each)]


def test_a_narrow_terminal_is_enough(place: Place) -> None:
    """
    At 40 columns nothing is cut that matters.
    """
    place.write(TITLE, WRITE, {"say": "Some words that are longer than the terminal is wide."})
    with ready(place.chat(columns=40)) as terminal:
        terminal.say("Write.")
        terminal.wait_for("Allow: write note.txt (new)?")
        terminal.watch(0.6)
        assert max(len(line) for line in terminal.lines) <= 40
        terminal.type("y")
        terminal.wait_for("Some words that are longer than the\nterminal is wide.")


def test_control_sequences_of_a_model_are_shown_not_obeyed(place: Place) -> None:
    """
    A reply cannot set a title, write the clipboard or move the cursor.
    """
    place.write(TITLE, {"say": "A\x1b]0;owned\x07B\x1b]52;c;b3duZWQ=\x07C\x1b[2J\x1b[HD"})
    with ready(place.chat()) as terminal:
        terminal.say("Be nasty.")
        terminal.wait_for("A␛]0;owned␇B", "D")
        assert b"\x1b]" not in terminal.raw
        assert b"\x1b[2J" not in terminal.raw


def test_a_dumb_terminal_gets_plain_lines(place: Place) -> None:
    """
    No sequence of any kind; questions are answered by line, Ctrl-C stops, Ctrl-D leaves.
    """
    place.write(TITLE, WRITE, {"say": "Done."}, SLOW)
    with place.chat(TERM="dumb") as terminal:
        terminal.wait_for(">")
        terminal.say("Write.")
        terminal.wait_for("Allow: write note.txt (new)?", "An empty line is no.")
        terminal.say("y")
        terminal.wait_for("Done.\n>")
        terminal.say("Talk.")
        terminal.watch(0.5)
        terminal.press("ctrl-c")
        terminal.wait_for("stopped")
        assert 0 == leave(terminal)
        assert b"\x1b" not in terminal.raw

    assert "hello\n" == (place.workspace / "note.txt").read_text()


def test_a_screen_reader_gets_plain_lines(place: Place) -> None:
    """
    The setting is enough, whatever the terminal could do.
    """
    place.configure("[ui]\nscreen_reader = true\n")
    place.write(TITLE, {"say": "Plain."})
    with place.chat() as terminal:
        terminal.wait_for(">")
        terminal.say("Hello \\")
        terminal.say("there.")
        terminal.wait_for("Plain.")
        leave(terminal)
        assert b"\x1b" not in terminal.raw


def test_a_failing_model_is_told_and_the_chat_goes_on(place: Place) -> None:
    """
    The message says what happened.
    """
    place.write(TITLE, {"fail": "refused"}, {"say": "Better."})
    with ready(place.chat()) as terminal:
        terminal.say("Hello?")
        terminal.wait_for("the turn failed", "the request is refused")
        terminal.say("Again.")
        terminal.wait_for("Better.")
        assert 0 == leave(terminal)


def test_a_session_that_somebody_has_is_not_opened(place: Place) -> None:
    """
    It says who has it.
    """
    place.write(TITLE)
    with ready(place.chat("--session", "s")) as first, place.chat("--session", "s") as second:
        second.wait_for("This session is held by")
        second.type("q")
        assert 4 == second.end()
        leave(first)


def test_a_message_can_be_written_in_an_editor(place: Place) -> None:
    """
    Ctrl-X Ctrl-E; what comes back stands in the input, and is not sent unseen.
    """
    editor = place.home / "editor"
    editor.write_text("#!/bin/sh\necho written elsewhere > $1\n")
    editor.chmod(0o755)
    place.write(TITLE)
    with ready(place.chat("--session", "s", EDITOR=str(editor))) as terminal:
        terminal.type("something")
        terminal.press("ctrl-x", "ctrl-e")
        terminal.wait_for(f"{MARK} written elsewhere")
        leave_kept(terminal)

    assert [] == place.said("s")


def leave_kept(terminal: Terminal) -> None:
    """Leave with something in the input."""
    terminal.kill(signal.SIGTERM)
    assert 0 == terminal.end()


def test_vi_keys_can_be_had(place: Place) -> None:
    """
    Esc goes out of inserting, and Ctrl-C stops the turn in its place.
    """
    place.configure('[ui]\nkeys = "vi"\n')
    place.write(TITLE, SLOW)
    with ready(place.chat("--session", "s")) as terminal:
        terminal.type("one two")
        terminal.press("esc")
        terminal.watch(0.8)
        terminal.type("bdw")
        terminal.wait_gone("two")
        terminal.press("enter")
        terminal.wait_for("word5")
        terminal.press("ctrl-c")
        terminal.wait_for("stopped")

    assert ["one"] == [text.strip() for text in place.said("s")]


def test_esc_in_vi_stops_and_refuses(place: Place) -> None:
    """
    Out of inserting, Esc stops the turn; a question is turned down by it at once. The line below names the sure key.
    """
    place.configure('[ui]\nkeys = "vi"\n')
    place.write(TITLE, SLOW, WRITE, {"say": "Then not."})
    with ready(place.chat(columns=120)) as terminal:
        terminal.say("Talk.")
        terminal.wait_for("word5", "Ctrl-C stops")
        terminal.press("esc")
        terminal.watch(0.8)
        assert "stopped" not in terminal.screen
        terminal.press("esc")
        terminal.wait_for("stopped")
        terminal.type("i")
        terminal.say("Write.")
        terminal.wait_for("y yes")
        terminal.press("esc")
        terminal.wait_for("Then not.")

    assert not (place.workspace / "note.txt").exists()


def test_a_wrong_command_names_the_nearest(place: Place) -> None:
    """
    It is not put back into the input: the arrow brings it.
    """
    place.write(TITLE)
    with ready(place.chat()) as terminal:
        terminal.say("/contxt")
        terminal.wait_for("There is no command /contxt.", "Did you mean /context?")
        terminal.wait_until(lambda: MARK in terminal.lines, "an empty input")


def test_a_new_session_is_begun_in_the_place_of_this_one(place: Place) -> None:
    """
    The first one is kept, and another process may have it.
    """
    place.write(TITLE, {"say": "Here."}, {"say": "There."})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.say("Where?")
        terminal.wait_for("Here.")
        terminal.say("/new")
        terminal.wait_for("A new conversation.\n\n", f"{MARK} /new")
        terminal.say("And now?")
        terminal.wait_for("There.")
        with place.chat("--session", "s") as other:
            other.wait_for("Continuing", "Here.")
            leave(other)
        leave(terminal)

    assert ["Where?"] == place.said("s")


def test_a_conversation_that_was_never_used_is_not_kept(place: Place) -> None:
    """
    Opening and leaving clutters nothing.
    """
    place.write(TITLE)
    with ready(place.chat("--new")) as terminal:
        leave(terminal)

    assert "no sessions" in place.run("sessions").lower() or not place.run("sessions").strip()


def test_a_turn_that_was_broken_off_goes_on_with_enter(place: Place) -> None:
    """
    A killed process costs nothing: what was shown is there, and Enter on an empty line goes on.
    """
    place.write(TITLE, SLOW)
    with ready(place.chat("--session", "s")) as terminal:
        terminal.say("Talk.")
        terminal.wait_for("word20")
        terminal.kill()
        terminal.end()
    place.write(TITLE, {"say": "Where was I?"})
    with ready(place.chat("--session", "s")) as terminal:
        terminal.wait_for("word5", "The last turn was broken off")
        terminal.press("enter")
        terminal.wait_for("Where was I?")
        leave(terminal)

    assert "answered" == place.entries("s")[-1].get("why", "answered")


def test_the_first_time_says_what_this_is(tmp_path: Path) -> None:
    """
    Once: who answers, where conversations are kept; never again unasked.
    """
    place = Place(tmp_path, welcomed=False)
    place.write(TITLE)
    with place.chat(rows=40) as terminal:
        terminal.wait_for("Conversations are kept in", "Model: scripted", MARK)
        leave(terminal)
    with ready(place.chat()) as terminal:
        terminal.watch(0.5)
        assert "Conversations are kept in" not in terminal.transcript


def test_what_is_typed_before_the_chat_is_there_is_not_lost(place: Place) -> None:
    """
    Whoever is faster than the start has sent what they sent, and goes on with what they began.
    """
    place.write(TITLE, {"say": "Quick."})
    with place.chat("--session", "s") as terminal:
        terminal.type("hello\rand")
        terminal.wait_for(f"{MARK} hello", "Quick.", f"{MARK} and")
        leave_kept(terminal)

    assert ["hello"] == place.said("s")


def test_a_command_that_takes_its_time_says_so(place: Place) -> None:
    """
    What runs is named with its time, and that it was stopped is said.
    """
    slow = [{"delay": 1, "when": "Goal"}, {"say": "word " * 200}]
    place.write(TITLE, slow, *[{"say": f"{'tide ' * 600}{number}."} for number in range(8)], {"say": "Well."})
    with ready(place.chat("--session", "s")) as terminal:
        for number in range(8):
            terminal.say("More.")
            terminal.wait_for(f"tide {number}.")
        terminal.say("/compact the tides")
        terminal.wait_for("/compact the tides 1 s")
        terminal.press("esc")
        terminal.wait_for("■ stopped")
        terminal.say("Enough.")
        terminal.wait_for("Well.")
        leave(terminal)
