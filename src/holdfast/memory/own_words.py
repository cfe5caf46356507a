"""The words that a person says themselves: what they quote, paste or pipe in is no statement of theirs.

What is taken out leaves a mark that no quote can cross. Questions, suppositions and roles that are played are found by
the sentence that a quote stands in.
"""

import re
import unicodedata
from typing import TypeGuard

from holdfast.records.entries import Entry, UserSaid
from holdfast.records.parts import Text
from holdfast.session.facts import folded

CUT = "\N{REPLACEMENT CHARACTER}"
"""Stands where something was taken out."""
PROGRAMS = frozenset({"hook", "shell"})
"""Hosts of messages that a program made."""
TITLE_WORDS = 4
"""A quoted stretch of so few words may be a name or a title."""

# They are compiled when they are first used: most starts of the program come to their end without them.
# As long a fence closes it as began it: what is shown within may have fences of its own.
_FENCED = r"(?s)(`{3,}|~{3,}).*?(?:\1|\Z)"
_INDENTED = r"(?m)^(?: {4}|\t).*$"
_QUOTED_LINE = r"(?m)^[ \t]*(?:>|\|).*$"
_MAIL = r"(?im)^(?:from|to|cc|bcc|subject|date|sent|von|an|betreff|de|à|objet|发件人|主题|差出人|件名)[::].*$"
_FORWARDED = (
    r"(?ims)^[ \t>*_-]*(?:forwarded message|original message|begin forwarded|weitergeleitete nachricht|转发的?邮件|"
    r"-{2,}\s*(?:original|forwarded).*?|on .{4,80} wrote:).*"
)
_MARKS = (
    ('"', '"'),
    ("\N{LEFT DOUBLE QUOTATION MARK}", "\N{RIGHT DOUBLE QUOTATION MARK}"),
    ("«", "»"),
    ("\N{DOUBLE LOW-9 QUOTATION MARK}", "\N{LEFT DOUBLE QUOTATION MARK}"),
    ("「", "」"),
    ("『", "』"),
    ("\N{LEFT SINGLE QUOTATION MARK}", "\N{RIGHT SINGLE QUOTATION MARK}"),
)
_QUOTES = "|".join(f"{re.escape(begin)}[^{re.escape(end)}]*(?:{re.escape(end)}|\\Z)" for begin, end in _MARKS)
_REPORTED = (
    r"(?i)\b(?:says?|said|wrote|writes|reads?|states?|according to|claims?|told me (?:to|that)|asked me to (?:paste|"
    r"tell|say)|here is (?:what|the)|the (?:page|mail|email|file|site|document|readme|tool|article) )"
)
_SENTENCE = r"[^.!?。\n]*[.!?。\n]?"
_SUPPOSED = (
    r"(?i)^\W*(?:(?:if|suppose|supposing|imagine|what if|assume|assuming|pretend|say i|hypothetically|role-?play|"
    r"act as|let'?s (?:say|pretend|play|role-?play)|you are now|for example|"
    r"in (?:the|this|my) (?:story|novel|game|role-?play|script|play|poem))\b|假设|假如|如果|要是|想象|もし|仮に|例えば)"
)
_ASKED = r"[??]\s*$|(?:吗|嗎|呢|ですか|ますか)[?。]?\s*$"


def by_person(entry: Entry) -> TypeGuard[UserSaid]:
    """Whether an entry is what a person said: not what a goal, a timer or a program of the user says in their place."""
    if not isinstance(entry, UserSaid):
        return False
    return entry.source is None or not (entry.source.is_engine or entry.source.host in PROGRAMS)


class OwnWords:
    """What one entry says in a person's own words."""

    def __init__(self, entry: UserSaid) -> None:
        """Take out what they did not say themselves."""
        said = "\n".join(part.text for part in entry.parts if isinstance(part, Text) and not part.given)
        text = unicodedata.normalize("NFKC", said)
        for pattern in (_FENCED, _FORWARDED, _QUOTED_LINE, _INDENTED):
            text = re.sub(pattern, CUT, text)
        if len(re.findall(_MAIL, text)) > 1:  # one such line may be a sentence, several are a mail
            text = CUT
        self.text = re.sub(_QUOTES, CUT, text)
        self._titled = re.sub(_QUOTES, _title, text)

    def state(self, quote: str) -> str:
        """Why a quote is no statement of the person; '' if it is."""
        wanted = folded(quote)
        if not wanted:
            return "it has no quote"
        titled = wanted in folded(self._titled) and re.search(_REPORTED, self._titled) is None
        if wanted not in folded(self.text) and not (titled and re.sub(_QUOTES, "", wanted).strip()):
            return "the quote is not in the person's own words"
        sentences = [each for each in re.findall(_SENTENCE, self._titled) if each.strip()]
        holding = [each for each in sentences if _overlap(folded(each), wanted)]
        if holding and all(re.search(_ASKED, each) for each in holding):
            return "it is a question"
        if any(re.search(_SUPPOSED, each) for each in holding):
            return "it is supposed or played, not stated"
        return ""


def _title(found: re.Match[str]) -> str:
    """A short quoted stretch stays: it may be the name of a book."""
    return found[0] if len(found[0].split()) <= TITLE_WORDS else CUT


def _overlap(sentence: str, quote: str) -> bool:
    """Whether a sentence has the quote, or is a part of it."""
    bare = sentence.strip(" .!?。")
    return bool(bare) and (quote.strip(" .!?。") in sentence or bare in quote)
