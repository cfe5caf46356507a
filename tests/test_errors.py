"""Failures: one tree, drawn where it grows, and each says what happened and what to do."""

import inspect
import pickle
import re
from pathlib import Path

import pytest

from holdfast import errors
from holdfast.errors import BadKey, BeyondEnd, Conflict, Held, HoldfastError, NoSession, NotThere, Unreadable

EVERY = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, HoldfastError)]
CARRYING: dict[str, tuple[HoldfastError, dict[str, object]]] = {
    "NoSession": (NoSession("ntoes", near=("notes",)), {"key": "ntoes", "near": ("notes",)}),
    "BeyondEnd": (BeyondEnd(9, 4), {"asked": 9, "end": 4}),
    "Conflict": (Conflict(3, 5), {"expected": 3, "actual": 5}),
    "Held": (Held("notes", "process 42"), {"key": "notes", "holder": "process 42"}),
    "Unreadable": (Unreadable(Path("x"), "no right to", hint="Ask."), {"path": Path("x")}),
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
