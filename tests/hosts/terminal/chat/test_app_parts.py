"""The parts of the chat that need no terminal: drafts, what was typed before, pastes, files, answers."""

import os
import shutil
import stat
from hashlib import blake2b
from pathlib import Path

import pytest

from holdfast import Blob, Text, open_store, open_volatile
from holdfast.agent.permissions import Answer, Question
from holdfast.agent.tool import Ask
from holdfast.commands.typed_lines import MOST
from holdfast.errors import BadInput
from holdfast.hosts.terminal.dialogs.questions import by_key, by_words, refusal, ways
from holdfast.hosts.terminal.draw.reflow import reflows, remembers
from holdfast.hosts.terminal.input.complete import wanted
from holdfast.hosts.terminal.input.history import InputHistory
from holdfast.hosts.terminal.input.paste import Pastes, mention, parts_of
from holdfast.hosts.terminal.input.unsent import Draft, Drafts, Unsent, joined
from holdfast.ids import BlobId
from tests.records.pictures import png

PERMISSION = Question(id="1", ask=Ask(tool="shell", subjects=("ls",), title="run ls"))
OPAQUE = Question(id="2", ask=Ask(tool="shell", subjects=("ls",), title="run ls", opaque=True))
OPEN = Question(id="3", text="Which colour?", options=("red", "green"))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with the sessions `a` and `b`."""
    for key in ("a", "b"):
        (tmp_path / "store" / "sessions" / key).mkdir(parents=True)
    return tmp_path / "store"


async def kept(data: bytes, media_type: str, name: str) -> Blob:
    """Stands for the store of a session."""
    return Blob(blob=BlobId("b2:00"), media_type=media_type, size=len(data), name=name)


def test_a_draft_is_kept_for_each_session(tmp_path: Path, store: Path) -> None:
    """
    With its pastes, and for nobody else to read; whoever opens the session next has it, and an empty one is none.
    """
    draft = Draft(text="half [pasted 30 lines]", pasted={"[pasted 30 lines]": "x\n" * 30})
    Drafts(tmp_path / "state", open_store(store)).save("a", draft)
    (file,) = (store / "sessions" / "a" / "typed").iterdir()
    assert 0o600 == stat.S_IMODE(file.stat().st_mode)

    drafts = Drafts(tmp_path / "state", open_store(store))
    assert Draft() == drafts.take("b", Draft())
    assert draft == drafts.take("a", Draft())
    drafts.save("a", Draft())
    assert [] == list((store / "sessions" / "a" / "typed").iterdir())


def test_two_windows_keep_what_was_typed_in_each(tmp_path: Path, store: Path) -> None:
    """
    The one that has the session now takes along what the other left; what the other still types is not lost.
    """
    first, second = (Drafts(tmp_path, open_store(store)) for _ in range(2))
    first.save("a", Draft(text="one"))

    assert Draft(text="one") == second.take("a", Draft())
    first.save("a", Draft(text="one and more"))
    second.save("a", Draft(text="two"))

    third = Drafts(tmp_path, open_store(store))
    found = third.take("a", Draft(text="three"))
    assert {"one and more", "two"} == set(found.text.splitlines())
    assert {"one and more", "two", "three"} == set(
        Drafts(tmp_path, open_store(store)).take("a", Draft()).text.splitlines()
    )


def test_what_is_unchanged_is_not_kept_twice(tmp_path: Path, store: Path) -> None:
    """
    A window whose words another has taken along, and that adds nothing, does not bring them back when it goes.
    """
    first, second = (Unsent(Drafts(tmp_path, open_store(store))) for _ in range(2))
    first.enter("a")
    first.sending(Draft(text="one"))
    first.save()

    assert Draft(text="one") == second.enter("a")
    second.sent(Draft(text="one"))
    first.save()

    assert Draft() == Drafts(tmp_path, open_store(store)).take("a", Draft())


def test_drafts_with_pastes_of_the_same_length_are_joined() -> None:
    """
    Two labels that read the same stand for their own texts.
    """
    label = "[pasted 30 lines]"
    one, two = Draft(text=f"a {label}", pasted={label: "1"}), Draft(text=f"b {label}", pasted={label: "2"})
    both = joined(one, two, one)

    assert Draft(text=f"a {label}\nb 2", pasted={label: "1"}) == both


def test_a_damaged_draft_is_no_draft(tmp_path: Path, store: Path) -> None:
    """
    It must not keep the chat from opening; nor must a pipe in its place.
    """
    Drafts(tmp_path, open_store(store)).save("a", Draft(text="here"))
    (file,) = (store / "sessions" / "a" / "typed").iterdir()
    file.write_bytes(b'{"text": "he')
    os.mkfifo(file.with_name("unsent.pipe.json"))

    assert Draft() == Drafts(tmp_path, open_store(store)).take("a", Draft())


def test_a_draft_of_an_earlier_version_is_found_and_moved(tmp_path: Path, store: Path) -> None:
    """
    It lay in the user's own folder, where no deletion reached it.
    """
    name = blake2b(f"{store}\0a".encode(), digest_size=16).hexdigest()
    old = tmp_path / "drafts" / f"{name}.0123.json"
    old.parent.mkdir()
    old.write_bytes(b'{"text": "here"}')
    drafts = Drafts(tmp_path, open_store(store))

    assert Draft(text="here") == drafts.take("a", Draft())
    assert not old.exists()
    assert Draft(text="here") == Drafts(tmp_path, open_store(store)).take("a", Draft())


def recall(session: Path | None) -> InputHistory:
    """What is remembered for a session."""
    return InputHistory(lambda: session)


def test_what_was_typed_is_remembered_newest_first(tmp_path: Path) -> None:
    """
    Over processes, lines and all; half a line of a killed process is passed over.
    """
    recall(tmp_path).store_string("one\ntwo")
    recall(tmp_path).append_string("three")
    with (tmp_path / "typed" / "history.jsonl").open("ab") as opened:
        opened.write(b'"four')

    assert ["three", "one\ntwo"] == list(recall(tmp_path).load_history_strings())
    assert ["one\ntwo", "three"] == recall(tmp_path).get_strings()
    assert 0o600 == (tmp_path / "typed" / "history.jsonl").stat().st_mode & 0o777


def test_no_more_is_remembered_than_a_while_back(tmp_path: Path) -> None:
    """
    The file is cut when it has twice as much.
    """
    past = recall(tmp_path)
    for number in range(2 * MOST + 1):
        past.store_string(str(number))

    assert [str(2 * MOST), str(2 * MOST - 1)] == list(past.load_history_strings())[:2]
    assert MOST + 1 == len((tmp_path / "typed" / "history.jsonl").read_bytes().splitlines())


def test_what_was_typed_belongs_to_its_session(tmp_path: Path) -> None:
    """
    Another session has lines of its own, and a deleted one does not come back for them.
    """
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    now = [tmp_path / "one"]
    past = InputHistory(lambda: now[0])
    past.store_string("said in one")
    now[0] = tmp_path / "two"
    past.forget()
    before = past.get_strings()
    shutil.rmtree(tmp_path / "two")
    past.store_string("said too late")

    assert [] == before
    assert ["said too late"] == past.get_strings()
    assert not (tmp_path / "two").exists()
    past.forget()
    now[0] = tmp_path / "one"
    assert ["said in one"] == past.get_strings()


def test_where_nothing_is_kept_no_line_is(tmp_path: Path) -> None:
    """
    It is had back for as long as the process lives.
    """
    past = recall(None)
    past.store_string("said in memory")
    drafts = Drafts(tmp_path / "state", open_volatile())
    drafts.save("a", Draft(text="not sent"))

    assert ["said in memory"] == past.get_strings()
    assert Draft() == drafts.take("a", Draft(text="mine"))
    assert [] == os.listdir(tmp_path)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder link"])
def test_nothing_is_written_through_what_stands_in_its_place(tmp_path: Path, kind: str) -> None:
    """
    Nor is anything waited for.
    """
    session, outside = tmp_path / "session", tmp_path / "outside"
    session.mkdir()
    outside.mkdir()
    if kind == "folder link":
        (session / "typed").symlink_to(outside)
    else:
        (session / "typed").mkdir()
        file = session / "typed" / "history.jsonl"
        os.mkfifo(file) if kind == "pipe" else file.symlink_to(outside / "file")
    past = recall(session)
    past.store_string("said")

    assert ["said"] == past.get_strings()
    assert [] == os.listdir(outside)


def test_short_pastes_are_typed_and_long_ones_get_a_label() -> None:
    """
    By lines or by characters; two that are equally long have labels of their own.
    """
    pastes = Pastes()

    assert "a\nb" == pastes.put("a\r\nb")
    assert "[pasted 21 lines]" == pastes.put("x\n" * 21)
    assert "[pasted 21 lines #2]" == pastes.put("y\n" * 21)
    assert "[pasted 21 lines]" == pastes.put("x\n" * 21)
    assert "[pasted 5000 characters]" == pastes.put("z" * 5000)


def test_a_label_stands_for_the_whole_text() -> None:
    """
    Where it stands in the message; without its label a paste is not sent.
    """
    pastes = Pastes()
    label = pastes.put("x\n" * 30)

    assert ["see ", "x\n" * 30, " there"] == pastes.split(f"see {label} there")
    assert ["nothing"] == pastes.split("nothing")
    assert label == pastes.ending(f"see {label}")
    assert "" == pastes.ending("see")


@pytest.mark.parametrize("written", ["{}", "'{}'", '"{}"', "file://{}"])
def test_a_pasted_path_of_a_picture_becomes_a_mention(tmp_path: Path, written: str) -> None:
    """
    However the terminal writes it; a path to nothing stays text.
    """
    picture = tmp_path / "boat.png"
    picture.write_bytes(png())

    assert f"@{picture} " == Pastes().put(written.format(picture))
    assert f"{picture}x.png" == Pastes().put(f"{picture}x.png")


async def test_files_go_along_with_the_message(tmp_path: Path) -> None:
    """
    Texts as text, pictures beside the log; at the end of a sentence too; other words stay words.
    """
    (tmp_path / "a.txt").write_text("words")
    (tmp_path / "my boat.png").write_bytes(png())
    said = f"see @a.txt, {mention('my boat.png')} and @nobody, me@home.org"

    parts = await parts_of(said, Pastes(), [tmp_path], kept)

    assert (
        Text(text=said),
        Text(text="a.txt:\nwords", given="file"),
        Blob(blob=BlobId("b2:00"), media_type="image/png", size=len(png()), name="my boat.png"),
    ) == tuple(sorted(parts, key=lambda part: isinstance(part, Blob)))


async def test_a_file_that_cannot_be_attached_says_so(tmp_path: Path) -> None:
    """
    Nothing is sent without it.
    """
    (tmp_path / "a.bin").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(BadInput, match=r"a\.bin is neither text"):
        await parts_of("see @a.bin", Pastes(), [tmp_path], kept)


async def test_half_a_picture_is_not_attached(tmp_path: Path) -> None:
    """
    A provider would refuse it, and every later request of the session with it.
    """
    (tmp_path / "boat.png").write_bytes(png()[:-6])

    with pytest.raises(BadInput, match=r"boat\.png begins as image/png does, and is cut off or damaged\. Get it once"):
        await parts_of("see @boat.png", Pastes(), [tmp_path], kept)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("y", Answer(allowed=True)),
        ("Yes", Answer(allowed=True)),
        ("a", Answer(allowed=True, always="session")),
        ("w", Answer(allowed=True, always="workspace")),
        ("n", Answer()),
        ("", Answer()),
        ("yes, but elsewhere", Answer(text="yes, but elsewhere")),
        ("do it in b.txt", Answer(text="do it in b.txt")),
    ],
)
def test_only_a_plain_yes_allows(words: str, answer: Answer) -> None:
    """
    Everything else is a no, with what to do instead.
    """
    assert answer == by_words(PERMISSION, words)


def test_what_cannot_be_told_by_its_words_is_not_allowed_for_longer() -> None:
    """
    The keys for always are not offered, and say nothing.
    """
    assert by_key(OPAQUE, "a") is None
    assert by_key(OPAQUE, "w") is None
    assert Answer(allowed=True) == by_key(OPAQUE, "y")
    assert "always" not in ways(OPAQUE)


def test_options_are_chosen_by_number_or_answered_freely() -> None:
    """
    A number that is not an option is an answer like any other.
    """
    assert Answer(text="green") == by_words(OPEN, " 2 ")
    assert Answer(text="7") == by_words(OPEN, "7")
    assert Answer(text="blue") == by_words(OPEN, "blue")
    assert refusal(OPEN) == by_words(OPEN, "")


def test_choices_open_by_themselves_only_where_they_help() -> None:
    """
    At a command and at a file, not in the middle of a sentence.
    """
    assert [True, False, True, False, False] == [
        wanted(each) for each in ("/re", "/resume x", "see @har", "see @", "either/or")
    ]


def test_terminals_that_cut_lines_off_are_known() -> None:
    """
    All others break them anew, also behind tmux.
    """
    assert reflows({"TERM": "xterm-256color"})
    assert reflows({"TERM": "screen-256color", "TMUX": "/tmp/tmux"})
    assert not reflows({"TERM": "xterm", "XTERM_VERSION": "XTerm(390)"})
    assert not reflows({"TERM": "linux"})
    assert remembers({"TERM": "screen-256color", "TMUX": "/tmp/tmux"})
    assert remembers({"TERM": "tmux-256color"})
    assert not remembers({"TERM": "xterm-256color"})
