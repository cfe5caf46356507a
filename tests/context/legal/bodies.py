"""Lawful bodies made wrong in one place."""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any, TypeAlias

from holdfast.context.legal.rendered import Violation

PNG = "iVBORw0KGgoxMjM="
PDF = "JVBERi0xLjcg"

Body: TypeAlias = dict[str, Any]  # a body is foreign to us until it is checked
Path: TypeAlias = tuple[str | int, ...]
Wrong: TypeAlias = tuple[str, Path, object]
"""The rule that is broken, the place, and what stands there wrongly."""

EVERYWHERE: list[Wrong] = [
    ("json", ("model",), b"bytes"),
    ("json", ("model",), float("nan")),
    ("json", ("model",), {1: "a key that is no text"}),
    ("unicode", ("model",), "\ud800"),
    ("unicode", ("model",), "\x00"),
    ("unicode", ("model",), {"\ud800": 1}),
    ("shape", ("model",), 5),
    ("shape", ("model",), [None, True, 1.5]),
    ("shape", ("unknown",), 1),
]
"""Wrong for every family."""


def changed(body: Body, path: Path, to: object) -> Body:
    """The body with another value in one place."""
    fresh: Any = deepcopy(body)
    inner = fresh
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = to
    assert isinstance(fresh, dict)
    return fresh


def at(body: object, *path: str | int) -> Any:  # noqa: ANN401 - whatever JSON holds there
    """What stands in one place of a body."""
    inner: Any = body
    for step in path:
        inner = inner[step]
    return inner


def broken(found: Iterable[Violation]) -> set[str]:
    """The names of the broken rules."""
    return {each.rule for each in found}


def names(wrong: Iterable[Wrong]) -> list[str]:
    """A name for each example."""
    return [f"{rule}-{'.'.join(map(str, path))}-{index}" for index, (rule, path, _) in enumerate(wrong)]
