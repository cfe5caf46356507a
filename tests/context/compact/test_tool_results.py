"""Old tool results are shown short, the oldest first, the newest never."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast import Position, ToolFinished
from holdfast.context.compact.compaction_settings import CompactionSettings
from holdfast.context.compact.tool_results import shortening
from holdfast.context.timeline import Timeline
from holdfast.context.units import Composer
from holdfast.records.entries import Entry, Shortened
from tests.context.compact.talk import STORY, cost, replied, said, used
from tests.session.talk import records_of

ALL = 10**9


def timeline_of(*entries: Entry) -> Timeline:
    """A conversation."""
    timeline = Timeline(Composer(cost))
    for record in records_of(*entries):
        timeline.add(record)
    return timeline


def read(*lengths: int) -> list[Entry]:
    """A turn in which files are read; results stand at 2, 4, 6 and so on."""
    return [said("Read"), *(entry for long in lengths for entry in used("a.py", STORY * long)), replied("Done.")]


def shorten(
    timeline: Timeline, excess: int = ALL, *, protected: int = 0, pins: tuple[int, ...] = ()
) -> tuple[int, ...]:
    """The entries that would be shortened."""
    found = shortening(timeline, excess, CompactionSettings(protected=protected), [Position(pin) for pin in pins])
    return found.entry.entries if found else ()


def test_the_oldest_results_are_shortened_first_and_no_more_than_it_takes() -> None:
    """
    Each changed result costs some of what the model knows.
    """
    timeline = timeline_of(*read(20, 20, 20))

    assert (2, 4, 6) == shorten(timeline)
    assert (2,) == shorten(timeline, 1)
    assert (2, 4) == shorten(timeline, 200)
    assert () == shorten(timeline, 0)


def test_the_newest_results_are_protected() -> None:
    """
    A result with fewer tokens after it than the setting says stays whole.
    """
    timeline = timeline_of(*read(20, 20, 20))
    newest = sum(unit.tokens for unit in timeline.units()[-2:])

    assert (2, 4) == shorten(timeline, protected=newest)
    assert (2,) == shorten(timeline, protected=newest + 1)
    assert () == shorten(timeline, protected=40_000)


def test_what_gains_nothing_or_is_pinned_is_left_alone() -> None:
    """
    A short result is not made longer by a note, a pinned one stays, and none is cut to the same length twice.
    """
    timeline = timeline_of(*read(1, 20, 20), Shortened(entries=(Position(4),), keep=400))
    longer = timeline_of(*read(20), Shortened(entries=(Position(2),), keep=800))

    assert (6,) == shorten(timeline)
    assert () == shorten(timeline, pins=(6,))
    assert (2,) == shorten(longer)


def test_what_takes_few_tokens_is_not_cut() -> None:
    """
    Many spaces are many characters and hardly a token.
    """
    spaces = [entry for entry in read(1) if not isinstance(entry, ToolFinished)]

    assert () == shorten(timeline_of(*spaces, *used("a", "-" * 512)))


@given(st.lists(st.integers(0, 40), max_size=8), st.integers(0, 3000), st.integers(0, 2000))
def test_it_frees_what_it_says(lengths: list[int], excess: int, protected: int) -> None:
    """
    What the fact frees, once it is in the log, is what was promised.
    """
    entries = read(*lengths)
    timeline = timeline_of(*entries)
    found = shortening(timeline, excess, CompactionSettings(protected=protected))

    if found is not None:
        after = timeline_of(*entries, found.entry)
        assert timeline.size().tokens - found.freed == after.size().tokens
        assert found.freed > 0
