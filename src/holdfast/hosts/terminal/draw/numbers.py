"""Durations, counts and money in a few letters."""

_TENTHS, _MINUTE, _HOUR = 10, 60, 3600
_THOUSAND, _MILLION = 1_000, 1_000_000


def lasted(seconds: float) -> str:
    """How long something took: 0.3 s, 12 s, 2 min 5 s, 1 h 10 min."""
    if seconds < _TENTHS - 0.05:
        return f"{f'{seconds:.1f}'.removesuffix('.0')} s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def short_count(number: int) -> str:
    """A number in few letters: 812, 1.2k, 12k, 1.2M."""
    if number < _THOUSAND:
        return str(number)
    amount, unit = (number / _THOUSAND, "k") if number < _MILLION - _THOUSAND / 2 else (number / _MILLION, "M")
    return f"{amount:.1f}{unit}" if amount < _TENTHS - 0.05 else f"{amount:.0f}{unit}"


def money(micros: int) -> str:
    """Millionths of a dollar as dollars; small sums keep the digits that count."""
    dollars = micros / _MILLION
    return f"${dollars:.4f}" if dollars < 0.01 else f"${dollars:.2f}"  # noqa: PLR2004
