"""What one is shown on coming back."""

from datetime import timedelta
from pathlib import Path

import pytest
from wcwidth import wcswidth

from holdfast import ManualClock, Store, open_store, open_volatile
from holdfast.clock import at_time
from holdfast.hosts.terminal.chat.recap import CONTINUE, open_ends, shown_on_return
from holdfast.hosts.terminal.draw.activity import Look
from holdfast.hosts.terminal.draw.theme import NONE
from holdfast.ids import CallId, Position
from holdfast.records.entries import (
    Described,
    Entry,
    ModelReplied,
    Rewound,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    UserSaid,
)
from holdfast.records.parts import Text, ToolCall
from tests.agent.troupe import opened, scripted, setup

ONE = CallId("1")


def _you(text: str) -> UserSaid:
    return UserSaid(parts=(Text(text=text),))


def _model(text: str) -> ModelReplied:
    return ModelReplied(parts=(Text(text=text),))


EARLIER: tuple[Entry, ...] = (_you("hello"), _model("Hello."), TurnEnded())


async def _shown(
    store: Store, clock: ManualClock, *, width: int = 60, rows: int = 16, folder: Path | None = None
) -> list[str]:
    now = at_time(clock.now_ns()) + timedelta(hours=3)
    async with await opened(store, setup(scripted())) as conversation:
        look = Look(theme=NONE, width=width)
        lines = await shown_on_return(conversation, look, now, folder=folder, rows=rows)
        return [*lines, *await open_ends(conversation, look)]


async def _after(*entries: Entry, width: int = 60, rows: int = 16) -> list[str]:
    clock = ManualClock()
    store = open_volatile(clock=clock)
    async with store.session("talk") as session:
        await session.append(*entries)
    return await _shown(store, clock, width=width, rows=rows)


async def test_the_last_exchange_is_shown() -> None:
    """
    Who comes back sees which conversation it is, from when, and what was said last.
    """
    lines = await _after(
        Described(title="Greetings"),
        *EARLIER,
        _you("read a"),
        ModelReplied(parts=(ToolCall(id=ONE, name="read_file", arguments='{"path": "a"}'),), stop="called"),
        ToolStarted(call=ONE, name="read_file"),
        ToolFinished(call=ONE, name="read_file", milliseconds=200),
        _model("It says **b**."),
        TurnEnded(),
    )

    assert [
        "Continuing “Greetings” from 3 h ago. --new begins another.",
        "",
        "\u203a read a",
        "",
        "✓ read a  0.2 s",
        "",
        "It says b.",
    ] == lines


async def test_a_new_conversation_shows_nothing() -> None:
    """
    Where nothing was said there is nothing to come back to.
    """
    assert [] == await _after()


async def test_a_session_without_a_title_is_called_by_its_key() -> None:
    """
    Every session has a name to be spoken of by.
    """
    assert "Continuing “talk” from 3 h ago. --new begins another." == (await _after(*EARLIER))[0]


async def test_a_broken_turn_says_how_to_go_on() -> None:
    """
    A turn that was broken off is told, with the key that goes on with it.
    """
    lines = await _after(
        *EARLIER, _you("and now?"), ModelReplied(parts=(Text(text="Well"),), stop="interrupted"), width=200
    )

    assert "\u203a and now?" in lines
    assert ["Well", "The reply broke off here."] == lines[4:6]
    assert [
        "The last turn was broken off in step 1, within a reply; what was shown of it is kept.",
        CONTINUE,
    ] == lines[-2:]


async def test_messages_that_wait_are_shown() -> None:
    """
    What was said while the turn ran, and was not heard any more, is shown as waiting, not as said.
    """
    waiting = UserSaid(parts=(Text(text="then the other one"),), enters="after")
    lines = await _after(_you("go"), waiting, width=200)

    assert "\u203a go" in lines
    assert [
        "The last turn was broken off before the model answered. 1 more message waits.",
        "waiting: then the other one",
        CONTINUE,
    ] == lines[-3:]


async def test_what_was_rewound_is_not_shown() -> None:
    """
    The last exchange is that of the branch one is on.
    """
    lines = await _after(*EARLIER, _you("a mistake"), _model("Indeed."), TurnEnded(), Rewound(to=Position(3)))

    assert "\u203a hello" in lines
    assert "\u203a a mistake" not in lines


@pytest.mark.parametrize("width", [80, 40])
async def test_a_long_exchange_is_bounded(width: int) -> None:
    """
    However long the last answer is, one screen holds what is shown of it: its beginning and its end.
    """
    lines = await _after(_you("count"), _model("\n".join(f"- {n}" for n in range(500))), TurnEnded(), width=width)

    assert ["\u203a count", "", "• 0", "• 1", "  … 487 lines more; /history shows all"] == lines[-16:-11]
    assert "• 499" == lines[-1]
    assert [] == [line for line in lines if wcswidth(line) > width]


async def test_bytes_that_were_set_aside_are_told(tmp_path: Path) -> None:
    """
    A damaged end of the log is said aloud, with where its bytes are kept.
    """
    clock = ManualClock()
    async with open_store(tmp_path, durability="os", clock=clock) as store, store.session("talk") as session:
        await session.append(*EARLIER)
    (log,) = [each for each in tmp_path.rglob("*.jsonl") if each.stat().st_size]
    with log.open("ab") as file:
        file.write(b'{"v":1,"pos":5,"at":"torn')
    async with open_store(tmp_path, durability="os", clock=clock) as store:
        lines = await _shown(store, clock, width=400, folder=store.about("talk").folder)

    (told,) = [line for line in lines if "set aside" in line]
    assert told.startswith(
        "25 bytes at the end of the log were damaged and set aside; no entry is missing. They are kept"
    )
    assert 25 == Path(told.rpartition(" in ")[2].removesuffix(".")).stat().st_size
