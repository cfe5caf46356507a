"""`show` and `where`: one conversation, for reading or for programs."""

from datetime import datetime

from holdfast.commands.answers import Answers, Transcript
from holdfast.commands.selection import Gap, Passage
from holdfast.commands.text.times import clock, count, human_size
from holdfast.commands.text.width import clip, flat, width, wrap
from holdfast.hosts.cli.call import ShellCall
from holdfast.hosts.console import Piece, Styled
from holdfast.ids import Position
from holdfast.records.codec import Record
from holdfast.records.printable import printable
from holdfast.session.export.content import Content as Attachments
from holdfast.session.export.content import text_of
from holdfast.session.export.readable import Attached, ReadableDetail, ReadableMessage, ReadableText, shown
from holdfast.session.export.readable import Piece as Content
from holdfast.session.export.renderer import spoken
from holdfast.session.export.to_jsonl import body
from holdfast.session.state import SessionState

FOLDED_LINES = 8
"""How much of a tool's result is shown unless all of it is asked for."""
_STYLES = {"You": "green", "Model": "cyan"}


async def print_transcript(call: ShellCall, answers: Answers) -> None:
    """Print a conversation, and what is said next for who follows."""
    for each in answers:
        if isinstance(each, Transcript):
            view = _view(call)
            view.begin(each.state)
            async for passage, content in each.passages:
                view.passage(passage, content)
            view.end(each)
            if each.following is not None:
                call.console.flush()
                async for passage, content in each.following:
                    view.passage(passage, content)
                    call.console.flush()


def _view(call: ShellCall) -> "TranscriptView":
    if call.flag("raw"):
        return RawView(call)
    return JsonView(call) if call.flag("json") else TranscriptView(call)


class TranscriptView:
    """A conversation for people."""

    def __init__(self, call: ShellCall) -> None:
        """Print to the console of a call."""
        self._call, self._console = call, call.console
        self._before: datetime | None = None
        self._attached: Attachments = {}
        self._room = None if self._console.width is None else self._console.width - 2

    def begin(self, state: SessionState) -> None:
        """What is known about the session."""
        title = f"  {state.title}" if state.title else ""
        self._line(Styled(self._call.text("key"), "bold"), title)
        facts = [count(state.messages, "message"), *(f"#{tag}" for tag in state.tags)]
        if state.archived:
            facts.append("archived")
        if state.created:
            facts.append(f"since {clock(state.created)}")
        self._line(Styled(", ".join(facts), "dim"))

    def end(self, transcript: Transcript) -> None:
        """What was not shown."""
        tips = transcript.older
        if tips:
            names = ", ".join(f"--branch {tip}" for tip in tips[-5:])
            self._console.note()
            self._console.note(f"{count(len(tips), 'older branch', 'older branches')}: {names}", style="dim")

    def passage(self, passage: Passage, content: Attachments) -> None:
        """A record, or a gap."""
        self._attached = content
        if isinstance(passage, Gap):
            self._gap(passage)
            return
        seen = shown(passage.entry)
        if seen is None:
            return
        at = clock(passage.when, self._before)
        self._before = passage.when
        if seen.pieces:
            self._message(passage.pos, at, seen)
        else:
            note = f" ({seen.note})" if seen.note else ""
            self._line(Styled(f"{passage.pos}  {seen.who}{note}, {at}", "dim"))

    def _gap(self, gap: Gap) -> None:
        lost, hint = (
            spoken(gap.first, gap.last),
            f"`{self._call.context.line('verify', self._call.text('key'))}` says more.",
        )
        self._console.line()
        for line in wrap(flat(f"Damaged here: {lost} cannot be read. {hint}"), self._console.width):
            self._console.line(Styled(line, "red"))

    def _message(self, pos: Position, at: str, seen: ReadableMessage) -> None:
        note = f" ({seen.note})" if seen.note else ""
        self._console.line()
        self._line(
            Styled(f"{pos}  ", "dim"), Styled(seen.who, _STYLES.get(seen.who, "yellow")), Styled(f"{note}, {at}", "dim")
        )
        for piece in seen.pieces:
            self._content(piece)

    def _content(self, piece: Content) -> None:
        match piece:
            case ReadableText():
                self._text(piece.text)
            case ReadableDetail():
                self._folded(piece.title, piece.text)
            case Attached():
                blob = piece.blob
                title = f"{blob.name or 'attachment'}, {blob.media_type}, {human_size(blob.size)}"
                if blob.preview and len(blob.preview.encode("utf-8", "replace")) < blob.size and not self._attached:
                    title += ", of which this is the beginning (--full shows all)"
                self._folded(title, text_of(blob, self._attached))

    def _folded(self, title: str, text: str) -> None:
        """A title, and after it the text if it is short, or else below it how it begins."""
        room = 10_000 if self._room is None else self._room
        one_line = flat(f"{title}: {text}")
        if text and "\n" not in text and width(one_line) <= room:
            self._console.line("  ", Styled(one_line, "dim"))
            return
        self._line("  ", Styled(title, "dim"))
        if text:
            self._text(text, limit=None if self._call.flag("full") else FOLDED_LINES, indent="  | ")

    def _text(self, text: str, *, limit: int | None = None, indent: str = "  ") -> None:
        room = None if self._room is None else self._room + 2 - len(indent)
        for index, line in enumerate(wrap(printable(text), room)):
            if index == limit:
                more = text.count("\n") + 1 - index
                left = f"{more:,} more lines" if more > 1 else "more"
                self._console.line(Styled(f"{indent}… {left}; --full shows all", "dim"))
                return
            self._console.line(indent, line)

    def _line(self, *pieces: Piece) -> None:
        """One line, cut where the terminal ends."""
        room = self._console.width
        fitted: list[Piece] = []
        for piece in pieces:
            text = flat(piece.text if isinstance(piece, Styled) else piece)
            clipped = text if room is None else clip(text, room)
            if room is not None:
                room -= min(room, width(clipped))
            fitted.append(Styled(clipped, piece.style) if isinstance(piece, Styled) else clipped)
        self._console.line(*fitted)


class RawView(TranscriptView):
    """The lines of the log."""

    def begin(self, state: SessionState) -> None:
        """Nothing."""

    def end(self, transcript: Transcript) -> None:
        """Nothing."""

    def passage(self, passage: Passage, content: Attachments) -> None:  # noqa: ARG002
        """The line as it is stored."""
        if not isinstance(passage, Gap):
            self._console.data(self.bytes_of(passage) + b"\n")

    def bytes_of(self, record: Record) -> bytes:
        """What is printed of a record."""
        return record.raw


class JsonView(RawView):
    """One JSON object per entry."""

    def bytes_of(self, record: Record) -> bytes:
        """The entry without what protects its line."""
        return body(record)
