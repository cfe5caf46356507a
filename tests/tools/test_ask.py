"""Asking the person."""

import json
from math import inf

import pytest

from holdfast.agent.permissions import Permissions
from holdfast.agent.tool import said
from holdfast.errors import ToolFailed
from holdfast.tools.ask import AskUser
from tests.tools.tool_context import NotedDesk


async def test_the_answer_is_what_the_person_said() -> None:
    """
    The question and its options reach the person, and their words come back.
    """
    context = NotedDesk("the red one")
    action = await AskUser().understand('{"question": "Which?", "options": ["red", "blue"]}', context)

    assert said("the red one") == await action.run()
    assert [("Which?", ("red", "blue"))] == context.asked


async def test_asking_needs_no_permission_and_has_no_time_limit() -> None:
    """
    A question is put to the person who would be asked for permission, and they take their time.
    """
    action = await AskUser().understand('{"question": "Which?"}', NotedDesk())

    assert "allow" == Permissions().decide(action.ask)
    assert "ask: Which?" == action.ask.title
    assert inf == AskUser().seconds


async def test_where_nobody_is_the_model_is_told() -> None:
    """
    Without a person the call fails with words, and the turn goes on.
    """
    action = await AskUser().understand('{"question": "Which?"}', NotedDesk())

    with pytest.raises(ToolFailed, match="Nobody"):
        await action.run()


async def test_a_question_cannot_play_with_the_screen() -> None:
    """
    What the model writes is shown as what it is.
    """
    context = NotedDesk("yes")
    sent = json.dumps({"question": "Sure?\x1b[2J", "options": ["yes\nno\x07"]})
    await (await AskUser().understand(sent, context)).run()

    assert [("Sure?␛[2J", ("yes no␇",))] == context.asked


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"question": ""},
        {"question": "x" * 4001},
        {"question": "x", "options": ["a"] * 11},
        {"question": "x", "options": [""]},
        {"question": "x", "more": 1},
    ],
)
async def test_wrong_questions_are_refused(sent: dict[str, object]) -> None:
    """
    A question has words, not too many of them, and no more than ten options.
    """
    with pytest.raises(ToolFailed, match="`question`"):
        await AskUser().understand(json.dumps(sent), NotedDesk())
