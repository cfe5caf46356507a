"""`read_file`: what it shows, where it stops, what it refuses."""

import asyncio
import os
import sys
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from holdfast.installation import command_to_add
from holdfast.log.blobs import SPILL_BYTES
from holdfast.records.parts import Blob
from holdfast.tools.files.read import LARGEST_FILE, LARGEST_IMAGE, ReadFile
from holdfast.tools.files.workspace import WorkspaceFiles
from holdfast.tools.pages import LONGEST_LINE
from tests.records.pictures import GIF, JPEG, WEBP, png
from tests.tools.calling import Desk, asked, failure, fill, output, text


@pytest.fixture
def tool(tmp_path: Path) -> ReadFile:
    """A reader of an empty workspace."""
    return ReadFile(WorkspaceFiles(tmp_path))


def pdf(*pages: str, password: str = "") -> bytes:
    """A PDF with a line of words on each page."""
    writer = PdfWriter()
    font = DictionaryObject(
        {NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1")}
        | {NameObject("/BaseFont"): NameObject("/Helvetica")}
    )
    for words in pages:
        page = writer.add_blank_page(600, 800)
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 50 700 Td ({words}) Tj ET".encode())
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        page[NameObject("/Contents")] = content
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    written = BytesIO()
    writer.write(written)
    return written.getvalue()


async def test_text_has_line_numbers(tool: ReadFile, tmp_path: Path) -> None:
    """
    A line is shown with its number, so that it can be talked about.
    """
    fill(tmp_path, {"src/a.py": "one\n\n  three\n"})

    assert "     1\tone\n     2\t\n     3\t  three" == await text(tool, path="src/a.py")


async def test_some_lines_say_what_is_left(tool: ReadFile, tmp_path: Path) -> None:
    """
    A piece of a file says which one it is and how to go on.
    """
    fill(tmp_path, {"a.txt": "".join(f"line {number}\n" for number in range(1, 11))})

    shown = await text(tool, path="a.txt", start=3, count=2)

    assert "     3\tline 3\n     4\tline 4\n[lines 3 to 4 of 10; go on with start=5]" == shown


async def test_a_long_file_is_read_to_its_end_in_pieces(tool: ReadFile, tmp_path: Path) -> None:
    """
    Following what the last line says shows every line once, and no piece is so long that the log would cut it.
    """
    lines = [f"{number} {'wörter ' * 20}" for number in range(1, 501)]
    fill(tmp_path, {"long.txt": "\n".join(lines)})
    seen: list[str] = []

    start = 1
    while start:
        shown = await text(tool, path="long.txt", start=start)
        assert SPILL_BYTES > len(shown.encode())
        rows = shown.split("\n")
        start = int(rows.pop().rpartition("=")[2].rstrip("]")) if rows[-1].startswith("[") else 0
        seen += [row.partition("\t")[2] for row in rows]

    assert lines == seen


async def test_long_lines_are_cut_visibly(tool: ReadFile, tmp_path: Path) -> None:
    """
    One endless line does not fill the window of a model.
    """
    fill(tmp_path, {"a.js": "x" * (LONGEST_LINE + 1234)})

    assert f"     1\t{'x' * LONGEST_LINE}[… 1,234 more characters]" == await text(tool, path="a.js")


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("\ufeffmark\r\nnext".encode(), "     1\tmark\n     2\tnext"),
        ("grün".encode("utf-16"), "[UTF-16]\n     1\tgrün"),
        ("grün".encode("utf-16-be").join([b"\xfe\xff", b""]), "[UTF-16]\n     1\tgrün"),
        (b"gr\xfcn", "[not UTF-8: shown as latin-1]\n     1\tgrün"),
        (b"", "[a is empty]"),
        ("one\u2028line\x0cstill".encode(), "     1\tone\u2028line\x0cstill"),
    ],
)
async def test_encodings(tool: ReadFile, tmp_path: Path, data: bytes, shown: str) -> None:
    """
    Text is read in the encoding it has; a guess is said to be one.
    """
    fill(tmp_path, {"a": data})

    assert shown == await text(tool, path="a")


