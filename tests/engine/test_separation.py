"""Several owners, workspaces and unattended work in one engine: nothing of one reaches another."""

import pytest
from msgspec.structs import replace

from holdfast import (
    AgentSetup,
    AlreadyThere,
    Asked,
    BadInput,
    Described,
    Engine,
    Permissions,
    Rule,
    ScriptedModel,
    SessionState,
    Source,
    ToolFinished,
    TurnOver,
    open_volatile,
)
from holdfast.agent.permissions import Answer
from holdfast.context.system_text import Briefing
from holdfast.records.parts import plain_text
from tests.agent.troupe import PlainTool, calling, entries, scripted, setup

YES = Answer(allowed=True)
WHO = {"alice": "canary-amber", "bob": "canary-beryl", "timer": "canary-coral"}
"""A word for each that nobody else may ever see."""


class Separate:
    """An agent for each owner."""

    def __init__(self) -> None:
        self.models: dict[str, ScriptedModel] = {}
        self.tools: dict[str, PlainTool] = {}
        self.closed = 0
        self._made = {owner: self._make(owner, word) for owner, word in WHO.items()}

    def _make(self, owner: str, word: str) -> AgentSetup:
        self.tools[owner] = PlainTool(f"tool_{owner}", lambda _text, _desk: word, reads_only=False)
        script = (calling((f"tool_{owner}", "{}")), calling((f"tool_{owner}", "{}")), f"Done, {word}.")
        self.models[owner] = scripted(*script)
        rules = [Rule(tool="*", decision="allow")] if owner == "alice" else []
        made = setup(self.models[owner], tools=[self.tools[owner]], permissions=lambda: Permissions(rules))
        briefing = Briefing(workspace=f"/{word}", notes=f"notes {word}", memory=f"memory {word}")
        return replace(made, briefing=briefing, attended=owner != "timer")

    def of(self, state: SessionState, source: Source | None) -> AgentSetup:
        """By the owner; who comes as another one is refused."""
        if source is not None and source.sender != state.owner:
            raise BadInput(f"{source.sender} is not {state.owner}.")
        return self._made[state.owner]

    async def close(self) -> None:
        self.closed += 1


async def test_owners_workspaces_and_unattended_work_never_mix() -> None:
    """
    Tools, permissions, briefing, memory and lists of each hold its own words and nobody else's.
    """
    separate, store = Separate(), open_volatile()
    async with Engine(store, setup(scripted()), setups=separate) as engine:
        asked: dict[str, int] = {}
        for owner, word in WHO.items():
            begins = Described(owner=owner, workspace=word)
            conversation = await engine.begin(f"s-{owner}", begins, source=Source(host="web", sender=owner))
            with conversation.watch() as watch:
                await engine.send(conversation.key, "go", source=Source(host="web", sender=owner))
                async for event in watch:
                    if isinstance(event, Asked):
                        asked[owner] = asked.get(owner, 0) + 1
                        conversation.answer(event.question.id, YES)
                    if isinstance(event, TurnOver):
                        break
        seen = {owner: repr(model.requests) for owner, model in separate.models.items()}
        logs = {owner: repr(await entries((await engine.open(f"s-{owner}")).session)) for owner in WHO}
        lists = {owner: [each.key for each in (await store.list(owner=owner)).sessions] for owner in WHO}
        results = [
            plain_text(entry.parts)
            for entry in await entries((await engine.open("s-timer")).session)
            if isinstance(entry, ToolFinished)
        ]

    for owner, word in WHO.items():
        others = {each for each in WHO.values() if each != word}
        assert word in seen[owner]
        assert word in logs[owner]
        assert not any(other in seen[owner] or other in logs[owner] for other in others)
        assert f"tool_{owner}" in seen[owner]
        assert [f"s-{owner}"] == lists[owner]
    assert {"bob": 2} == asked
    assert all(text.startswith("[not run] Nobody is there to ask.") for text in results)
    assert [] == separate.tools["timer"].ran
    assert 1 == separate.closed


async def test_a_session_of_another_owner_is_refused_and_given_back() -> None:
    """
    The refusal leaves it free; and a session is begun once.
    """
    store = open_volatile()
    async with Engine(store, setup(scripted()), setups=Separate()) as engine:
        await engine.begin("talk", Described(owner="alice"))
        with pytest.raises(AlreadyThere):
            await engine.begin("talk", Described(owner="bob"))
        await engine.leave("talk")
        with pytest.raises(BadInput):
            await engine.send("talk", "hello", source=Source(host="web", sender="bob"))

        assert await store.holder("talk") is None
        assert "alice" == (await store.state("talk")).owner
