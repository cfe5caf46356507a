"""What went wrong, as whoever asked must take it: later, differently, shorter, or not at all.

pydantic-ai sorts the failures of all services. What is left to do is to say in plain words
what the service said, and to keep the key out of it.
"""

import re
from ssl import SSLCertVerificationError

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelServerError,
    ModelUnavailableError,
    UserError,
)

from holdfast.errors import ModelError, Overflow, Refused, Unavailable
from holdfast.providers.http.failures import OTHER_PLACE, Endpoint, not_served_here, not_trusted
from holdfast.providers.http.overflows import limit_and_asked, overflowed

_LATER = (
    ModelConnectionError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelServerError,
    ModelUnavailableError,
)
_LATER_STATUS = frozenset({408, 409, 425, 429})
_SERVER = 500
_TOO_LARGE = 413
_SUM = re.compile(r"(\d+) \+ (\d+) > (\d+)")
"""How Anthropic says that request and reply are too long together."""


def failure(error: Exception, endpoint: Endpoint) -> ModelError:
    """What a failure means."""
    if isinstance(root := _root(error), SSLCertVerificationError):
        return not_trusted(root.verify_message, endpoint)
    return _sorted(error, endpoint.title, _sentence(endpoint.shown(_said(error))), endpoint)


def _sorted(error: Exception, title: str, said: str, endpoint: Endpoint) -> ModelError:
    match error:
        case ModelContextWindowExceededError():
            return _overflow(title, said)
        case ModelQuotaExceededError():
            return Refused(f"{title} does not answer: {said}", hint="Check the credit of your account there.")
        case ModelAPIError() if isinstance(error, _LATER):
            return Unavailable(f"{_trouble(error, title)}: {said}", retry_after=error.retry_after)
        case ModelAuthenticationError():
            return _not_allowed(title, said, endpoint)
        case ModelNotFoundError():
            return Refused(f"{title} does not have this model: {said}", hint=_near(error))
        case ModelHTTPError():
            return _by_status(error, title, said)
        case ModelAPIError() if error.in_stream:
            return Unavailable(f"{title} broke off: {said}", retry_after=error.retry_after)
        case UserError():
            return Refused(f"{title} cannot be asked this: {said}", hint="Ask another model, or ask for less.")
        case _ if type(error).__module__.startswith("botocore."):  # no credentials, an address that it does not take
            hint = f"Set {endpoint.variable}, or the credentials of AWS, and check the address."
            return Refused(f"{title} cannot be asked: {said}", hint=hint)
        case _:
            return ModelError(
                f"{title} sent what cannot be understood: {said}", hint="Try again, or ask another model."
            )


def _not_allowed(title: str, said: str, endpoint: Endpoint) -> ModelError:
    if not_served_here(said):
        return Refused(f"{title} refused the request: {said}", hint=OTHER_PLACE)
    hint = f"Check the key in {endpoint.variable}, and that it may use this model."
    return Refused(f"{title} does not accept the key: {said}", hint=hint)


def _trouble(error: ModelAPIError, title: str) -> str:
    if isinstance(error, ModelHTTPError):
        return f"{title} is not available ({error.status_code})"
    if not isinstance(error, ModelConnectionError):
        return f"{title} is not available"
    return f"The connection to {title} broke" if error.phase == "read" else f"{title} cannot be reached"


def _by_status(error: ModelHTTPError, title: str, said: str) -> ModelError:
    status = error.status_code
    if status >= _SERVER or status in _LATER_STATUS:
        return Unavailable(f"{title} is not available ({status}): {said}", retry_after=error.retry_after)
    too_long = overflowed(said, error.provider_error_type or "", status) or _SUM.search(said)
    if too_long or status == _TOO_LARGE:
        return _overflow(title, said)
    hint = "The request is wrong for this model: check its settings, or ask another model."
    return Refused(f"{title} refused the request ({status}): {said}", hint=hint)


def _overflow(title: str, said: str) -> Overflow:
    """Too long, with both counts if they can be read from the message: what was asked, and what is allowed."""
    limit, asked = limit_and_asked(said)
    if added := _SUM.search(said):
        asked, limit = int(added[1]) + int(added[2]), int(added[3])
    return Overflow(f"{title} says that the request is too long: {said}", limit=limit, asked=asked)


def _near(error: ModelNotFoundError) -> str:
    near = error.suggested_model_id if isinstance(error, ModelHTTPError) else None
    return f"Did you mean {near!r}?" if near else "Check the name of the model and the address of the service."


def _root(error: BaseException) -> BaseException:
    """What an error came of."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return error


def _said(error: Exception) -> str:
    """The service's own words; those of the network, where there is no service."""
    words = _message(error.body) if isinstance(error, ModelAPIError) else ""
    if isinstance(error, ModelConnectionError) and isinstance(root := _root(error), OSError):
        words = str(root)
    return words or getattr(error, "message", "") or str(error) or type(error).__name__


def _sentence(words: str) -> str:
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."


def _message(body: object) -> str:
    """The message in an error's body, wherever the service puts it."""
    match body:
        case {"error": {"message": str(words)}} | {"message": str(words)} | {"Error": {"Message": str(words)}}:
            return words
        case {"error": str(words)} | {"detail": str(words)} | str(words):
            return words
        case _:
            return ""
