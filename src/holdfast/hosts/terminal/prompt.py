"""The input and what stands around it: the unfinished above, the menu, the search and the status below."""

from collections.abc import Callable
from typing import NamedTuple

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText, StyleAndTextTuples
from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, VerticalAlign, Window
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import SearchToolbar

from holdfast.hosts.terminal.activity import PROMPT
from holdfast.records.safe import safe

MORE = "  "
MENU = 8

STYLE = Style.from_dict(
    {
        "completion-menu": "noinherit",
        "completion-menu.completion.current": "reverse",
        "completion-menu.meta.completion": "dim",
        "completion-menu.meta.completion.current": "reverse",
        "scrollbar.background": "noinherit",
        "scrollbar.button": "noinherit",
        "mark": "bold",
        "search-toolbar": "dim",
    }
)


class Around(NamedTuple):
    """What is drawn around the input, as text with colours."""

    live: Callable[[int, int], list[str]]
    status: Callable[[int], str]


class _Visible(Processor):
    """Shows what was pasted as what it is: signs that turn the direction of reading too, each as one sign."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        return Transformation([(each[0], safe(each[1])) for each in transformation_input.fragments])


def make_layout(buffer: Buffer, around: Around) -> Layout:
    """Lay it out."""
    search = SearchToolbar()
    control = BufferControl(
        buffer=buffer, search_buffer_control=search.control, preview_search=True, input_processors=[_Visible()]
    )
    typed = Window(
        control,
        height=lambda: Dimension(min=1, max=max(1, _rows() // 2)),
        wrap_lines=True,
        dont_extend_height=True,
        get_line_prefix=_mark,
    )
    above = Window(
        FormattedTextControl(lambda: _text(around.live(_columns(), _rows()))),
        height=lambda: Dimension.exact(len(around.live(_columns(), _rows()))),
        dont_extend_height=True,
    )
    below = Window(
        FormattedTextControl(lambda: _text([around.status(_columns())])),
        height=1,
        dont_extend_height=True,
        style="class:status",
    )
    menu = CompletionsMenu(max_height=MENU, scroll_offset=1, extra_filter=Condition(lambda: not get_app().is_done))
    return Layout(HSplit([above, typed, menu, search, below], align=VerticalAlign.TOP), focused_element=typed)


def _mark(number: int, wrapped: int) -> StyleAndTextTuples:
    return [("class:mark", PROMPT)] if number == 0 and wrapped == 0 else [("", MORE)]


def _text(lines: list[str]) -> AnyFormattedText:
    return ANSI("\n".join(lines))


def _columns() -> int:
    return get_app().output.get_size().columns


def _rows() -> int:
    return get_app().output.get_size().rows
