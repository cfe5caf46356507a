"""The input and what stands around it: the unfinished above, the menu, the search and the status below."""

from collections.abc import Callable
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.layout import BufferControl, HSplit, Layout, UIContent, UIControl, VerticalAlign, Window
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import SearchToolbar

from holdfast.hosts.terminal.draw.activity import PROMPT
from holdfast.records.printable import printable

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
        return Transformation([(each[0], printable(each[1])) for each in transformation_input.fragments])


class _Drawn(UIControl):
    """Lines that are drawn already, each read once for as long as it stands there."""

    def __init__(self, lines: Callable[[], list[str]]) -> None:
        self._lines = lines

    def preferred_height(self, width: int, max_available_height: int, *_: object) -> int:
        del width
        return min(len(self._lines()), max_available_height)

    def create_content(self, width: int, height: int) -> UIContent:
        del width, height
        lines = [_fragments(line) for line in self._lines()]
        return UIContent(get_line=lines.__getitem__, line_count=len(lines), show_cursor=False)


@lru_cache(maxsize=256)
def _fragments(line: str) -> StyleAndTextTuples:
    """A line with colours in it, in as few pieces as it has colours."""
    read = to_formatted_text(ANSI(line))
    return [(style, "".join(each[1] for each in group)) for style, group in groupby(read, key=itemgetter(0))]


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
    above = Window(_Drawn(lambda: around.live(_columns(), _rows())), dont_extend_height=True)
    below = Window(_Drawn(lambda: [around.status(_columns())]), dont_extend_height=True, style="class:status")
    menu = CompletionsMenu(max_height=MENU, scroll_offset=1, extra_filter=Condition(lambda: not get_app().is_done))
    return Layout(HSplit([above, typed, menu, search, below], align=VerticalAlign.TOP), focused_element=typed)


def _mark(number: int, wrapped: int) -> StyleAndTextTuples:
    return [("class:mark", PROMPT)] if number == 0 and wrapped == 0 else [("", MORE)]


def _columns() -> int:
    return get_app().output.get_size().columns


def _rows() -> int:
    return get_app().output.get_size().rows