@pytest.mark.parametrize("data", [b"\x7fELF\0\0\1", b"PK\3\4" + bytes(range(32)) * 9, b"\xff\xfe\0"])
async def test_binary_files_are_said_and_not_shown(tool: ReadFile, tmp_path: Path, data: bytes) -> None:
    """
    Bytes that are no text never reach the model.
    """
    fill(tmp_path, {"a.txt": data})

    assert f"a.txt is a binary file of {len(data)} bytes; it is not shown." == await failure(tool, path="a.txt")


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (png(), "image/png"),
        (png(100), "image/png"),
        (JPEG, "image/jpeg"),
        (GIF, "image/gif"),
        (WEBP, "image/webp"),
    ],
)
async def test_images_are_attached_by_what_they_are(
    tool: ReadFile, tmp_path: Path, data: bytes, media_type: str
) -> None:
    """
    An image is known by its content, whatever its name, and reaches the model as an attachment.
    """
    fill(tmp_path, {"pictures/a.txt": data})
    context = Desk()

    _, part = (await output(tool, context, path="pictures/a.txt")).parts

    assert isinstance(part, Blob)
    assert (media_type, "a.txt", data) == (part.media_type, part.name, context.blobs[part.blob])


@pytest.mark.parametrize("image", [png(), JPEG, GIF, WEBP])
async def test_half_an_image_is_not_attached(tool: ReadFile, tmp_path: Path, image: bytes) -> None:
    """
    Wherever it is cut: a provider would refuse it, and every later request with it.
    """
    for size in (12, len(image) // 2, len(image) - 2):
        fill(tmp_path, {"a.png": image[:size]})
        assert "cut off or damaged" in await failure(tool, path="a.png")


async def test_an_image_that_is_too_large_is_refused(tool: ReadFile, tmp_path: Path) -> None:
    """
    What no provider takes is not attached.
    """
    fill(tmp_path, {"a.png": png(LARGEST_IMAGE)})

    assert "Make it smaller." in await failure(tool, path="a.png")


async def test_the_words_of_a_pdf(tool: ReadFile, tmp_path: Path) -> None:
    """
    A PDF is read a few pages at a time, whatever its name.
    """
    fill(tmp_path, {"a": pdf("first page", "second page", "third page")})

    shown = await text(tool, path="a", start=2, count=1)

    assert "[page 2 of 3]\nsecond page\n[go on with start=3]" == shown
    assert "a has 3 pages. Give a `start` from 1 to 3." == await failure(tool, path="a", start=4)


async def test_a_pdf_page_without_words(tool: ReadFile, tmp_path: Path) -> None:
    """
    A page that is a picture is said to be one.
    """
    fill(tmp_path, {"a.pdf": pdf(" ")})

    assert "[page 1 of 1]\n[no text: the page may be a picture]" == await text(tool, path="a.pdf")


async def test_a_pdf_page_that_is_too_long_is_cut_visibly(tool: ReadFile, tmp_path: Path) -> None:
    """
    A page that does not fit into an answer is cut; one that does not fit any more waits for the next.
    """
    fill(tmp_path, {"a.pdf": pdf("word " * 2000, "x " * 9000)})

    first, second = await text(tool, path="a.pdf"), await text(tool, path="a.pdf", start=2)

    assert first.endswith("word\n[go on with start=2]")
    assert "[page 2 is cut after 15,000 characters]" in second


@pytest.mark.parametrize(("data", "why"), [(b"%PDF-1.4 broken", "Error"), (pdf("x", password="p"), "needs a password")])
async def test_a_pdf_that_cannot_be_read(tool: ReadFile, tmp_path: Path, data: bytes, why: str) -> None:
    """
    A broken or locked PDF is an error that says why.
    """
    fill(tmp_path, {"a.pdf": data})

    assert why in await failure(tool, path="a.pdf")


async def test_without_the_reader_for_pdf_files(
    tool: ReadFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Where the extra is not installed, the error says how to install it.
    """
    fill(tmp_path, {"a.pdf": pdf("words")})
    monkeypatch.delitem(sys.modules, "pypdf")
    monkeypatch.setattr(sys, "path", [])

    assert command_to_add("pdf") in await failure(tool, path="a.pdf")


async def test_a_missing_file_names_the_nearest(tool: ReadFile, tmp_path: Path) -> None:
    """
    The next try is right: like names in the folder, then the same name elsewhere.
    """
    fill(tmp_path, {"src/reader.py": "", "src/Main.py": "", "lib/main.py": "", "node_modules/main.py": ""})

    assert "There is no src/main.py in the workspace. Did you mean src/Main.py, lib/main.py?" == await failure(
        tool, path="src/main.py"
    )
    assert "`list_dir` and `find` show what there is." in await failure(tool, path="nothing/like/it")


async def test_what_is_no_file(tool: ReadFile, tmp_path: Path) -> None:
    """
    Folders, pipes and devices are refused, and nothing waits for a pipe.
    """
    (tmp_path / "folder").mkdir()
    fill(tmp_path, {"a.txt": ""})
    os.mkfifo(tmp_path / "pipe")

    assert "`list_dir`" in await failure(tool, path="folder")
    assert "a.txt/x leads nowhere" in await failure(tool, path="a.txt/x")
    async with asyncio.timeout(60):
        assert "pipe is not a regular file" in await failure(tool, path="pipe")


async def test_bounds(tool: ReadFile, tmp_path: Path) -> None:
    """
    A start beyond the end and a file beyond all measure say what can be done instead.
    """
    fill(tmp_path, {"a.txt": "one\ntwo\n"})
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", LARGEST_FILE + 1)

    assert "a.txt has 2 lines. Give a `start` from 1 to 2." == await failure(tool, path="a.txt", start=3)
    assert "`grep`" in await failure(tool, path="huge")
    assert "`path`, `start`, `count`" in await failure(tool, path="a.txt", start=0)
    assert "`path`, `start`, `count`" in await failure(tool, path="a.txt", lines=3)


async def test_a_file_that_may_not_be_read(tool: ReadFile, tmp_path: Path) -> None:
    """
    What the system forbids is said.
    """
    if not os.geteuid():
        pytest.skip("root may read everything")
    fill(tmp_path, {"a.txt": "x"})
    (tmp_path / "a.txt").chmod(0)

    assert "permission denied" in await failure(tool, path="a.txt")


@pytest.mark.parametrize(
    "name", [".env", "id_rsa", "certs/server.pem", ".ssh/known_hosts", ".git/config", ".ENV.local"]
)
async def test_secrets_are_asked_about(tool: ReadFile, tmp_path: Path, name: str) -> None:
    """
    A file that looks like a secret is read only after a person allowed it.
    """
    fill(tmp_path, {name: "x", "a.txt": "y"})

    ask, plain = await asked(tool, path=name), await asked(tool, path="a.txt")

    assert (False, (name,)) == (ask.reads_only, ask.subjects)
    assert (True, ("a.txt",)) == (plain.reads_only, plain.subjects)


async def test_the_subject_is_where_a_path_leads(tool: ReadFile, tmp_path: Path) -> None:
    """
    Permission is decided by the file that would be opened, not by the words that lead there.
    """
    fill(tmp_path, {"config/.env": "x"})
    (tmp_path / "notes.txt").symlink_to("config/.env")

    ask = await asked(tool, path=f"{tmp_path}/config/../notes.txt")

    assert (("config/.env",), False) == (ask.subjects, ask.reads_only)
