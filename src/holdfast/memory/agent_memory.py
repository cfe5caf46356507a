"""The memory of an agent: what a host, an engine and the windows of models use of it."""

from holdfast.clock import Clock
from holdfast.memory.accept import IsSecret
from holdfast.memory.background import Background
from holdfast.memory.consolidation import Consolidation, FindModel
from holdfast.memory.notebook import Notebook
from holdfast.memory.settings import MemorySettings
from holdfast.memory.shown import ShownMemory
from holdfast.session.facts import Scope
from holdfast.session.store import Store
from holdfast.session.writer import Session


class AgentMemory:
    """Draws facts, shows them, and takes what a person says about them."""

    def __init__(
        self,
        store: Store,
        settings: MemorySettings,
        find: FindModel,
        is_secret: IsSecret,
        clock: Clock,
        off: str = "",
    ) -> None:
        """Remember in a store; `off` says why nothing is drawn here, where that is so."""
        self.store, self.settings, self.off = store, settings, off
        self._clock, self.is_secret = clock, is_secret
        self.consolidation = Consolidation(store, settings, find, is_secret, clock)
        self.background = Background(self.consolidation, clock)

    def notebook(self, scope: Scope) -> Notebook:
        """What a person says about the facts of a scope."""
        return Notebook(self.store, scope, self.is_secret)

    def shown(self, session: Session) -> ShownMemory:
        """What the model of a session is told."""
        return ShownMemory(self.store, session, self.settings, self._clock, begins=self._draws)

    async def _draws(self) -> bool:
        return not self.off and await self.consolidation.find() is not None

    def start(self) -> None:
        """Draw facts from what earlier processes left, behind everything else."""
        if not self.off:
            self.background.begin_left()

    async def close(self) -> None:
        """Stop what is under way. Closing twice is once."""
        await self.background.close()
