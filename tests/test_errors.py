"""Failures: one tree, drawn where it grows, and each says what happened and what to do."""

import inspect
import pickle
import re
from pathlib import Path

import pytest

from holdfast import errors
from holdfast.errors import (
    BadKey,
    BeyondEnd,
    CompactionStuck,
    Conflict,
    ContextError,
    Held,
    HoldfastError,
    LaterFormat,
    ModelError,
    NoAnswer,
    NoSession,
    NotThere,
    Overflow,
    Refused,
    TooSmall,
    Unavailable,
    Unreadable,
)

EVERY = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, HoldfastError)]
CARRYING: dict[str, tuple[HoldfastError, dict[str, object]]] = {
    "NoSession": (NoSession("ntoes", near=("notes",)), {"key": "ntoes", "near": ("notes",)}),
    "BeyondEnd": (BeyondEnd(9, 4), {"asked": 9, "end": 4}),
    "Conflict": (Conflict(3, 5), {"expected": 3, "actual": 5}),
    "Held": (Held("notes", "process 42"), {"key": "notes", "holder": "process 42"}),
    "LaterFormat": (
        LaterFormat("notes", 2, newest=1, holdfast="0.9"),
        {"key": "notes", "version": 2, "holdfast": "0.9"},
    ),
    "Unreadable": (Unreadable(Path("x"), "no right to", hint="Ask."), {"path": Path("x")}),
    "Overflow": (Overflow("Too long.", limit=8, asked=9), {"limit": 8, "asked": 9}),
    "Unavailable": (Unavailable("Busy.", retry_after=2.5), {"retry_after": 2.5}),
    "NoAnswer": (NoAnswer("failed", "No."), {"why": "failed", "note": "No."}),
    "TooSmall": (TooSmall(900, 800), {"needed": 900, "budget": 800, "unit": "tokens"}),
    "CompactionStuck": (CompactionStuck(1000, 950), {"before": 1000, "after": 950}),
    "BadKey": (BadKey("It is empty.", hint="Give a name."), {"message": "It is empty.", "hint": "Give a name."}),
}


def drawn() -> dict[str, str]:
    """The parent of each failure in the drawing."""
    assert errors.__doc__ is not None
    above = ["HoldfastError"]
    parents = {}
    for bars, name in re.findall(r"^((?:│   |    )*(?:├── |└── ))(\w+)", errors.__doc__, re.MULTILINE):
        depth = len(bars) // 4
        parents[name] = above[depth - 1]
        above[depth:] = [name]
    return parents


def test_the_tree_is_the_one_that_is_drawn() -> None:
    """
    Who reads the drawing knows what an `except` catches.
    """
    real = {each.__name__: each.__bases__[0].__name__ for each in EVERY if each is not HoldfastError}

    assert real == drawn()


@pytest.mark.parametrize("kind", EVERY)
def test_every_failure_says_in_the_drawing_what_it_means(kind: type[HoldfastError]) -> None:
    """
    A name in the tree has its meaning beside it, and a docstring of its own.
    """
    assert errors.__doc__ is not None
    assert kind.__doc__
    assert kind is HoldfastError or re.search(rf"── {kind.__name__} +\w+", errors.__doc__)


@pytest.mark.parametrize(("error", "data"), CARRYING.values(), ids=CARRYING)
def test_an_error_carries_its_data_and_says_what_to_do(error: HoldfastError, data: dict[str, object]) -> None:
    """
    A program reads its fields, a person its text: what happened, then what to do.
    """
    assert data == {name: getattr(error, name) for name in data}
    assert error.hint
    assert f"{error.message} {error.hint}" == str(error)


@pytest.mark.parametrize(("error", "data"), CARRYING.values(), ids=CARRYING)
def test_an_error_reaches_another_process_whole(error: HoldfastError, data: dict[str, object]) -> None:
    """
    What is raised in a pool of processes is the same where it is caught.
    """
    back = pickle.loads(pickle.dumps(error))

    assert type(error) is type(back)
    assert (str(error), error.__dict__) == (str(back), back.__dict__)
    assert data == {name: getattr(back, name) for name in data}


def test_every_failure_that_takes_more_than_a_text_is_tested_here() -> None:
    """
    A failure with data of its own shows in the list above.
    """
    own = {each.__name__ for each in EVERY if "__init__" in vars(each) and each is not HoldfastError}

    assert {*own, "BadKey"} == set(CARRYING)


def test_without_a_hint_there_is_only_the_message() -> None:
    """
    Nothing is added to the text.
    """
    assert "It happened." == str(HoldfastError("It happened."))


def test_without_a_near_name_the_list_is_named() -> None:
    """
    Who mistyped a key beyond recognition learns where to look.
    """
    assert "holdfast sessions" in NoSession("x").hint
    assert "Did you mean 'a', 'b'?" == NoSession("x", near=("a", "b")).hint


def test_failures_fit_the_errors_everyone_knows() -> None:
    """
    Wrong input is a `ValueError`, what is missing a `LookupError`.
    """
    assert issubclass(BadKey, ValueError)
    assert issubclass(NotThere, LookupError)


def test_an_overflow_is_a_refusal_that_carries_its_counts() -> None:
    """
    Who meets an overflow can make the request fit, because it knows by how much it is too long.
    """
    error = Overflow("The request is too long.", limit=200_000, asked=200_001)

    assert isinstance(error, Refused)
    assert isinstance(error, ModelError)
    assert (200_000, 200_001) == (error.limit, error.asked)
    assert "Compact the session" in str(error)


@pytest.mark.parametrize(
    ("seconds", "hint"),
    [
        (None, "Try again later."),
        (0.0, "Try again in 1 second."),
        (2.5, "Try again in 3 seconds."),
        (120.0, "Try again in 120 seconds."),
        (179.5, "Try again in 3 minutes."),
        (7_201.0, "Try again in 3 hours."),
        (86_399.123, "Try again in 24 hours."),
        (604_800.0, "Try again in 7 days."),
    ],
)
def test_an_absence_says_when_to_try_again(seconds: float | None, hint: str) -> None:
    """
    A provider's own word on how long to wait is kept, and told as people say it.
    """
    error = Unavailable("The service is overloaded.", retry_after=seconds)

    assert (seconds, hint) == (error.retry_after, error.hint)
    assert isinstance(error, ModelError)


def test_a_budget_that_is_too_small_says_how_much_is_needed() -> None:
    """
    The user learns what would do.
    """
    error, many = TooSmall(900, 800), TooSmall(5, 3, unit="messages")

    assert (900, 800) == (error.needed, error.budget)
    assert error.message == "The newest turn needs 900 tokens, and the budget leaves 800."
    assert many.message == "The newest turn needs 5 messages, and the budget leaves 3."
    assert "`messages`" in many.hint
    assert isinstance(error, ContextError)


def test_a_compaction_that_is_stuck_says_what_to_do() -> None:
    """
    Compaction never loops: it stops with what the user can do.
    """
    error = CompactionStuck(1000, 950)

    assert (1000, 950) == (error.before, error.after)
    assert "Start a new session" in error.hint
    assert isinstance(error, HoldfastError)
