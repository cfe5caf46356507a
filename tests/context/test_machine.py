"""Whatever happens in a conversation, what the model sees of it is legal, bounded and the same again."""

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.context.machine import Conversations, ConversationsOnFiles

SEQUENCES = int(os.environ.get("SEQUENCES", "2000"))
"""How many conversations are tried; a tenth of them on files."""


def tried(count: int) -> settings:
    """Settings for so many conversations."""
    return settings(
        max_examples=count,
        stateful_step_count=20,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )


@pytest.mark.usefixtures("unmeasured")
def test_every_window_of_every_conversation_is_legal_bounded_and_the_same_again() -> None:
    """
    No provider refuses our history, whatever happened before.
    """
    run_state_machine_as_test(Conversations, settings=tried(SEQUENCES - SEQUENCES // 10))


@pytest.mark.usefixtures("unmeasured")
def test_so_is_every_window_of_conversations_on_a_disk() -> None:
    """
    The same holds where processes die in the middle of a write.
    """
    run_state_machine_as_test(ConversationsOnFiles, settings=tried(SEQUENCES // 10))
