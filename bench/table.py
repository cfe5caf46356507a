"""How the outcomes are shown: a table for people, one JSON object for programs."""

from collections.abc import Iterable, Sequence

import msgspec

from bench.measure import Outcome

_PEERS = {"nanobot-ai": "nanobot", "openai-agents": "openai", "sqlite": "sqlite"}
_HEADER = ("row", "ours", "floor", "ratio", *_PEERS.values(), "goal", "met")


def as_json(outcomes: Iterable[Outcome]) -> str:
    """One object, one line."""
    return msgspec.json.encode({"rows": list(outcomes)}).decode()


def as_table(outcomes: Sequence[Outcome]) -> str:
    """Figures and goals, other figures, and what is missing and why."""
    rows = [_figures(outcome) for outcome in outcomes]
    parts = [_aligned([_HEADER, *rows])]
    beside = [
        f"{outcome.name}: {name} {_number(figure)} {outcome.unit}"
        for outcome in outcomes
        for name, figure in outcome.beside.items()
    ]
    if beside:
        parts += ["", "Beside:", "", *beside]
    if notes := _notes(outcomes):
        parts += ["", "Missing:", "", *notes]
    return "\n".join(parts)


def _notes(outcomes: Sequence[Outcome]) -> list[str]:
    """Each reason once, with the rows it holds for."""
    rows: dict[str, list[str]] = {}
    for outcome in outcomes:
        for who, note in outcome.notes.items():
            rows.setdefault(f"{who}: {note}", []).append(outcome.name)
    return [f"{reason} ({', '.join(names)})" for reason, names in rows.items()]


def _figures(outcome: Outcome) -> tuple[str, ...]:
    peers = [_number(outcome.peers.get(name)) for name in _PEERS]
    ours = "–" if outcome.ours is None else f"{_number(outcome.ours)} {outcome.unit}"
    ratio = "–" if outcome.ratio is None else f"{outcome.ratio:.2f}x"
    return (outcome.name, ours, _number(outcome.floor), ratio, *peers, outcome.goal, _met(outcome))


def _met(outcome: Outcome) -> str:
    if outcome.met is None:
        return "not judged" if "goal" in outcome.notes else "–"
    return "yes" if outcome.met else "NO"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3f}"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Names and words to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    words = {0, len(_HEADER) - 2, len(_HEADER) - 1}
    lines = (
        "  ".join(
            cell.ljust(width) if place in words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
    return "\n".join(lines)
