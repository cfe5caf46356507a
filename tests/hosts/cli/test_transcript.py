"""`show` and `where`."""

import json
import subprocess
from datetime import UTC, datetime

from holdfast import (
    CommandRan,
    Described,
    ManualClock,
    ModelReplied,
    Store,
    Text,
    ToolCall,
    ToolFinished,
    TurnEnded,
    UserSaid,
)
from holdfast.ids import CallId
from tests.hosts.conftest import Shell
from tests.hosts.processes import COMMAND, Answer, environment

NOON = int(datetime(2026, 3, 4, 12, 0, tzinfo=UTC).timestamp()) * 10**9


def with_tools(shell: Shell) -> None:
    """A session with a tool, an attachment and remarks."""

    async def work(store: Store) -> None:
        async with store.session("tools") as session:
            await session.append(Described(title="The boat", tags=("sea",)))
            await session.say("list it")
            call = ToolCall(id=CallId("c"), name="ls", arguments='{"all":true}')
            await session.append(ModelReplied(parts=(Text(text="I look."), call), model="m", stop="called"))
            result = "\n".join(f"file {number}" for number in range(20))
            await session.append(ToolFinished(call=CallId("c"), name="ls", parts=(Text(text=result),), milliseconds=7))
            blob = await session.attach(b"line\n" * 600, media_type="text/plain", name="long.txt")
            await session.append(UserSaid(parts=(blob,)), TurnEnded(why="failed", note="no answer"))
            await session.append(CommandRan(command="/help", output="none"))

    shell.prepare(work, clock=ManualClock(NOON))


def test_a_conversation_is_readable(shell: Shell) -> None:
    """
    Who said what, where and when; long results begin, and say how much more there is.
    """
    with_tools(shell)

    assert (
        """\
tools  The boat
3 messages, #sea, since 2026-03-04 12:00
0  Began, 2026-03-04 12:00
1  Renamed to The boat; Tagged sea, 12:00

2  You, 12:00
  list it

3  Model (m), 12:00
  I look.
  calls ls: {"all":true}

4  Tool ls (ok, 7 ms), 12:00
  result
  | file 0
  | file 1
  | file 2
  | file 3
  | file 4
  | file 5
  | file 6
  | file 7
  | … 12 more lines; --full shows all

5  You, 12:00
  long.txt, text/plain, 3.0 KB, of which this is the beginning (--full shows all)
  | line
  | line
  | line
  | line
  | line
  | line
  | line
  | line
"""
        in shell("show", "tools").out
    )


def test_full_shows_all_of_it(shell: Shell) -> None:
    """
    --full leaves nothing out: results of tools, and attached texts.
    """
    with_tools(shell)

    out = shell("show", "tools", "--full").out

    assert "file 19" in out
    assert 600 == out.count("| line\n")
    assert "--full" not in out
    assert "Turn ended: failed (no answer)" in out
    assert "Command (/help), 12:00\n  output: none\n" in out


def test_a_part_of_it(notes: Shell) -> None:
    """
    --from and --last show a stretch; a position that does not exist is an error that says which do.
    """
    assert ["3  You", "4  Model (small)"] == [
        line.split(",")[0] for line in notes("show", "notes", "--from", "3").out.splitlines() if line[:1].isdigit()
    ][1:]
    assert "Where is" not in notes("show", "notes", "--last", "1").out
    assert "In the harbour." in notes("show", "notes", "--last", "1").out
    ran = notes("show", "notes", "--from", "9")
    assert (3, "") == (ran.code, ran.out)
    assert "Position 9 is beyond the end of the log, which is at 4.\nGive one up to 4." in ran.err


def test_rewound_branches_are_left_out_and_named(notes: Shell) -> None:
    """
    The conversation as it is now; the way to what was left is offered, and works.
    """
    notes("rewind", "notes", "2")
    ran = notes("show", "notes")

    assert "And the boat?" not in ran.out
    assert "\n1 older branch: --branch 4\n" == ran.err
    assert "And the boat?" in notes("show", "notes", "--branch", "4").out
    assert "Went back to 2" in notes("show", "notes", "--branch", "all").out
    assert "And the boat?" in notes("show", "notes", "--from", "3").out
    assert 2 == notes("show", "notes", "--branch", "x").code
    assert 3 == notes("show", "notes", "--branch", "99").code


def test_raw_is_the_log_byte_for_byte(notes: Shell) -> None:
    """
    --raw prints every stored line, whatever was rewound, from a position on too.
    """
    notes("rewind", "notes", "2")
    log = notes.segment("notes").read_bytes()

    assert log == notes.bytes_of("show", "notes", "--raw")
    assert log.split(b"\n")[3:] == notes.bytes_of("show", "notes", "--raw", "--from", "3").split(b"\n")


def test_json_is_one_object_a_line(notes: Shell) -> None:
    """
    --json gives programs each entry of the conversation as it is now.
    """
    entries = [json.loads(line) for line in notes.bytes_of("show", "notes", "--json").splitlines()]

    assert ["opened", "user_said", "model_replied"] == [entry["kind"] for entry in entries[:3]]
    assert [0, 1, 2, 3, 4] == [entry["pos"] for entry in entries]
    assert 2 == notes("show", "notes", "--json", "--raw").code


def test_follow_shows_what_is_said_next(notes: Shell) -> None:
    """
    Another process writes, and whoever follows sees it at once, through a pipe too.
    """
    command = [*COMMAND, "show", "notes", "--follow", "--json", "--from", "4"]
    with subprocess.Popen(command, env=environment(notes.store), stdout=subprocess.PIPE) as follower:
        assert follower.stdout is not None
        first = json.loads(follower.stdout.readline())
        notes.say("notes", "One more thing")
        second = json.loads(follower.stdout.readline())
        follower.kill()

    assert (4, 5) == (first["pos"], second["pos"])
    assert "One more thing" == second["parts"][0]["text"]


def test_ctrl_c_ends_following(notes: Shell) -> None:
    """
    Ctrl-C is how following ends: no traceback, and the code that says so.
    """
    seen = notes.typed("show", "notes", "--follow", answers=[Answer("In the harbour.", "\x03")])

    assert 130 == seen.code
    assert "Traceback" not in seen.text


def test_damage_is_shown_where_it_is(notes: Shell) -> None:
    """
    Every good entry is there, and between them stands what is missing.
    """
    notes.damage("notes", 2)
    out = notes("show", "notes").out

    assert "Damaged here: position 2 cannot be read. `holdfast verify notes` says more." in out
    assert "Where is the harbour?" in out
    assert "And the boat?" in out


def test_a_session_without_entries_is_no_failure(notes: Shell) -> None:
    """
    A process may die before its first entry; the session is empty then, and says so.
    """
    notes.segment("notes").write_bytes(b"")
    ran = notes("show", "notes")

    assert (0, "notes\n0 messages\n", "") == ran


def test_where_names_the_folder(notes: Shell) -> None:
    """
    Other programs find the files of a session, or of the store.
    """
    assert f"{notes.store}\n" == notes("where").out
    assert f"{notes.store / 'sessions' / 'notes'}\n" == notes("where", "notes").out
    assert {"key": "notes", "folder": str(notes.store / "sessions" / "notes")} == notes.json_of("where", "notes")
    assert 3 == notes("where", "nots").code
