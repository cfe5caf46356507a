"""Which agent works in a session that a gateway serves: what a person may have depends on whose the session is.

The person of the machine has the tools of the workspace that is served. Anybody else talks to the model, and has no
tools, hooks, instructions, memory or grants of that person: whoever logs in reads no file here and runs nothing.
"""

from msgspec.structs import replace

from holdfast.agent.permissions import Permissions
from holdfast.agent.setup import AgentSetup
from holdfast.agent.tool import FixedTools
from holdfast.context.system_text import Briefing
from holdfast.errors import BadInput
from holdfast.records.parts import Source
from holdfast.session.state import SessionState


class ServedSetups:
    """The agents of one workspace that is served."""

    def __init__(self, setup: AgentSetup, workspace: str) -> None:
        """Serve the person of the machine with a setup, in the workspace of an identity."""
        self._own, self._workspace = setup, workspace
        self._others = replace(
            setup,
            permissions=Permissions,
            briefing=Briefing(),
            toolbox=FixedTools(),
            next_step=None,
            hooks=(),
            memory=None,
            after_turn=(),
            before_compaction=(),
            keep=None,
        )

    def of(self, state: SessionState, source: Source | None) -> AgentSetup:
        """The agent for a session. Raises `BadInput` for one about another workspace: its tools would work here."""
        if state.owner or (source is not None and source.sender):
            return self._others
        if state.workspace not in {"", self._workspace}:
            raise BadInput(
                "This session is about another workspace than the one that is served, so it can only be read here.",
                hint="Open it in its own folder with `holdfast`, or run `holdfast serve` there.",
            )
        return self._own

    async def close(self) -> None:
        """There is nothing of its own: the engine closes the tools and models that all of them share."""
