"""What a service says instead of a reply, as an error that says what to do.

Services share status codes and little else: the same mistake comes as an object, a
text, a list or a page, before the stream or inside it, under a status or under none.
What decides is, in this order: is the request too long, is the money gone, may it be
over soon, and else it is refused. Nothing a service says is shown before it is made
safe and freed of keys, because some of them send back the key they were given.
"""

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus

import msgspec

from holdfast.errors import ModelError, Overflow, Refused, Unavailable
from holdfast.providers.http.overflows import limit_and_asked, overflowed
from holdfast.providers.http.retry_after import retry_after
from holdfast.records.parts import Value
from holdfast.records.printable import printable_line

_SHOWN = 300
_SECRET = 8
"""From how many characters on a key is one; shorter ones are words that a server on this machine takes."""
_KEY = re.compile(
    r"\b(?:(?:(?:sk|gsk|xai|fw|tgp|pk)[-_]|AIza|Bearer )[\w.*-]{8,}|Basic (?=[a-z]*[A-Z\d])[\w+/]{8,}=*)", re.ASCII
)
_GONE = re.compile(
    r"insufficient.(quota|balance|credits?|funds)|billing|payment.required|exceeded your current quota"
    r"|(out of|not enough|more) credits|credit balance|spend(ing)?.limit|monthly limit",
    re.IGNORECASE,
)
_SOON = re.compile(
    r"rate.?limit|too.many.requests|overload|capacity|server.?error|internal|unavailable|timed?.?out|try again|busy",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"invalid|auth|permission|forbidden|not.?found|unsupported|not supported|bad.?request|denied", re.IGNORECASE
)
_BAD_KEY = re.compile(r"api.?key\b[^.]{0,20}\b(not valid|invalid|expired|not found)", re.IGNORECASE)
_WHERE = r"(country|countries|region|territory|location)"
_UNSERVED = r"\b(not|isn.t|un)[ _-]?(supported|available|allowed|served)"
_PLACE = re.compile(
    rf"\b{_WHERE}\b[^.]{{0,60}}{_UNSERVED}|{_UNSERVED}\b[^.]{{0,40}}\b{_WHERE}|unsupported_country|geo.?block",
    re.IGNORECASE,
)
_RETRIED = frozenset({408, 409, 423, 425, 429, 499})
_NEVER = frozenset({501, 505})


def without_keys(text: str) -> str:
    """A text without what looks like the key of a service."""
    return _KEY.sub("[key]", text)


class KeyRefused(Refused):
    """The service does not know the key."""


def not_served_here(text: str) -> bool:
    """Whether a service says that it does not serve the country that a request comes from."""
    return _PLACE.search(text) is not None


OTHER_PLACE = (
    "The service does not answer requests from this country or network, and another key does not change that. "
    "Choose a model of another service."
)


class Endpoint:
    """A service as its errors name it."""

    def __init__(self, *, title: str, url: str, model: str, variable: str = "", key: str = "") -> None:
        """Know the key, so as never to show it, and the variable it comes from."""
        self.title, self.url, self.model, self.variable = title, url, model, variable
        self._key = key

    def shown(self, text: str) -> str:
        """What a service said, on one line and without keys."""
        if len(self._key) >= _SECRET:
            text = text.replace(self._key, "[key]")
        return printable_line(without_keys(text), _SHOWN)


class _Told(Value, frozen=True, kw_only=True):
    """What a service told about a failure."""

    message: str = ""
    kind: str = ""
    """Its type and code, in one text."""
    status: int | None = None
    limit: int | None = None
    asked: int | None = None
    wait: str = ""
    """How long to wait, where it does not stand in a header."""


def from_status(status: int, headers: Mapping[str, str], body: bytes, endpoint: Endpoint) -> ModelError:
    """The error that an answer with a status other than 200 means."""
    told = _told(body)
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        where = endpoint.shown(headers.get("location", "another address"))
        return Refused(f"{endpoint.title} has moved to {where}.", hint="Set that address as its endpoint.")
    return _error(told, status, headers, endpoint)


def from_stream(body: bytes, endpoint: Endpoint) -> ModelError:
    """The error that stands in a stream, or in an answer with status 200."""
    told = _told(body)
    return _error(told, told.status, {}, endpoint)


def broken(endpoint: Endpoint) -> Unavailable:
    """The error of a stream that ended before the reply did."""
    return Unavailable(f"{endpoint.title} broke off before the reply was complete.")


def not_trusted(why: str, endpoint: Endpoint) -> Refused:
    """The error of a service whose certificate does not count here."""
    place = f"{endpoint.title} at {endpoint.url}" if endpoint.url else endpoint.title
    return Refused(
        f"{place} does not prove who it is: {endpoint.shown(why).rstrip('.')}.",
        hint="If you trust it, name a file with its certificate in SSL_CERT_FILE.",
    )


def not_a_reply(body: bytes, endpoint: Endpoint) -> Refused:
    """The error of an answer that is no reply and no error."""
    what = "a web page" if body.lstrip()[:1] == b"<" else f"“{endpoint.shown(_decoded(body))}”"
    return Refused(
        f"{endpoint.title} did not answer as chat services do, but with {what}.",
        hint=f"Check the address of the service: {endpoint.url}",
    )


