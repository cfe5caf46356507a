"""`verify`, `repair`, `reindex`: each session as it is done, and how far it has come."""

from holdfast.commands.answers import Answers, Note
from holdfast.commands.text.times import count, human_size
from holdfast.commands.text.width import clip, flat
from holdfast.commands.verify import Checked, wrong_in
from holdfast.hosts.cli.call import ShellCall
from holdfast.hosts.console import Console, Styled
from holdfast.log.store import Verdict
from holdfast.session.catalog import Progress

BAR = 24


async def print_rest(call: ShellCall, answers: Answers) -> None:
    """Print what was not printed on the way."""
    for each in answers:
        if isinstance(each, Note):
            call.console.note(each.text)


def print_checked(console: Console, checked: Checked) -> None:
    """Print what was found in one session."""
    if not checked.unreadable:
        _print_verdict(console, checked.verdict)
        return
    console.line(Styled("unread   ", "red"), Styled(flat(checked.verdict.key), "bold"))
    console.prose(checked.unreadable, indent=" " * 9)


def _print_verdict(console: Console, verdict: Verdict) -> None:
    mark = Styled("good     ", "green") if verdict.good else Styled("damaged  ", "red")
    facts = f"  {count(verdict.entries, 'entry', 'entries')}, {human_size(verdict.size)}"
    key = flat(verdict.key)
    if console.width is not None:
        key = clip(key, max(8, console.width - 9 - len(facts)))
    console.line(mark, Styled(key, "bold"), facts)
    for line in wrong_in(verdict):
        console.prose(line, indent=" " * 9)


def bar(progress: Progress, columns: int) -> str:
    """How far it has come, on one line."""
    share = progress.done / max(1, progress.total)
    drawn = "█" * round(share * BAR)
    text = f"{drawn:░<{BAR}} {progress.done:,}/{progress.total:,} "
    return text + clip(flat(progress.key), max(0, columns - len(text) - 1))
