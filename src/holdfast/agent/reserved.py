"""A model whose requests are reserved in an account before they are made, for what is asked beside the turns."""

from collections.abc import AsyncIterator

from msgspec.structs import replace

from holdfast.model.protocol import Delta, Model, Request, Target
from holdfast.model.tokens import count_request, counter_for
from holdfast.session.hooks import Account
from holdfast.session.writer import Session


class ReservedModel:
    """A model that is asked for a session, on its account."""

    def __init__(self, model: Model, session: Session, account: Account) -> None:
        """Ask this one; what does not fit in the account raises `OverBudget` and is not asked."""
        self._model, self._session, self._account = model, session, account

    @property
    def target(self) -> Target:
        """Which model it is."""
        return self._model.target

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """What the model says, within what is left."""
        bound = self._account.reserve(
            self._session,
            model=self.target.model,
            asked=count_request(request, counter_for(self.target.model)),
            longest=request.max_output_tokens,
        )
        return self._model.stream(replace(request, max_output_tokens=bound))
