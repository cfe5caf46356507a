"""Short words for what the tests of exports do again and again."""

from holdfast.ids import BlobId, Position, SessionKey
from holdfast.records.entries import Described, Entry, Opened
from holdfast.session.export.renderer import Renderer
from tests.session.talk import folded, records_of

HOSTILE = (
    "\x1b[31mred\x1b]52;c;aGFjaw==\x07 \x9b31m \u202eturned \x00 \ud800 \u2028"
    " <script>alert(1)</script><img src=x onerror=alert(1)> </div></pre></title>"
    ' "><svg onload=alert(1)> javascript:alert(1) ]]> --> <!-- <style>*{}</style> &lt;b&gt;'
)
"""What somebody would say to get out of the place where it is shown."""


def document(
    renderer: Renderer,
    *entries: Entry,
    content: dict[BlobId, bytes] | None = None,
    gap: tuple[int, int] | None = None,
    described: Described | None = None,
) -> bytes:
    """A conversation, rendered from its beginning to its end."""
    begin = [Opened(key=SessionKey("notes"))] + ([described] if described else [])
    records = records_of(*begin, *entries)
    pieces = [renderer.begin(folded(records))]
    pieces += [renderer.record(record, content or {}) for record in records]
    if gap:
        pieces.append(renderer.gap(Position(gap[0]), Position(gap[1])))
    return b"".join([*pieces, renderer.end()])