def _error(told: _Told, status: int | None, headers: Mapping[str, str], endpoint: Endpoint) -> ModelError:
    said = endpoint.shown(told.message)
    known = f" ({status})" if status else ""
    if not said:
        about = f"{endpoint.title} answered {status or 'with an error'}."
    else:
        about = f"{endpoint.title}{known}: {said}{'' if said[-1] in '.!?…' else '.'}"
    if overflowed(told.message, told.kind, status):
        limit, asked = limit_and_asked(told.message)
        return Overflow(about, limit=told.limit or limit, asked=told.asked or asked)
    wait = retry_after({"retry-after": told.wait, **headers}, told.message)
    if _is_gone(told, status, wait):
        return Refused(about, hint=f"Look after the plan or the balance at {endpoint.title}, or choose another model.")
    if _may_be_over(told, status):
        return Unavailable(about, retry_after=wait)
    kind = KeyRefused if _is_about_key(status, told) else Refused
    return kind(about, hint=_hint(status, told, endpoint))


def _is_gone(told: _Told, status: int | None, wait: float | None) -> bool:
    """Whether the money is gone. Words alone do not say it of a limit that the service says passes."""
    if status == HTTPStatus.PAYMENT_REQUIRED or _GONE.search(told.kind):
        return True
    return wait is None and not _SOON.search(told.kind) and bool(_GONE.search(told.message))


def _may_be_over(told: _Told, status: int | None) -> bool:
    if status is not None:
        return status in _RETRIED or (status >= HTTPStatus.INTERNAL_SERVER_ERROR and status not in _NEVER)
    if _SOON.search(told.kind):
        return True
    # Inside a stream the request was taken before it failed, so that is not the request's fault unless it says so.
    return not _WRONG.search(told.kind) and (bool(_SOON.search(told.message)) or not _WRONG.search(told.message))


def _is_about_key(status: int | None, told: _Told) -> bool:
    keyed = status == HTTPStatus.UNAUTHORIZED or re.search(r"auth|api.?key", told.kind, re.IGNORECASE)
    return bool(keyed or _BAD_KEY.search(told.message))  # Google says so with status 400


def _hint(status: int | None, told: _Told, endpoint: Endpoint) -> str:
    if status != HTTPStatus.UNAUTHORIZED and not_served_here(f"{told.kind} {told.message}"):
        return OTHER_PLACE
    if _is_about_key(status, told) or status == HTTPStatus.FORBIDDEN:
        if not endpoint.variable:
            return "The server wants a key: give the service one in the settings."
        if status == HTTPStatus.FORBIDDEN:
            return f"See whether the key in {endpoint.variable} may use {endpoint.model}."
        return f"Put a valid key into the environment variable {endpoint.variable}."
    if status == HTTPStatus.NOT_FOUND:
        pull = f" `ollama pull {endpoint.model}` fetches it." if endpoint.title == "Ollama" else ""
        return (
            f"Check the name of the model, {endpoint.model}, and the address, {endpoint.url}{_usual(endpoint)}.{pull}"
        )
    return "Sending the same again will not help: change the request or choose another model."


def _usual(endpoint: Endpoint) -> str:
    """What is often wrong with an address that leads nowhere."""
    if endpoint.url.endswith("/chat/completions"):
        return ", which is to be without /chat/completions"
    return ", which usually ends in /v1" if endpoint.url.partition("://")[2].count("/") == 0 else ""


def _told(body: bytes) -> _Told:
    """Whatever an error says, in whichever form."""
    try:
        answer: object = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        page = body.lstrip()[:1] == b"<"
        return _Told(message=_title(body) if page else _decoded(body))
    found = _first(answer)
    outer = found if isinstance(found, dict) else {"message": found}
    error = outer.get("error") or _choice_error(outer) or outer
    inner: Mapping[str, object] = error if isinstance(error, dict) else {"message": error}
    metadata = inner.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    message = _text(inner.get("message") or inner.get("detail") or inner.get("msg") or outer.get("message"))
    return _Told(
        # A service that passes requests on keeps what the other one said apart.
        message=f"{message} {_text(raw)}".strip(),
        kind=" ".join(_text(inner.get(name)) for name in ("type", "code", "status") if inner.get(name)),
        status=_status(inner.get("code"), inner.get("status")),
        limit=_count(inner.get("n_ctx")),
        asked=_count(inner.get("n_prompt_tokens")),
        wait=_delay(inner.get("details")),
    )


def _first(answer: object) -> object:
    return answer[0] if isinstance(answer, list) and answer else answer


def _choice_error(outer: Mapping[str, object]) -> object:
    choice = _first(outer.get("choices"))
    response = outer.get("response")
    holder = choice if isinstance(choice, dict) else response if isinstance(response, dict) else {}
    return holder.get("error")


def _delay(details: object) -> str:
    """How long to wait, among the details of an error, where Google puts it."""
    found = [each.get("retryDelay") for each in details if isinstance(each, dict)] if isinstance(details, list) else []
    return next((each for each in found if isinstance(each, str)), "")


def _status(*values: object) -> int | None:
    found = (int(text) for value in values if (text := str(value)).isdecimal() and len(text) == 3)  # noqa: PLR2004
    return next((status for status in found if status >= HTTPStatus.BAD_REQUEST), None)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):  # a list of what is wrong with each field
        return "; ".join(_text(each) for each in value)
    if isinstance(value, Mapping):
        return _text(value.get("message") or value.get("msg") or "")
    return "" if value is None else str(value)


def _title(page: bytes) -> str:
    found = re.search(rb"<title[^>]*>([^<]*)", page, re.IGNORECASE)
    return _decoded(found[1]) if found else "a web page"


def _decoded(body: bytes) -> str:
    return body[: 4 * _SHOWN].decode("utf-8", "replace").strip()
