"""The figures as a table for people."""

from collections.abc import Sequence

from bench.recall.judge import DEPTHS, Result


def table(results: Sequence[Result]) -> str:
    """One line for each kind of question and way to search."""
    head = ["by", "questions", "n", *(f"R@{depth}" for depth in DEPTHS), "MRR"]
    rows = [head]
    for each in results:
        for kind, figures in each.figures.items():
            numbers = [f"{figure:.1f}" for figure in (*figures.recall, figures.mrr)]
            rows.append([each.by, kind, str(figures.questions), *numbers])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    costs = [
        f"{each.by}: CPU of a question {each.cpu_ms[0]:.1f} ms, p95 {each.cpu_ms[1]:.1f} ms"
        for each in results
        if each.cpu_ms[1]
    ]
    return "\n".join([*lines, "", *costs])
