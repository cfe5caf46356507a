"""How services say that a request is too long, and how long it may be.

There is one code for it and everybody has words of their own. What asks for too
long a *reply* is something else: a shorter conversation would not mend it. Some count
the reply with the request; it is taken off, as a shorter conversation does not shorten it.
"""

import re

_CODES = re.compile(
    r"context_length_exceeded|exceed_context_size|context_window_exceeded|request_too_large", re.IGNORECASE
)
_WORDS = re.compile(
    r"context.?(length|window|size)|maximum (prompt|model|sequence|input) length|max_model_len"
    r"|(prompt|input|request|conversation|messages?)\b[^.]{0,40}\b(too long|too large)|too many (input )?tokens"
    r"|tokens? (count )?(of )?(\(?\d+\)? )?exceeds?|exceeded model token limit|exceeds max length|reduce the length"
    r"|exceed context limit|max_new_tokens. must be <=|inputs. must have less than",
    re.IGNORECASE,
)
_NOT_LENGTH = re.compile(
    r"at most \d+ completion tokens|max(_completion|_output)?_tokens.? is too large(?!: \d+\. [\w' ]+ context length)"
    r"|attachment|image|file",
    re.IGNORECASE,
)
_NUMBER = r"[\s:(]{0,3}(\d{3,})"
_LIMITS = (
    r"\d \+ \d+ > (\d{3,})",
    rf"(?:maximum|max)[ _](?:context|prompt|model|input|sequence)[ _]len(?:gth)?(?: is| of|:|\))?{_NUMBER}",
    rf"context (?:length|window|size)(?: is| of only| of|:)?{_NUMBER}",
    r"(\d{3,}) maximum context length",
    rf"maximum number of tokens allowed{_NUMBER}",
    r"tokens? > (\d{3,}) maximum",
    rf"must be <={_NUMBER}",
    rf"\blimit(?: of|:)?{_NUMBER}",
    rf"must have less than{_NUMBER}",
)
_REPLIES = (
    r"\d \+ (\d+) > \d",
    r"(\d{3,}) (?:tokens )?(?:in|for) the (?:completion|output)",
    r"requested (\d{3,}) output tokens",
    rf"is too large:{_NUMBER}",
    r"(\d{3,}) .max_new_tokens",
)
"""What of it is for the reply."""
_SENT = (r"(\d{3,}) \+ \d+ > \d", r"request has (\d{3,}) input tokens", r"given: (\d{3,}) .inputs. tokens")
"""What is said to be without the reply."""
_ASKED = (
    rf"total of(?: at least)?{_NUMBER}",
    r"requested (?:about )?(\d{3,}) tokens",
    rf"requested(?: tokens)?:?{_NUMBER}(?! output)",
    rf"resulted in(?: over)?{_NUMBER}",
    rf"(?:request|prompt|messages) contains(?: at least)?{_NUMBER}",
    r"request \((\d{3,}) tokens\)",
    rf"prompt \((?:total )?length{_NUMBER}",
    rf"prompt is too long:{_NUMBER}",
    rf"(?:input|prompt) token count(?: of)?{_NUMBER}",
    rf"given:{_NUMBER}",
)


def overflowed(message: str, kind: str, status: int | None) -> bool:
    """Whether a service refused a request because it is too long."""
    if _CODES.search(kind):
        return True
    if _NOT_LENGTH.search(message):
        return False
    if re.match(r"request too large", message, re.IGNORECASE):  # more than a minute's worth: waiting does not help
        return True
    # A service that is down may talk of anything; only one that answers about the request is believed.
    return status in {None, 400, 413, 422, 500} and bool(_WORDS.search(message))


def limit_and_asked(message: str) -> tuple[int | None, int | None]:
    """How many tokens a request may have and how many it had, where the words tell."""
    plain = re.sub(r"(?<=\d)[,_](?=\d{3})", "", message)
    limit, sent, asked = _found(_LIMITS, plain), _found(_SENT, plain), _found(_ASKED, plain)
    reply = _found(_REPLIES, plain) or 0
    if limit is None or limit <= reply:
        return limit, sent or asked
    return limit - reply, sent or (asked and asked - reply)


def _found(patterns: tuple[str, ...], message: str) -> int | None:
    # `re` compiles them when a request was refused, and not whenever the program starts.
    matches = (re.search(pattern, message, re.IGNORECASE) for pattern in patterns)
    return next((int(match[1]) for match in matches if match), None)
