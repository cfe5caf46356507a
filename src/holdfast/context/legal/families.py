"""The families by name; each is loaded when it is first asked for, as a process rarely speaks to more than one."""

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol, cast, get_args

from holdfast.context.legal.attachments import Bounds
from holdfast.context.legal.rendered import Rendered, Violation
from holdfast.ids import BlobId
from holdfast.model.protocol import Family, Request


class Legal(Protocol):
    """What a family's module has."""

    @property
    def BOUNDS(self) -> Bounds:  # noqa: N802 - a module's constant
        """How many attachments it takes, and how large."""
        ...

    @property
    def RULES(self) -> Mapping[str, str]:  # noqa: N802 - a module's constant
        """Each rule of the checker by its name."""
        ...

    def render(self, request: Request, media: Mapping[BlobId, bytes]) -> Rendered:
        """Write a request as the family wants it."""
        ...

    def check(self, body: object) -> tuple[Violation, ...]:
        """Find the rules that a body breaks."""
        ...


FAMILIES: tuple[Family, ...] = get_args(Family)
"""All there are."""


def legal(family: Family) -> Legal:
    """The module of a family, which is called as the family is."""
    return cast("Legal", import_module(f"holdfast.context.legal.{family.replace('-', '_')}"))


def render(request: Request, media: Mapping[BlobId, bytes]) -> Rendered:
    """The body of a request, as the family of its model wants it, and what it leaves out.

    `media` holds the bytes of attachments; one that is not in it is named, not shown.
    For a model that cannot see, give none.
    """
    return legal(request.target.family).render(request, media)


def check(family: Family, body: object) -> tuple[Violation, ...]:
    """Every rule of the family that a body breaks; nothing if the provider would take it."""
    return legal(family).check(body)
