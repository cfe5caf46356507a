"""Liveness of a stream: a service is at work on a reply, although it sends no text yet.

Where many wait, or a long call is written, services keep the line open with comments and pings, for minutes. They are
no part of a reply, and what lies between the line and whoever waits may be foreign code, so they are told past it.
"""

from collections.abc import Callable
from contextvars import ContextVar

_TOLD: ContextVar[Callable[[], object] | None] = ContextVar("holdfast_signs", default=None)


def listen(told: Callable[[], object]) -> None:
    """Be told of every sign of life in this task, and in those that it begins from now on."""
    _TOLD.set(told)


def alive() -> None:
    """Say that the service is at work; for a model to call whenever anything at all came from it."""
    told = _TOLD.get()
    if told is not None:
        told()
