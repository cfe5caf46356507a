"""Differences: what is shown is what changes, in small texts and in large ones."""

import re
import time

from hypothesis import given
from hypothesis import strategies as st

from holdfast.tools.files.diffs import diff

LINES = st.lists(st.sampled_from(["a\n", "b\n", "\n", "@@ -1 +1 @@\n", "--- a\n", "c\r\n"]), max_size=30)
TEXT = st.tuples(LINES, st.sampled_from(["", "end"])).map(lambda each: "".join(each[0]) + each[1])


def applied(before: str, change: str) -> str:
    """A text with a unified difference made to it, checking what the difference says was there."""
    old, new, at = before.splitlines(keepends=True), "", 0
    for line in re.split(r"(?<=\n)(?=[-+ @])", change.partition("\n+++ ")[2].partition("\n")[2]):
        body = line[1:].removesuffix("\n\\ No newline at end of file\n") if "\n\\ No" in line else line[1:]
        if found := re.match(r"@@ -(\d+)(,0)?", line):
            start = int(found[1]) - (0 if found[2] or found[1] == "0" else 1)
            new, at = new + "".join(old[at:start]), start
        elif line[:1] == "+":
            new += body
        elif line:
            assert old[at] == body
            new, at = new + (body if line[0] == " " else ""), at + 1
    return new + "".join(old[at:])


@given(TEXT, TEXT)
def test_a_difference_is_what_changes(before: str, after: str) -> None:
    """
    Whoever makes the difference to the old text has the new one.
    """
    change = diff(before, after, "a")

    assert ("" == change) == (before == after)
    assert after == (applied(before, change) if change else before)


def test_a_change_of_everything_is_shown_soon() -> None:
    """
    Two large texts with nothing in common do not keep a person waiting for the question.
    """
    before, after = "".join(f"{n}\n" for n in range(50_000)), "".join(f"{n} new\n" for n in range(50_000))

    began = time.thread_time()
    change = diff(f"same\n{before}end\n", f"same\n{after}end\n", "a")

    assert time.thread_time() - began < 5
    assert f"same\n{after}end\n" == applied(f"same\n{before}end\n", change)


def test_a_new_file() -> None:
    """
    A file that was not there is shown as coming from nowhere; an empty one changes nothing.
    """
    assert "--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+one\n+two\n" == diff(None, "one\ntwo\n", "a")
    assert "" == diff(None, "", "a")
