"""`verify`, `repair`, `reindex`."""

import json

from holdfast import Store, UserSaid
from tests.hosts.conftest import Shell


def test_a_whole_store_is_good(notes: Shell) -> None:
    """
    Each session with its entries and size, and one line for all.
    """
    notes.say("other", "hello")
    ran = notes("verify")

    assert (0, "2 sessions, all good.\n") == (ran.code, ran.err)
    assert ["good notes 5 entries,", "good other 2 entries,"] == [
        " ".join(line.split()[:4]) for line in ran.out.splitlines()
    ]
    assert ran.out == notes("verify", "all").out
    assert "other" not in notes("verify", "notes").out


def test_damage_is_found_and_placed(notes: Shell) -> None:
    """
    Which session, which file, which byte, and how many entries are missing after which.
    """
    lines = notes.segment("notes").read_bytes().split(b"\n")
    offset = len(lines[0]) + len(lines[1]) + 2
    notes.damage("notes", 2)
    ran = notes("verify")

    assert 5 == ran.code
    assert ran.out.startswith("damaged  notes  4 entries, ")
    place = f"000001.jsonl at byte {offset}: {len(lines[2])} bytes that are no entry"
    assert f"{place}; 1 entry missing after position 1" in ran.out
    assert "1 of 1 session damaged; every good entry is still there.\n" == ran.err


def test_a_session_that_cannot_be_read_hides_no_other(notes: Shell) -> None:
    """
    The others are checked as ever; it is told with the reason, and counts as damage.
    """
    notes.say("bad", "hello")
    notes.segment("bad").unlink()
    notes.segment("bad").mkdir()
    ran = notes("verify")

    assert (5, "1 of 2 sessions could not be read, 0 damaged.\n") == (ran.code, ran.err)
    assert ran.out.startswith(
        f"unread   bad\n         {notes.store / 'sessions' / 'bad'} cannot be read: Is a directory."
    )
    assert "\ngood     notes  5 entries, " in ran.out
    bad, good = json.loads(notes("verify", "--json").out)
    assert ("bad", False, "notes", True, "") == (bad["key"], bad["good"], good["key"], good["good"], good["unreadable"])
    assert "Is a directory" in bad["unreadable"]


def test_programs_get_the_verdict(notes: Shell) -> None:
    """
    With --json the verdict of each session is an object, damage and all.
    """
    (good,) = notes.json_of("verify")
    assert (True, 5, []) == (good["good"], good["entries"], good["damaged"])
    notes.damage("notes", 2)
    ran = notes("verify", "--json")

    assert (5, "") == (ran.code, ran.err)
    assert '"missing": 1' in ran.out


def test_a_torn_end_is_no_loss_and_repaired(notes: Shell) -> None:
    """
    Bytes that a killed process left are told of, kept aside by a repair, and the log is clean again.
    """
    with notes.segment("notes").open("ab") as file:
        file.write(b'{"v":1,"pos":5,"at":"20')

    checked, mended = notes("verify", "notes"), notes("repair", "notes")

    assert 0 == checked.code
    assert "23 bytes that are no entry; nothing that was acknowledged is missing" in checked.out
    assert 0 == mended.code
    assert "copied to aside/" in mended.out
    (aside,) = (notes.store / "sessions" / "notes" / "aside").iterdir()
    assert b'{"v":1,"pos":5,"at":"20' == aside.read_bytes().rstrip(b"\n")
    assert "There was nothing to mend.\n" == notes("repair", "notes").err


def test_repair_keeps_every_good_entry(notes: Shell) -> None:
    """
    Damage in the middle is copied aside; what is good stays, and the exit code still says that something is lost.
    """
    notes.damage("notes", 2)

    assert 5 == notes("repair", "notes").code
    assert [0, 1, 3, 4] == [int(line.split(b'"pos":')[1].split(b",")[0]) for line in raw_lines(notes)]


def raw_lines(shell: Shell) -> list[bytes]:
    """The good lines of the log."""
    return shell.bytes_of("show", "notes", "--raw").splitlines()


def test_a_missing_attachment_is_damage(shell: Shell) -> None:
    """
    An entry whose attachment is gone is not whole.
    """

    async def work(store: Store) -> None:
        async with store.session("notes") as session:
            await session.append(UserSaid(parts=(await session.attach(b"x", media_type="image/png"),)))

    shell.prepare(work)
    for blob in (shell.store / "sessions" / "notes" / "blobs").iterdir():
        blob.unlink()
    ran = shell("verify", "notes")

    assert 5 == ran.code
    assert "is missing or damaged" in ran.out


def test_an_emptied_log_is_damaged(notes: Shell) -> None:
    """
    A log is never made empty, so one without entries is not passed for a good one, and a repair says so once.
    """
    notes.segment("notes").write_bytes(b"")
    checked, mended = notes("verify"), notes("repair", "notes")

    assert (5, 5) == (checked.code, mended.code)
    assert "000001.jsonl at byte 0; at least 1 entry missing at the beginning" == checked.out.splitlines()[1].strip()
    assert checked.out.splitlines()[1:] == mended.out.splitlines()[1:]


def test_the_list_knows_what_a_repair_found(notes: Shell) -> None:
    """
    Damage to what the list had read before shows there once it is found.
    """
    assert 0 == notes.json_of("sessions")["sessions"][0]["damaged"]
    notes.damage("notes", 2)
    notes("repair", "notes")
    (listed,) = notes.json_of("sessions")["sessions"]

    assert (1, 4, 3) == (listed["damaged"], listed["entries"], listed["messages"])
    assert "DAMAGED" in notes("sessions").out


def test_an_empty_store_has_nothing_to_check(shell: Shell) -> None:
    """
    Nothing to verify or index is said, and is no failure.
    """
    assert (0, "", f"There are no sessions in {shell.store}.\n") == shell("verify")
    assert (0, "Indexed 0 sessions in 0.0 s.\n", "") == shell("reindex")
    assert not shell.store.exists()


def test_reindex_makes_a_broken_catalog_anew(notes: Shell) -> None:
    """
    The list and the index come back from the logs, through reindex or by themselves.
    """
    catalog = notes.store / "catalog.db"
    catalog.write_bytes(b"garbage" * 1000)
    assert "notes" in notes("sessions").out
    catalog.write_bytes(b"garbage" * 1000)

    assert 1 == notes.json_of("reindex")["sessions"]
    assert "notes 3" in notes("search", "boat").out


def test_reindex_draws_a_bar_for_eyes_only(shell: Shell) -> None:
    """
    On a terminal a bar grows and goes; through a pipe and on a dumb terminal there is none.
    """
    for number in range(4):
        shell.say(f"talk-{number}", "hello")
    seen = shell.typed("reindex", columns=40)

    assert f"\r\x1b[K{'█' * 6}{'░' * 18} 1/4 talk-" in seen.text
    assert f"{'█' * 24} 4/4 talk-" in seen.text
    assert "\r\x1b[KIndexed 4 sessions in" in seen.text
    assert "█" not in shell("reindex").err
    assert "█" not in shell.typed("reindex", TERM="dumb").text
