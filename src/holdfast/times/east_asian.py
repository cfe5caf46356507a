"""Chinese and Japanese words about time, which share most of their characters.

A time is a day, a part of the day and a time of day, in this order. The patterns stand in the order in which they are
tried; figures may be Arabic or Chinese.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from holdfast.times import spans as s
from holdfast.times.spans import LONGEST_MONTH, MONTHS

if TYPE_CHECKING:
    from collections.abc import Callable

Days: TypeAlias = tuple[s.TimeSpan, ...]

_DIGITS = {sign: number for number, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_N = "[0-9〇零一二三四五六七八九十两兩]"
_WEEKDAY = {
    sign: number
    for number, signs in enumerate(("月一", "火二", "水三", "木四", "金五", "土六", "日天七"))
    for sign in signs
}

_DAYS = {
    name: count
    for count, names in {
        -3: "大前天 一昨々日",
        -2: "前天 一昨日 おととい",
        -1: "昨天 昨日 きのう 昨晚 昨夜",
        0: "今天 今日 本日 きょう 今晚 今夜 今晨 今朝 今早 今晩",
        1: "明天 明日 あした 明晚 明早 明朝 翌日",
        2: "后天 後天 明後日 あさって",
        3: "大后天 大後天 明々後日 しあさって",
    }.items()
    for name in names.split()
}
_AROUND = {
    name: count
    for count, names in {
        -2: "上上 先々 一昨",
        -1: "上 先 去 昨",
        0: "这 這 本 今",
        1: "下 来 來 明 次の 次",
        2: "下下 再来",
    }.items()
    for name in names.split()
}
_UNITS = {
    "秒": "second",
    "秒钟": "second",
    "秒鐘": "second",
    "秒間": "second",
    "分": "minute",
    "分钟": "minute",
    "分鐘": "minute",
    "分間": "minute",
    "小时": "hour",
    "小時": "hour",
    "个小时": "hour",
    "個小時": "hour",
    "時間": "hour",
    "天": "day",
    "日": "day",
    "日間": "day",
    "周": "week",
    "週": "week",
    "週間": "week",
    "个星期": "week",
    "個星期": "week",
    "星期": "week",
    "个月": "month",
    "個月": "month",
    "か月": "month",
    "ヶ月": "month",
    "ヵ月": "month",
    "カ月": "month",
    "年": "year",
    "年間": "year",
}
_PARTS = {
    name: hours
    for hours, names in {
        (0, 12): "早上 上午 凌晨 清晨 早晨 午前 朝 今晨 今朝 今早 明早 明朝",
        (12, 12): "中午 正午",
        (12, 18): "下午 午後 傍晚 夕方 昼",
        (18, 24): "晚上 晚 夜 夜晚 晩 今晚 今夜 明晚 昨晚 昨夜 今晩",
    }.items()
    for name in names.split()
}


def _any(names: object) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))  # type: ignore[call-overload]


_MOVED = re.compile(
    rf"(?:(今から|今日から|昨日の|明日から)の?)?({_N}+|半)({_any(_UNITS)})(?:之前|以前|之后|之後|以后|以後|前|后|後)"
)
_DATE = re.compile(rf"(?:({_N}{{4}})年)?({_N}{{1,3}})月({_N}{{1,3}})[日号號](?!間)の?")
_BEHIND = re.compile(rf"\(({_N}{{1,3}})月({_N}{{1,3}})[日号號]\)")
_ISO = re.compile(r"(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_WEEK = re.compile(
    rf"(?:({_any(_AROUND)})(?:个|個)?(?:(?:周|週)の)?)?(?:(?:周|週|星期|礼拜|禮拜)([一二三四五六日天])|([月火水木金土日])曜日?)"
)
_NAMED = re.compile(rf"(?:{_any(_DAYS)})(?!中(?!午))")
_FEASTS = {
    "元旦": (1, 1),
    "元日": (1, 1),
    "大晦日": (12, 31),
    "圣诞节": (12, 25),
    "聖誕節": (12, 25),
    "クリスマス": (12, 25),
}
_FEAST = re.compile(_any(_FEASTS))
_OF_MONTH = re.compile(rf"(?:({_any(_AROUND)})(?:个|個)?月の?)({_N}{{1,3}})[日号號]?(?!間)")
_NUMBER = re.compile(
    rf"(?<![月年の第\d])(\d{{1,2}}|{_N}{{2,3}})[日号號](?![間前后後曜]|の終)(?:の?([月火水木金土日])曜日?)?"
)
_PERIOD = re.compile(rf"({_any(_AROUND)})(?:个|個)?(周|週|星期|月|年)(?!の?[{''.join(_WEEKDAY)}0-9]|間|の\w{{1,6}}日)")
_MONTH = re.compile(rf"(?:({_N}{{4}})年|([去今明来昨])年の?)?({_N}{{1,3}})月(?![{_N[1:-1]}初間])(?:份|に|の)?")
_YEAR = re.compile(rf"(?<!\d)((?:19|20)\d\d)年(?!\d|間|[前后後]|{_N}+月)")
_PART = re.compile(rf"の?({_any(_PARTS)})")
_CLOCK = re.compile(
    rf"の?({_N}{{1,3}})(?:[点點時时](?:({_N}{{1,3}})(?:分|(?![秒{_N[1:-1]}]))|(半))?|[::]([0-5]\d))(?!間)(?:({_N}{{1,3}})秒)?"
)
_SAME_WEEKDAY = re.compile(r"[,、(]?(?:(?:星期|礼拜|禮拜|周|週)[一二三四五六日天]|[月火水木金土日]曜日?)\)?")


def number(said: str) -> int | None:
    """A number in Arabic or Chinese figures: 29, 二十九, 二〇一五."""
    if said.isdecimal() or not said:
        return int(said) if said else None
    if "十" not in said:
        return int("".join(str(_DIGITS[sign]) if sign in _DIGITS else sign for sign in said))
    tens, _, ones = said.partition("十")
    if not {tens, ones} <= {"", *_DIGITS}:
        return None
    return 10 * _DIGITS.get(tens, 1) + _DIGITS.get(ones, 0)


class EastAsian:
    """Reads the times of one text, as seen at one moment."""

    def __init__(self, text: str, now: datetime) -> None:
        """Fold the width of figures and marks; the text keeps its length."""
        self._text = "".join(
            folded if len(folded := unicodedata.normalize("NFKC", sign)) == 1 else sign for sign in text
        )
        self._now = now
        self._at = 0
        self._readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Days | None]], ...] = (
            (_MOVED, self._moved),
            (_ISO, self._date),
            (_DATE, self._date),
            (_OF_MONTH, self._of_month),
            (_WEEK, self._week),
            (_NAMED, self._named),
            (_PERIOD, self._period),
            (_NUMBER, self._number),
            (_FEAST, self._feast),
            (_MONTH, self._month),
            (_YEAR, self._year),
        )

    def find(self) -> list[s.Found]:
        """Every time that the text names, in order."""
        found, at = [], 0
        while at < len(self._text):
            read = None if _within_number(self._text, at) else self._when(at)
            if read is None:
                at += 1
                continue
            days, after = read
            if days:
                found.append(s.Found(at=at, to=after, readings=tuple(sorted(set(days)))))
            at = after
        return found

    def _when(self, at: int) -> tuple[Days, int] | None:
        for pattern, read in self._readers:
            if match := pattern.match(self._text, at):
                days = read(match)
                if days is not None:
                    return self._with_hour(days, match)
        return None

    def _with_hour(self, days: Days, match: re.Match[str]) -> tuple[Days, int]:
        at = match.end()
        if any(span.end - span.start != s.DAY for span in days):
            return days, at
        if match.re in {_DATE, _ISO} and (weekday := _SAME_WEEKDAY.match(self._text, at)):
            at = weekday.end()
        if match.re is _WEEK and (dated := _BEHIND.match(self._text, at)):
            spans = self._date_of(None, dated.group(1), dated.group(2))
            number_ = days[0].start.weekday()
            days, at = tuple(span for span in spans or () if span.start.weekday() == number_), dated.end()
        hours = _PARTS.get(match.group())
        if part := _PART.match(self._text, at):
            hours, at = _PARTS[part.group(1)], part.end()
        clock = _CLOCK.match(self._text, self._glue(at))
        read = _clock(clock) if clock else None
        if clock and read:
            hour = s.in_part(read, hours) if hours else read
            return s.at_clock(days, hour) if hour else (), clock.end()
        return (s.part_of_day(days, hours) if hours else days), at

    def _glue(self, at: int) -> int:
        return at + 1 if self._text[at : at + 1] in {"の", " "} else at

    def _moved(self, match: re.Match[str]) -> Days | None:
        base, count, unit = match.groups()
        back = match.group().endswith("前")
        moved = 30 if count == "半" else number(count)
        if moved is None or (count == "半" and _UNITS[unit] != "hour"):
            return None
        kind = "minute" if count == "半" else _UNITS[unit]
        start = self._now + {"昨日の": -1, "明日から": 1}.get(base or "", 0) * s.DAY
        when = s.shift(start, -moved if back else moved, kind)
        if when is None:
            return None
        return (s.instant(when),) if kind in {"second", "minute", "hour"} else (s.day(when),)

    def _date(self, match: re.Match[str]) -> Days | None:
        return self._date_of(*match.groups())

    def _date_of(self, year_: str | None, month_: str, day_: str) -> Days | None:
        year, month, day = number(year_ or ""), number(month_), number(day_)
        if not month or not day:
            return None
        if year is None:
            return s.yearly(self._now, month, day) if month <= MONTHS and day <= LONGEST_MONTH else None
        one = s.date(year, month, day)
        return (s.day(one),) if one else ()

    def _week(self, match: re.Match[str]) -> Days | None:
        around, chinese, japanese = match.groups()
        weekday = _WEEKDAY[chinese or japanese]
        return s.of_week(self._now, weekday, _AROUND[around]) if around else s.weekly(self._now, weekday)

    def _named(self, match: re.Match[str]) -> Days | None:
        return (s.day(self._now + _DAYS[match.group()] * s.DAY),)

    def _of_month(self, match: re.Match[str]) -> Days | None:
        month = s.whole("month", self._now, _AROUND[match.group(1)])
        day = number(match.group(2))
        one = s.date(month.start.year, month.start.month, day) if month and day else None
        return (s.day(one),) if one else None

    def _number(self, match: re.Match[str]) -> Days | None:
        day, weekday = number(match.group(1)), match.group(2)
        if not day or day > LONGEST_MONTH:
            return None
        if weekday:
            return s.in_this_month(self._now, s.monthly(self._now, day, _WEEKDAY[weekday]))
        return s.monthly(self._now, day)

    def _feast(self, match: re.Match[str]) -> Days | None:
        return s.yearly(self._now, *_FEASTS[match.group()])

    def _period(self, match: re.Match[str]) -> Days | None:
        unit = {"月": "month", "年": "year"}.get(match.group(2), "week")
        span = s.whole(unit, self._now, _AROUND[match.group(1)])
        return (span,) if span else None

    def _month(self, match: re.Match[str]) -> Days | None:
        year, relative, month = match.groups()
        count = number(month)
        if not count or count > MONTHS:
            return None
        named = (
            number(year)
            if year
            else self._now.year + {"去": -1, "昨": -1, "今": 0, "明": 1, "来": 1}[relative]
            if relative
            else None
        )
        if named is not None:
            span = s.month(named, count)
            return (span,) if span else None
        return s.months(self._now, count)

    def _year(self, match: re.Match[str]) -> Days | None:
        one = s.date(int(match.group(1)), 1, 1)
        span = one and s.whole("year", one)
        return (span,) if span else None


def _within_number(text: str, at: int) -> bool:
    """Whether a number goes on here: 三月 is no month in 十三月."""
    return at > 0 and all(re.match(_N, sign) for sign in text[at - 1 : at + 1])


def _clock(match: re.Match[str]) -> s.ClockTime | None:
    hour, minute, half, figures, second = match.groups()
    numbers = [number(each) for each in (hour, "30" if half else figures or minute or "0", second or "0")]
    known = [each for each in numbers if each is not None]
    return s.clock(*known) if len(known) == len(numbers) else None
