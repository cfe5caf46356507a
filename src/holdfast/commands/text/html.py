"""Markdown as HTML for a page that runs nothing and fetches nothing.

Markup in the text is shown as what it is, pictures become links, and only addresses that a browser opens as a page, or
as a mail, are links.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from holdfast.records.printable import printable

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # takes as long to load as all the rest of an export

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")


def rendered(markdown: str) -> str:
    """Markdown as HTML."""
    html: str = _parser().render(printable(markdown))
    return html.rstrip("\n")
