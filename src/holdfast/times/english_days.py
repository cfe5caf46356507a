"""English words for days, weeks, months and years.

Each reader begins at a place in the text and gives the readings with the place where the text goes on, or None.
Figures such as 5/12 are two days for two people, so they name none; 22/4 and 2026-12-05 do.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TypeAlias

from holdfast.times import english_words as w
from holdfast.times import spans as s
from holdfast.times.spans import CENTURY, LONGEST_MONTH, MONTHS

Read: TypeAlias = tuple[tuple[s.TimeSpan, ...], int] | None


class EnglishDays:
    """Reads the days of one text, as seen at one moment."""

    def __init__(self, said: w.Tokens, now: datetime) -> None:
        """Read these tokens."""
        self._said, self._now = said, now

    def read(self, at: int) -> Read:
        """A day or a longer time that is named from here on."""
        return (
            self._moved(at)
            or self._figures(at)
            or self._month_and_day(at)
            or self._weekday(at)
            or self._named(at)
            or self._numbered(at)
            or self._period(at)
            or self._holiday(at)
        )

    def _moved(self, at: int) -> Read:
        """Such as "3 days ago", "in two weeks", "two days before yesterday"."""
        ahead = self._said.word(at) == "in"
        steps: list[tuple[int, str]] = []
        after = at + ahead
        while step := self._step(self._said.skip(after, {"and"}) if steps else after):
            count, unit, after = step
            steps.append((count, unit))
        if not steps:
            return None
        word, then = self._said.word(after), self._said.word(after + 1)
        if word in {"from", "after", "before"} and then != "now" and (base := self.read(after + 1)):
            spans, after = base
            return self._away(spans[-1].start, steps, after, back=word == "before")
        if word == "from" and then == "now":
            return self._away(self._now, steps, after + 2)
        if word in {"ago", "earlier"} or (word, then) == ("before", "now"):
            return self._away(self._now, steps, after + (2 if word == "before" else 1), back=True)
        if word in {"later", "hence"}:
            return self._away(self._now, steps, after + 1)
        return self._away(self._now, steps, after) if ahead and word != "since" else None

    def _step(self, at: int) -> tuple[int, str, int] | None:
        words = [self._said.word(at + step) for step in range(3)]
        if words[0] == "half" and words[1] in {"a", "an"} and words[2] in {"hour", "day"}:
            return (30, "minute", at + 3) if words[2] == "hour" else (12, "hour", at + 3)
        if words[0] == "a" and words[1] == "fortnight":
            return 2, "week", at + 2
        if words[0] == "a" and words[1] == "couple":
            after = self._said.skip(at + 2, {"of"})
            return (2, w.UNITS[self._said.word(after)], after + 1) if self._said.word(after) in w.UNITS else None
        if words[0] in {"a", "an"} and words[1] in w.UNITS and words[1] not in w.SHY:
            return 1, w.UNITS[words[1]], at + 2
        count = w.cardinal(self._said, at)
        if count and self._said.word(count[1]) in w.UNITS:
            return count[0], w.UNITS[self._said.word(count[1])], count[1] + 1
        return None

    def _away(self, base: datetime, steps: list[tuple[int, str]], after: int, *, back: bool = False) -> Read:
        when: datetime | None = base
        for count, unit in steps:
            when = when and s.shift(when, -count if back else count, unit)
        if when is None:
            return None
        fine = any(unit in {"second", "minute", "hour"} for _, unit in steps)
        return (s.instant(when) if fine else s.day(when),), after

    def _figures(self, at: int) -> Read:
        """A day in figures that everybody reads in the same way."""
        token = self._said.token(at)
        if token.kind not in {"iso", "dmy", "slash"}:
            return None
        first, second, *rest = (int(each) for each in re.findall(r"\d+", token.text))
        if token.kind == "iso":
            one = s.date(first, second, rest[0])
            return ((s.day(one),), at + 1) if one else None
        if first != second and max(first, second) <= MONTHS:
            return None
        month, day = (first, second) if first <= MONTHS else (second, first)
        if not rest:
            return self._checked(s.yearly(self._now, month, day), at + 1)
        one = s.date(_century(rest[0], self._now), month, day)
        return ((s.day(one),), at + 1) if one else None

    def _month_and_day(self, at: int) -> Read:
        """Such as "May 9", "9 May", "the second of August 1995"."""
        token = self._said.token(at)
        if self._said.word(at - 1) in {"$", "€", "£", "¥"}:
            return None
        if token.text in w.MONTHS:
            month, after = w.MONTHS[token.text], self._said.skip(at + 1, {".", "-", "/"})
            after = self._said.skip(after, {"the"})
            day = w.ordinal(self._said, after) or w.cardinal(self._said, after)
        else:
            day = w.ordinal(self._said, at) or w.cardinal(self._said, at)
            of = self._said.skip(self._said.skip(day[1], {"day", "-", "/"}), {"of"}) if day else at
            month, after = w.MONTHS.get(self._said.word(of), 0), of + 1
        if day is None or not month or not 0 < day[0] <= LONGEST_MONTH:
            return None
        end = day[1] if token.text in w.MONTHS else self._said.skip(after, {"."})
        year = w.year(self._said, self._said.skip(end, {",", "-", "/", "of"}))
        if year and self._said.word(year[1]) not in {"am", "pm", *w.UNITS}:
            one = s.date(year[0], month, day[0])
            return ((s.day(one),), year[1]) if one else None
        return self._checked(s.yearly(self._now, month, day[0]), end)

    def _weekday(self, at: int) -> Read:
        """Such as "Friday", "last Friday", "Friday the 26th", "next week Wednesday", "Tuesday of last week"."""
        word = self._said.word(at)
        which = self._which(at)
        after = at + bool(which)
        if which and self._said.word(after) == "week":
            named = self._said.word(self._said.skip(after + 1, {"on", ","}))
            weeks = {"this": 0, "next": 1, "last": -1}.get(which)
            if named not in w.WEEKDAYS or weeks is None:
                return None
            return s.of_week(self._now, w.WEEKDAYS[named], weeks), self._said.skip(after + 1, {"on", ","}) + 1
        if word == "this" and self._which(after) in {"coming", "past"}:
            which, after = self._which(after), after + 1
        name = self._said.word(after)
        if name not in w.WEEKDAYS:
            return None
        weekday, after = w.WEEKDAYS[name], after + 1
        if not which:
            return self._plain_weekday(name, weekday, after)
        weeks = {"this": 0, "next": 1, "last": -1}.get(which)
        if weeks is not None:
            return self._agreed(s.of_week(self._now, weekday, weeks), weekday, after)
        past, *ahead = s.weekly(self._now, weekday)
        return (past,) if which == "past" else tuple(ahead), after

    def _plain_weekday(self, name: str, weekday: int, after: int) -> Read:
        of = self._said.skip(after, {"of", "in"})
        if (which := self._which(self._said.skip(of, {"the"}))) and self._said.word(
            self._said.skip(of, {"the"}) + 1
        ) == "week":
            weeks = {"this": 0, "next": 1, "last": -1}.get(which)
            if weeks is not None:
                return s.of_week(self._now, weekday, weeks), self._said.skip(of, {"the"}) + 2
        follow = self._said.skip(self._said.skip(after, {",", "."}), {"the"})
        if dated := self._month_and_day(follow) or self._figures(follow):
            return dated
        if (number := w.ordinal(self._said, follow)) and 0 < number[0] <= LONGEST_MONTH:
            return self._checked(s.in_this_month(self._now, s.monthly(self._now, number[0], weekday)), number[1])
        plain = self._said.token(follow)
        if (
            plain.kind == "number"
            and MONTHS < int(plain.text) <= LONGEST_MONTH
            and self._said.word(follow + 1) not in w.UNITS
        ):
            return self._checked(s.monthly(self._now, int(plain.text), weekday), follow + 1)
        return None if name in w.SHY else (s.weekly(self._now, weekday), after)

    def _agreed(self, spans: tuple[s.TimeSpan, ...], weekday: int, after: int) -> Read:
        """The date in figures behind it counts, if it is such a weekday: "this Friday (June 15)"."""
        follow = self._said.skip(after, {"("})
        read = self._month_and_day(follow)
        if read is None:
            return spans, after
        return tuple(span for span in read[0] if span.start.weekday() == weekday), self._said.skip(read[1], {")"})

    def _named(self, at: int) -> Read:
        """Such as "today", "tomorrow", "the day before yesterday", "now", "the end of the day"."""
        words = [self._said.word(at + step) for step in range(5)]
        begin = words.index("day") if "day" in words[:2] and words[0] in {"the", "day"} else -1
        if begin >= 0 and words[begin + 1] == "after" and words[begin + 2] == "tomorrow":
            return self._from_today(2, at + begin + 3)
        if begin >= 0 and words[begin + 1] == "before" and words[begin + 2] == "yesterday":
            return self._from_today(-2, at + begin + 3)
        if words[0] == "end" and words[1] == "of" and "day" in words[2:4]:
            return (s.instant(s.day(self._now).end - s.EXACT["second"]),), at + words.index("day") + 1
        if words[0] == "eod":
            return (s.instant(s.day(self._now).end - s.EXACT["second"]),), at + 1
        if words[0] == "now" or (words[0] == "right" and words[1] == "now"):
            return (s.instant(self._now),), at + (1 if words[0] == "now" else 2)
        days = {"today": 0, "tomorrow": 1, "yesterday": -1, "tmr": 1, "tmrw": 1}.get(words[0])
        if words[0] == "last" and words[1] == "night":
            return s.part_of_day((s.day(self._now - s.DAY),), w.PARTS["night"]), at + 2
        return None if days is None else self._from_today(days, at + 1)

    def _from_today(self, days: int, after: int) -> Read:
        figures = self._said.skip(after, {","})
        if after < figures and (exact := self._figures(figures)):
            return exact
        return (s.day(self._now + days * s.DAY),), after

    def _numbered(self, at: int) -> Read:
        """Such as "the 18th", "the 15th day of next month"."""
        begin = self._said.skip(at, {"the"})
        number = w.ordinal(self._said, begin)
        if number is None or not 0 < number[0] <= LONGEST_MONTH:
            return None
        day, after = number
        of = self._said.skip(self._said.skip(after, {"day"}), {"of"})
        which = self._which(self._said.skip(of, {"the"}))
        if which in {"this", "next", "last"} and self._said.word(self._said.skip(of, {"the"}) + 1) == "month":
            month = s.whole("month", self._now, {"this": 0, "next": 1, "last": -1}[which])
            one = month and s.date(month.start.year, month.start.month, day)
            return (s.day(one),) if one else (), self._said.skip(of, {"the"}) + 2
        alone = begin > at and self._said[begin].kind == "ordinal"
        return self._checked(s.monthly(self._now, day), after) if alone else None

    def _period(self, at: int) -> Read:
        """Such as "last week", "next month", "this weekend", "in May", "last May", "May 2023", "in 2019"."""
        which = self._which(at)
        name = self._said.word(at + bool(which))
        count = {"this": 0, "next": 1, "last": -1, "past": -1, "coming": 1}.get(which)
        if count is not None and name in {"week", "month", "year", "weekend"}:
            span = s.whole("week" if name == "weekend" else name, self._now, count)
            if span and name == "weekend":
                span = s.TimeSpan(start=span.start + 5 * s.DAY, end=span.end)
            return ((span,), at + 2) if span else None
        begin = at + (self._said.word(at) in {"in", "during", "since"})
        month = w.MONTHS.get(name if which else self._said.word(begin), 0)
        if (
            month
            and self._said.token((at + 1 if which else begin) + 1).kind in {"ordinal", "number"}
            and not w.year(self._said, (at + 1 if which else begin) + 1)
        ):
            return None
        after = (at + 1 if which else begin) + 1
        year = w.year(self._said, self._said.skip(after if month else begin, {",", "of"}))
        if month and year and not which:
            span = s.month(year[0], month)
            return ((span,), year[1]) if span else None
        if month and (which or begin > at or self._said.word(begin) not in w.SHY):
            past, ahead = s.months(self._now, month)
            return {"last": (past,), "past": (past,), "this": (ahead,), "next": (ahead,)}.get(
                which, (past, ahead)
            ), after
        if begin > at and year and self._said[begin].kind == "number":
            span = s.whole("year", s.date(year[0], 1, 1) or self._now)
            return ((span,), year[1]) if span else None
        return None

    def _holiday(self, at: int) -> Read:
        years = {"this": 0, "next": 1, "last": -1}
        for words, (month, day) in w.HOLIDAYS.items():
            if all(self._said.word(at + step) == word for step, word in enumerate(words)):
                after = at + len(words)
                if year := w.year(self._said, self._said.skip(after, {",", "of", "in"})):
                    one = s.date(year[0], month, day)
                    return ((s.day(one),), year[1]) if one else None
                if (which := self._which(after + 1)) in years and self._said.word(after + 2) == "year":
                    one = s.date(self._now.year + years[which], month, day)
                    return ((s.day(one),), after + 3) if one else None
                return s.yearly(self._now, month, day), after
        return None

    def _which(self, at: int) -> str:
        """This one, the next, the last; "" if no such word stands there."""
        word = self._said.word(at)
        kinds = {"this": w.THIS, "next": w.NEXT, "last": w.LAST, "coming": w.COMING, "past": w.BYGONE}
        return next((kind for kind, words in kinds.items() if word in words), "")

    @staticmethod
    def _checked(spans: tuple[s.TimeSpan, ...], after: int) -> Read:
        return (spans, after) if spans else None


def _century(year: int, now: datetime) -> int:
    """A year of two figures: the latest one that is at most ten years ahead."""
    if year >= CENTURY:
        return year
    ahead = now.year + 10
    return ahead - (ahead - year) % CENTURY
