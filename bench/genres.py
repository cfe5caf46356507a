"""Texts of five genres on which an estimate of tokens is held against the exact count.

Each is what an agent's context is made of, and each fools "four characters are a
token" in its own way: English, code, JSON, what tools print, and Chinese. English and
Chinese are sentences of our own in random order; the rest is made from this checkout.
The same checkout gives the same texts.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random

from holdfast.model.tokens import Counter

ROOT = Path(__file__).resolve().parent.parent
SIZE = 100_000
"""Characters of each genre; Chinese is a third of that, which is as many bytes."""

_TOOLS = "read_file write_file search run_command list_folder fetch_page send_message remember".split()
_PEOPLE = "alice bob carol dinesh emeka fatima goro hana".split()


def english() -> str:
    """Sentences in paragraphs."""
    return _paragraphs("english.txt", SIZE, " ")


def chinese() -> str:
    """Sentences in paragraphs."""
    return _paragraphs("chinese.txt", SIZE // 3, "")


def code() -> str:
    """The sources."""
    return _filled(f"# {path.relative_to(ROOT)}\n{path.read_text()}" for path in _sources())


def structured() -> str:
    """JSON as tools answer with it and as logs hold it: some on one line, some indented."""
    dice = Random(3)

    def documents() -> Iterator[str]:
        while True:
            made = dice.choice((_listing, _event, _schema))(dice)
            yield json.dumps(made, indent=dice.choice((None, None, 2)), ensure_ascii=False)

    return _filled(documents())


def tool_output() -> str:
    """What `ls -l`, `grep -n`, a failing program and a test run print."""
    dice = Random(4)

    def outputs() -> Iterator[str]:
        while True:
            yield dice.choice((_ls, _grep, _traceback, _tests))(dice)

    return _filled(outputs())


GENRES: Mapping[str, Callable[[], str]] = {
    "english": english,
    "code": code,
    "json": structured,
    "tools": tool_output,
    "chinese": chinese,
}
"""Each genre by its name."""


def token_error(estimate: Counter, exact: Counter, pieces: int = 2_000) -> dict[str, float]:
    """By how much the estimate is off in each genre: 0.05 is 5 % too many tokens.

    Texts are counted in pieces, as messages are.
    """
    errors = {}
    for name, make in GENRES.items():
        text = make()
        cut = [text[at : at + pieces] for at in range(0, len(text), pieces)]
        errors[name] = sum(map(estimate.count, cut)) / sum(map(exact.count, cut)) - 1
    return errors


def _filled(texts: Iterator[str]) -> str:
    """As many of the texts as make up one genre."""
    made: list[str] = []
    length = 0
    while length < SIZE:
        made.append(next(texts))
        length += len(made[-1]) + 1
    return "\n".join(made)[:SIZE]


def _paragraphs(name: str, size: int, between: str) -> str:
    dice = Random(1)
    sentences = (Path(__file__).parent / "sentences" / name).read_text().splitlines()
    made = ""
    while len(made) < size:
        made += between.join(dice.sample(sentences, dice.randint(2, 7))) + "\n\n"
    return made[:size]


@cache
def _sources() -> tuple[Path, ...]:
    return tuple(sorted((ROOT / "src").rglob("*.py")))


@cache
def _lines(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text().splitlines())


def _moment(dice: Random) -> str:
    return f"2026-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}T{dice.randint(0, 23):02}:{dice.randint(0, 59):02}"


def _said(dice: Random) -> str:
    sentences = (Path(__file__).parent / "sentences" / "english.txt").read_text().splitlines()
    return dice.choice(sentences)


def _listing(dice: Random) -> object:
    """What an interface answers with: records."""
    return {
        "items": [
            {
                "id": dice.randint(1, 99_999),
                "name": dice.choice(_sources()).name,
                "owner": dice.choice(_PEOPLE),
                "size": dice.randint(10, 900_000),
                "score": round(dice.random(), 4),
                "updated_at": f"{_moment(dice)}:00Z",
                "sha": f"{dice.getrandbits(80):020x}",
                "archived": dice.random() < 0.2,
                "labels": dice.sample(_TOOLS, 2),
                "parent": None,
            }
            for _ in range(dice.randint(2, 8))
        ],
        "next_page": f"/v1/files?page={dice.randint(2, 40)}",
    }


def _event(dice: Random) -> object:
    """A line of a log: a call and its arguments, or words."""
    call = {"kind": "tool_call", "id": f"call_{dice.getrandbits(48):012x}", "name": dice.choice(_TOOLS)}
    arguments = {"path": str(dice.choice(_sources()).relative_to(ROOT)), "limit": dice.randint(1, 500)}
    parts = [{"kind": "text", "text": _said(dice)}, {**call, "arguments": json.dumps(arguments)}]
    usage = {"input_tokens": dice.randint(500, 90_000), "output_tokens": dice.randint(20, 3_000)}
    return {"v": 1, "pos": dice.randint(1, 9_999), "at": f"{_moment(dice)}:07.123456Z", "parts": parts, "usage": usage}


def _schema(dice: Random) -> object:
    """A tool as a model is told of it."""
    fields = {
        name: {"type": dice.choice(("string", "integer", "boolean")), "description": _said(dice)}
        for name in dice.sample(("path", "query", "limit", "recursive", "encoding", "timeout_seconds"), 3)
    }
    shape = {"type": "object", "properties": fields, "required": sorted(fields)[:2], "additionalProperties": False}
    return {"type": "function", "name": dice.choice(_TOOLS), "description": _said(dice), "parameters": shape}


def _ls(dice: Random) -> str:
    rows = [f"total {dice.randint(40, 4_000)}"]
    for path in dice.sample(_sources(), 12):
        mode = dice.choice(("-rw-r--r--", "-rw-r--r--", "-rwxr-xr-x", "drwxr-xr-x", "lrwxrwxrwx"))
        day = f"{dice.choice('Jan Mar May Jul Sep Nov'.split())} {dice.randint(1, 28):2}"
        clock = f"{dice.randint(0, 23):02}:{dice.randint(0, 59):02}"
        owner, size = dice.choice(_PEOPLE), dice.randint(40, 200_000)
        rows.append(f"{mode}  {dice.randint(1, 9)} {owner:6} staff {size:8} {day} {clock} {path.name}")
    return "\n".join(rows)


def _grep(dice: Random) -> str:
    word = dice.choice("def return class import await async raise self".split())
    found = []
    for path in dice.sample(_sources(), 4):
        numbered = enumerate(_lines(path), start=1)
        found += [f"{path.relative_to(ROOT)}:{at}:{line}" for at, line in numbered if re.search(rf"\b{word}\b", line)][
            :6
        ]
    return "\n".join(found)


def _traceback(dice: Random) -> str:
    rows = ["Traceback (most recent call last):"]
    for path in dice.sample(_sources(), dice.randint(3, 7)):
        lines = _lines(path)
        at = dice.randrange(len(lines))
        function = dice.choice(re.findall(r"def (\w+)", path.read_text()) or ["<module>"])
        rows += [
            f'  File "/home/alice/{path.relative_to(ROOT)}", line {at + 1}, in {function}',
            f"    {lines[at].strip()}",
        ]
    error = dice.choice(("KeyError: 'position'", "ValueError: not enough values", "OSError: [Errno 28] No space left"))
    return "\n".join([*rows, error])


def _tests(dice: Random) -> str:
    rows = []
    for path in dice.sample(_sources(), 8):
        function = dice.choice(re.findall(r"def (\w+)", path.read_text()) or ["module"])
        outcome = dice.choice(("PASSED", "PASSED", "PASSED", "FAILED"))
        test = f"tests/{path.parent.name}/test_{path.name}::test_{function.strip('_')}"
        rows.append(f"{test} {outcome} [{dice.randint(1, 99):3}%]")
    took = f"{dice.randint(1, 90)}.{dice.randint(10, 99)}s"
    return "\n".join([*rows, f"========= 2 failed, {dice.randint(10, 900)} passed in {took} ========="])
