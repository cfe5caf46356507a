"""Wrong stores: each breaks one rule, and the explorer must see it.

A mutant replaces a public function or method of the real store for a block of code,
in the process that is recorded (a wrong writer) or in the one that recovers (a
wrong reader). Everything else stays the real code.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from tests.crash import wrongs

Wrong = Callable[["Patches"], None]


class Patches:
    """Replacements that can be taken back."""

    def __init__(self) -> None:
        """Nothing is replaced yet."""
        self._undo: list[tuple[object, str, object]] = []

    def put(self, owner: object, name: str, value: object) -> None:
        """Set one attribute."""
        self._undo.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    def replace(self, original: Callable[..., Any], wrong: Callable[..., Any]) -> None:
        """Put another function wherever the store has imported this one."""
        for module in [each for name, each in sys.modules.items() if name.startswith("holdfast")]:
            for name, value in list(vars(module).items()):
                if value is original:
                    self.put(module, name, wrong)

    def undo(self) -> None:
        """Put everything back."""
        while self._undo:
            owner, name, value = self._undo.pop()
            setattr(owner, name, value)


class Mutant(msgspec.Struct, frozen=True, kw_only=True):
    """One rule that is broken."""

    wrong: Wrong
    workloads: tuple[str, ...]
    """The workloads that are explored with it; one of them must show it."""
    reads: bool = False
    """Whether it is the recovery that is wrong, rather than the writer."""
    continued: bool = False
    """Whether it shows only when another process goes on after a kill."""


MUTANTS: Final[dict[str, Mutant]] = {
    "no file sync": Mutant(wrong=wrongs.no_file_sync, workloads=("append",)),
    "no folder sync": Mutant(wrong=wrongs.no_folder_sync, workloads=("create",)),
    "acknowledged before the sync": Mutant(wrong=wrongs.acknowledged_early, workloads=("append",)),
    "failed sync tried again": Mutant(wrong=wrongs.failed_sync_tried_again, workloads=("failed sync",)),
    "failed sync ignored": Mutant(wrong=wrongs.failed_sync_ignored, workloads=("failed sync",)),
    "new segment not synced": Mutant(wrong=wrongs.segment_not_synced, workloads=("seal",)),
    "file rewritten in place": Mutant(wrong=wrongs.rewritten_in_place, workloads=("append",)),
    "move not synced": Mutant(wrong=wrongs.move_not_synced, workloads=("delete",)),
    "fork built in place": Mutant(wrong=wrongs.fork_built_in_place, workloads=("fork",)),
    "removed piece by piece": Mutant(wrong=wrongs.removed_piece_by_piece, workloads=("delete",)),
    "attachment not synced": Mutant(wrong=wrongs.attachment_not_synced, workloads=("attach",)),
    "cut without keeping aside": Mutant(wrong=wrongs.nothing_kept_aside, workloads=("repair",), reads=True),
    "draft dropped first": Mutant(wrong=wrongs.draft_dropped_first, workloads=("drafts",)),
    "draft said twice": Mutant(wrong=wrongs.draft_said_twice, workloads=("drafts",), reads=True),
    "no look at the lease": Mutant(wrong=wrongs.lease_not_looked_at, workloads=("take over",)),
    "no repair of the end": Mutant(wrong=wrongs.end_not_mended, workloads=("commit",), reads=True),
    "cut at the first damage": Mutant(wrong=wrongs.cut_at_first_damage, workloads=("repair a hole",), reads=True),
    "stop at the first bad line": Mutant(wrong=wrongs.stop_at_first_damage, workloads=("repair a hole",), reads=True),
    "no checksum": Mutant(wrong=wrongs.checksum_not_compared, workloads=("repair a hole",), reads=True),
    "removal not finished": Mutant(wrong=wrongs.removal_not_finished, workloads=("delete",), reads=True),
    "names trusted unsynced": Mutant(wrong=wrongs.names_trusted, workloads=("create",), continued=True),
    "place trusted unsynced": Mutant(wrong=wrongs.place_trusted, workloads=("trash",), continued=True),
    "bytes trusted unsynced": Mutant(wrong=wrongs.bytes_trusted, workloads=("append",), continued=True),
}


@contextmanager
def applied(name: str) -> Iterator[None]:
    """Make the store wrong for a block of code; '' leaves it as it is."""
    patches = Patches()
    try:
        if name:
            MUTANTS[name].wrong(patches)
        yield
    finally:
        patches.undo()
