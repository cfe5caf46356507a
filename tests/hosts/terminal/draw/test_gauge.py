"""The status line."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from wcwidth import wcswidth

from holdfast.hosts.terminal.draw.gauge import Safe, Status, status_line
from holdfast.hosts.terminal.draw.numbers import lasted, money, short_count
from holdfast.hosts.terminal.draw.theme import DARK, NONE

UNSAFE: tuple[Safe, ...] = ("written", "unkept")
_ALL = Status(
    model="anthropic:claude-sonnet-4-5",
    session="Rivers of Europe",
    used=12_000,
    room=200_000,
    tokens=48_300,
    cost_micros=123_400,
    queued=1,
    seconds=65.0,
    keys="Esc stops",
)


def test_a_wide_terminal_has_all_of_it() -> None:
    """
    With room enough, everything is said.
    """
    expected = (
        "anthropic:claude-sonnet-4-5 · Rivers of Europe · █░░░░░░░░░ 12k/200k 6 % · 48k tokens · $0.12 · 1 queued · "
        "working 1 min 5 s · saved ✓ · Esc stops"
    )

    assert expected == status_line(_ALL, 200, NONE)


def test_the_least_important_goes_first() -> None:
    """
    At 80 and 40 columns pieces are shortened and left out, the least important first; none is cut in two.
    """
    assert "claude-sonnet-4-5 · 12k/200k 6 % · $0.12 · 1 queued · 1 min 5 s · ✓" == status_line(_ALL, 80, NONE)
    assert "claude-sonnet-4-5 · 6 % · 1 min 5 s · ✓" == status_line(_ALL, 40, NONE)


def test_the_permission_mode_is_said_unless_it_is_the_usual_one() -> None:
    """
    Whole where there is room, as one word where there is little.
    """
    planning = replace(_ALL, mode="plan")

    assert status_line(planning, 200, NONE).startswith("plan mode · anthropic")
    assert status_line(planning, 40, NONE).startswith("plan · ")
    assert status_line(replace(_ALL, mode="edits"), 200, NONE).startswith("accept edits · ")


def test_saving_is_said_until_it_is_done() -> None:
    """
    The mark for saved stands only where everything is committed.
    """
    assert "saving …" == status_line(Status(safe="saving"), 80, NONE)
    assert "saved ✓" == status_line(Status(), 80, NONE)
    assert "✓" == status_line(Status(), 3, NONE)
    assert ["written ✓", "not kept"] == [status_line(Status(safe=each), 80, NONE) for each in UNSAFE]
    status = Status(model="small", session="Rivers", used=1_500, room=100_000, seconds=2.0, safe="saving")
    assert "small · Rivers · 1.5k/100k 1 % · 2 s · saving …" == status_line(status, 56, NONE)


def test_a_full_window_warns() -> None:
    """
    The gauge changes its colour before the window is full.
    """

    def drawn(used: int) -> str:
        return status_line(Status(used=used, room=100), 80, DARK)

    assert DARK.painted("█████████░ 89/100 89 %", "warning") in drawn(89)
    assert DARK.painted("█████████░ 90/100 90 %", "error") in drawn(90)
    assert DARK.painted("██████████ 140/100 100 %", "error") in drawn(140)


@given(
    st.builds(
        Status,
        model=st.text(max_size=80),
        session=st.text(max_size=80),
        used=st.integers(0, 10**7),
        room=st.integers(0, 10**7),
        tokens=st.integers(0, 10**9),
        cost_micros=st.integers(0, 10**9),
        safe=st.sampled_from(get_args(Safe)),
        seconds=st.none() | st.floats(0, 10**6),
        queued=st.integers(0, 99),
    ),
    st.integers(10, 120),
)
def test_it_always_fits(status: Status, width: int) -> None:
    """
    Whatever is known, the line is one line and not wider than the terminal.
    """
    line = status_line(status, width, NONE)

    assert wcswidth(line) <= width
    assert not set(line) & set("\n\r\x1b\x9b\u202e")


def test_times_and_numbers_are_short() -> None:
    """
    Times, tokens and sums of money take few letters, and lose nothing that counts.
    """
    assert ["0.3 s", "9.9 s", "10 s", "59 s", "1 min 0 s", "1 h 1 min"] == [
        lasted(each) for each in (0.3, 9.94, 9.96, 59, 60, 3_660)
    ]
    assert ["0", "999", "1.0k", "9.9k", "10k", "200k", "1.0M", "12M"] == [
        short_count(each) for each in (0, 999, 1_000, 9_940, 9_960, 200_000, 999_600, 12_000_000)
    ]
    assert ["$0.0012", "$0.12", "$12.00"] == [money(each) for each in (1_200, 123_400, 12_000_000)]
