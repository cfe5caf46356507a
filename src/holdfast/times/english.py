"""English words about time: a reader that tries the longest reading at each word of a text.

A time is a day, a part of a day and a time of day, in any order. Each function reads one of them from a place in the
text on, and gives it with the place where the text goes on, or None. Figures such as 5/12 are two days for two
people, so they name none; 22/4 and 2026-12-05 do.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TypeAlias

from msgspec.structs import replace

from holdfast.times import english_words as w
from holdfast.times import spans as s
from holdfast.times.english_days import EnglishDays, Read
from holdfast.times.spans import HOURS, MINUTES, NOON, TENS, YEAR_DIGITS

Hour: TypeAlias = tuple[s.ClockTime, int] | None

_GLUE = frozenset(
    {"at", "around", "about", "by", "-", ",", "@", "on", "in", "the", "of", "(", ")", "early", "late", "sometime"}
)
_QUARTERS = {"half": 30, "quarter": 15}
_CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d{2}))?(?::(\d{2}))?\s?([ap])?")


class English:
    """Reads the times of one text, as seen at one moment."""

    def __init__(self, text: str, now: datetime) -> None:
        """Take the text apart."""
        self._said = w.tokens(text)
        self._now = now
        self._days = EnglishDays(self._said, now)

    def find(self) -> list[s.Found]:
        """Every time that the text names, in order."""
        found, at = [], 0
        while at < len(self._said):
            read = self._when(at)
            if read and (not read[0] or self._doubtful(at, read[1])):
                at = read[1]
            elif read:
                readings, after = read
                span = self._said[at].at, self._said[after - 1].to
                found.append(s.Found(at=span[0], to=span[1], readings=tuple(sorted(set(readings)))))
                at = after
            else:
                at += 1
        return found

    def _doubtful(self, at: int, after: int) -> bool:
        """Whether the words beside it say that another time is meant: "Friday 5/12", "the end of May"."""
        before, behind = self._said.token(at - 1), self._said.token(after)
        joined = behind.text in {"-", "/", "."} and behind.at == self._said.token(after - 1).to
        follow = self._said.token(after + 1) if joined else behind
        return (
            behind.kind in {"slash", "dmy", "iso"}
            or (joined and follow.kind in {"number", "slash"} and follow.at == behind.to)
            or (behind.kind == "number" and len(behind.text) == YEAR_DIGITS)
            or (behind.kind == "number" and self._said.word(after + 1) == ".")
            or (
                before.text in {"-", "/"}
                and self._said.token(at - 2).kind == "number"
                and before.to == self._said.token(at).at
            )
            or before.text in {"black", "good", "easter", "ash"}
            or (
                self._said.word(at - (2 if before.text == "the" else 1)) == "of"
                and self._said.word(at - (3 if before.text == "the" else 2)) in {"end", "start", "beginning", "middle"}
            )
        )

    # -------------------------------------------------------------------------------------------- day, part and hour

    def _when(self, begin: int) -> Read:
        days: tuple[s.TimeSpan, ...] | None = None
        part: str = ""
        hour: s.ClockTime | None = None
        at = end = begin
        while at < len(self._said):
            if days is None and (read := self._days.read(at)):
                days, at = read
                if not days or not _whole_days(days):
                    return days, at
            elif not part and (named := self._part(at, alone=days is None and hour is None)):
                part, at = named
            elif hour is None and (clock := self._clock(at)):
                hour, at = clock
            elif at > begin and self._said[at].text in _GLUE:
                at += 1
                continue
            elif days and self._said.word(at) in w.WEEKDAYS:
                days = tuple(span for span in days if span.start.weekday() == w.WEEKDAYS[self._said.word(at)])
                at += 1
                if not days:
                    return (), at
            else:
                break
            end = at
        return self._joined(begin, end, days, part, hour)

    def _joined(
        self, begin: int, end: int, days: tuple[s.TimeSpan, ...] | None, part: str, hour: s.ClockTime | None
    ) -> Read:
        if hour is None and not part:
            return (days, end) if days else None
        if (
            days is None
            and not part
            and self._said[begin].kind != "clock"
            and self._said.word(end - 1) not in {"am", "pm"}
        ):
            return None  # "at 4": of which day?
        if days is None:
            days = (s.day(self._now),)
        if hour is None:
            return s.part_of_day(days, w.PARTS[part]), end
        meant = s.in_part(hour, w.PARTS[part]) if part else hour
        return s.at_clock(days, meant) if meant else (), end

    def _part(self, at: int, *, alone: bool) -> tuple[str, int] | None:
        """A part of a day; without a day beside it "tonight" or "this morning"."""
        word = self._said.word(at)
        if word == "this" and self._said.word(at + 1) in w.PARTS:
            return self._said.word(at + 1), at + 2
        return (word, at + 1) if word in w.PARTS and (not alone or word == "tonight") else None

    def _clock(self, at: int) -> Hour:
        """A time of day. A number alone is one only behind "at" and the like: "Friday at 4"."""
        token = self._said.token(at)
        if token.kind == "clock":
            return _figures(token.text, at + 1)
        if token.text in {"noon", "midday"} or token.text == "midnight":
            return s.ClockTime(hour=0 if token.text == "midnight" else 12), at + 1
        past = self._said.word(at + 1)
        if token.text in _QUARTERS and past in {"past", "to"} and (base := self._hour(at + 2)):
            hour, after = base
            minutes = hour.hour * 60 + (_QUARTERS[token.text] if past == "past" else -_QUARTERS[token.text])
            return s.ClockTime(hour=minutes // 60 % 24, minute=minutes % 60, halves=hour.halves), after
        number = w.cardinal(self._said, at)
        if number is None or not 0 < number[0] <= HOURS:
            return None
        minute = w.cardinal(self._said, self._said.skip(number[1], {"-"})) if token.kind == "word" else None
        if minute and TENS <= minute[0] < MINUTES:
            return self._with_half(number[0], minute[0], self._said.skip(minute[1], {"minutes"}))
        named = self._said.word(number[1]) in {"am", "pm", "oclock", "o'clock"}
        alone = self._said.word(at - 1) in {"at", "around", "about"} and self._said.word(number[1]) not in w.UNITS
        return self._hour(at) if named or alone else None

    def _hour(self, at: int) -> Hour:
        """An hour: "7", "seven", "7 pm", "7 o'clock"."""
        token = self._said.token(at)
        if token.kind == "clock":
            return _figures(token.text, at + 1)
        number = w.cardinal(self._said, at)
        return self._with_half(number[0], 0, self._said.skip(number[1], {"oclock", "o'clock"})) if number else None

    def _with_half(self, hour: int, minute: int, after: int) -> Hour:
        half = self._said.word(after)
        if half in {"am", "pm"} and hour <= NOON:
            return s.ClockTime(hour=hour % NOON + NOON * (half == "pm"), minute=minute), after + 1
        clock = s.clock(hour, minute)
        return (clock, after) if clock else None


def _figures(text: str, after: int) -> Hour:
    hour, minute, second, half = _CLOCK.match(text).groups()  # type: ignore[union-attr]
    clock = s.clock(int(hour), int(minute or 0), int(second or 0))
    if clock is None or (half and not 0 < int(hour) <= NOON):
        return None
    if half:
        return replace(clock, hour=clock.hour % NOON + NOON * (half == "p"), halves=False), after
    return replace(clock, halves=clock.halves and not hour.startswith("0")), after


def _whole_days(spans: tuple[s.TimeSpan, ...]) -> bool:
    return all(span.end - span.start == s.DAY for span in spans)
