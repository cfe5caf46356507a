"""`export`: which format, whereto, and what is said beside it."""

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from holdfast import Store, UserSaid
from holdfast.hosts.exits import Exit
from tests.hosts.conftest import Shell

PIXEL = b"\x89PNG\r\n\x1a\n pixel"


def with_attachments(shell: Shell) -> None:
    """A session with a picture and something else attached."""

    async def work(store: Store) -> None:
        async with store.session("notes") as session:
            picture = await session.attach(PIXEL, media_type="image/png", name="sea.png")
            other = await session.attach(b"zip", media_type="application/zip", name="a.zip")
            await session.append(UserSaid(parts=(picture, other)))

    shell.prepare(work)


def test_markdown_is_usual(notes: Shell) -> None:
    """
    Without a format, people get Markdown that can be sent to somebody; --full gives every entry.
    """
    made = notes.bytes_of("export", "notes").decode()
    assert "\n## User\n\nWhere is the harbour?\n\n## Assistant\n\nBy the sea.\n" in made
    assert notes.bytes_of("export", "notes", "--full").startswith(b"# notes\n\n- session: notes\n")
    assert b"Began" in notes.bytes_of("export", "notes", "--full", "--format", "html")
    assert b"Began" not in notes.bytes_of("export", "notes", "--format", "html")


def test_the_ending_decides(notes: Shell, tmp_path: Path) -> None:
    """
    A file is written in the format its name says, and --format decides against it.
    """
    begins = {"md": b"# notes", "html": b"<!DOCTYPE html>", "json": b'{"holdfast":1', "jsonl": b'{"v":1,'}
    for ending, start in begins.items():
        path = tmp_path / f"notes.{ending}"
        ran = notes("export", "notes", "--output", str(path))
        assert (0, "", f"to {path}.\n") == (ran.code, ran.out, ran.err[-len(f"to {path}.\n") :])
        assert path.read_bytes().startswith(start)
    path = tmp_path / "notes.jsonl"
    notes("export", "notes", "--output", str(path), "--format", "md")

    assert path.read_bytes().startswith(b"# notes")
    assert ["notes.html", "notes.json", "notes.jsonl", "notes.md", "store"] == sorted(
        each.name for each in tmp_path.iterdir()
    )


def test_what_is_no_file_is_written_to_and_not_replaced(notes: Shell, tmp_path: Path) -> None:
    """
    A pipe or a device stays what it is: as root, `--output /dev/null` must not put a file in its place.
    """
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as reader:
        written = reader.submit(pipe.read_bytes)
        notes("export", "notes", "--output", str(pipe))

        assert notes.bytes_of("export", "notes") == written.result(10)
    assert pipe.is_fifo()


def test_a_file_that_is_replaced_keeps_what_it_was(notes: Shell, tmp_path: Path) -> None:
    """
    A link stays a link, a private file stays private, and a name may be as long as the system lets it.
    """
    link, private = tmp_path / "link.md", tmp_path / f"{'x' * 250}.md"
    private.touch(mode=0o600)
    link.symlink_to(private)
    notes("export", "notes", "--output", str(link))

    assert (True, 0o600) == (link.is_symlink(), stat.S_IMODE(private.stat().st_mode))
    assert notes.bytes_of("export", "notes") == private.read_bytes()


def test_jsonl_is_the_log(notes: Shell) -> None:
    """
    The whole log, every branch, byte for byte.
    """
    notes("rewind", "notes", "1")

    assert notes.segment("notes").read_bytes() == notes.bytes_of("export", "notes", "--format", "jsonl")
    assert 6 == len(json.loads(notes.bytes_of("export", "notes", "--format", "json"))["entries"])
    assert b"the boat" not in notes.bytes_of("export", "notes")
    assert b"the boat" in notes.bytes_of("export", "notes", "--branch", "4")


def test_nothing_is_printed_of_a_branch_that_is_none(notes: Shell) -> None:
    """
    The beginning of a document in a pipe would look like one.
    """
    ran = notes("export", "notes", "--branch", "99")

    assert (Exit.NOT_FOUND, "") == (ran.code, ran.out)


def test_a_page_has_its_pictures_and_names_the_rest(shell: Shell) -> None:
    """
    What an export cannot hold is counted, with the folder it lies in.
    """
    with_attachments(shell)
    ran = shell("export", "notes", "--format", "html")

    assert "data:image/png;base64," in ran.out
    assert "a.zip, application/zip, 3 bytes" in ran.out
    assert f"1 attachment not included: see {shell.store / 'sessions' / 'notes' / 'blobs'}\n" == ran.err


def test_damage_is_in_the_export(notes: Shell) -> None:
    """
    No format passes a damaged conversation for a whole one.
    """
    notes.damage("notes", 2)
    said = "Damaged, so not included: position 2. `holdfast verify notes` says more.\n"
    document, page = notes("export", "notes"), notes("export", "notes", "--format", "html")
    programs, lines = notes("export", "notes", "--json"), notes("export", "notes", "--format", "jsonl")

    assert [(0, said)] * 4 == [(each.code, each.err) for each in (document, page, programs, lines)]
    assert "Damaged here: position 2 cannot be read." in document.out
    assert "Damaged here: position 2 cannot be read." in page.out
    assert [[2, 2]] == json.loads(programs.out)["missing"]


def test_much_damage_is_counted(shell: Shell) -> None:
    """
    Three damaged stretches are named, and the rest is a number.
    """
    shell.say("notes", *map(str, range(1, 12)))
    for position in (1, 3, 4, 6, 8, 10):
        shell.damage("notes", position)

    said = "Damaged, so not included: position 1, positions 3 to 4, position 6, 2 stretches more."
    assert said == shell("export", "notes").err.partition(" `")[0]


def test_json_means_the_format(notes: Shell) -> None:
    """
    --json gives what programs read, as it does everywhere; a format that is named decides against it.
    """
    assert notes.bytes_of("export", "notes", "--format", "json") == notes.bytes_of("export", "notes", "--json")
    assert notes.bytes_of("export", "notes", "--json", "-f", "md").startswith(b"# notes")


def test_a_file_stays_as_it_was_when_the_export_fails(notes: Shell, tmp_path: Path) -> None:
    """
    An unknown key, a folder that does not exist: nothing is touched and no half file is left.
    """
    kept = tmp_path / "kept.md"
    kept.write_text("before")

    assert 3 == notes("export", "nots", "--output", str(kept)).code
    ran = notes("export", "notes", "--output", str(tmp_path / "none" / "a.md"))
    assert (2, f"holdfast: {tmp_path / 'none' / 'a.md'} cannot be written.") == (ran.code, ran.err.splitlines()[0])
    assert 2 == notes("export", "notes", "--output", str(tmp_path)).code
    assert "before" == kept.read_text()
    assert ["kept.md", "store"] == sorted(each.name for each in tmp_path.iterdir())
