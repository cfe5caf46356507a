"""What is said for after a turn stands in the log before the replies of that turn, and is heard after them."""

from holdfast import CallId, Delivered, ModelReplied, Text, ToolCall, TurnEnded, UserSaid, open_volatile
from holdfast.context.budget import Budget
from holdfast.context.view import View
from holdfast.model.estimate import Estimate
from holdfast.model.protocol import Message
from holdfast.model.tokens import count_message


def cost(message: Message) -> int:
    """Tokens, as far as anyone can tell."""
    return count_message(message, Estimate())


async def test_late_words_that_say_nothing_take_no_reply_with_them() -> None:
    """
    When the start of a window moves between late words and the reply before them, the reply stays.
    """
    async with open_volatile().session("s") as session:
        view = View(session, cost)
        budget = Budget(tokens=500, output=10, target=1.0, keep_first=False)
        calls = ModelReplied(parts=(ToolCall(id=CallId("a"), name="read_file", arguments="{}"),))
        await session.append(UserSaid(parts=(Text(text="a long story " * 100),)), UserSaid(parts=(), enters="after"))
        await session.append(calls, TurnEnded())
        await view.window(budget)
        await session.append(Delivered(parts=(Text(text="another long story " * 50),)))

        window = await view.window(budget)

        assert window == await View(session, cost).window(budget)
