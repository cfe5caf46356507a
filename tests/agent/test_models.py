"""A model that a program brings along."""

from holdfast import AgentSetup, FixedModels, open_volatile
from holdfast.agent.models import ChatModel
from tests.agent.troupe import opened, scripted, turn


async def test_one_model_answers_whatever_it_is_asked_for_by() -> None:
    """
    Also in a session that names another one, and it stays the program's to close.
    """
    chat_model = ChatModel(name="mine", model=scripted("Aye."))
    models = FixedModels(chat_model)
    async with await opened(open_volatile(), AgentSetup(models=models, titles=False)) as conversation:
        await turn(conversation, "Ready?")

        assert chat_model is await conversation.chat_model()
    await models.close()

    assert [chat_model] * 2 == [await models.named("another"), await models.usual()]
