"""A summary: seven sections under fixed headings.

Headings are what every model gets right, so an answer is text and not JSON. What comes before
the first heading is talk. A line that begins with `>` is a user's, to the letter: code puts
those in, and takes the sign from any line of which it does not know that.
"""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from holdfast.context.compact.requirements import Requirements, named_paths
from holdfast.records.parts import Value

HEADINGS: Mapping[str, str] = {
    "goal": "Goal",
    "constraints": "Constraints and corrections",
    "decisions": "Decisions",
    "state": "State of the work",
    "files": "Files",
    "questions": "Open questions",
    "next_step": "Next step",
}
"""What each section is called."""

ASKED_FOR: Mapping[str, str] = {
    "goal": "what the user wants, and why",
    "constraints": "what the user demanded, forbade or corrected, in the user's own words",
    "decisions": "what was decided, and for which reason",
    "state": "what is done, what is not, what failed; tool calls that never ended, by the tool's name",
    "files": "each file that was read or changed, by its whole path, and what matters about it",
    "questions": "what nobody has answered yet",
    "next_step": "what the agent was about to do",
}
"""What each section is for, as the model is told."""

NOTHING = "none"
_HEADING = re.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t]*|\*\*)({'|'.join(HEADINGS.values())})[ \t]*:?(?:\*\*)?[ \t]*:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_NAMES = {title.lower(): name for name, title in HEADINGS.items()}


class Sections(Value, frozen=True, kw_only=True):
    """A summary in its parts."""

    goal: str = NOTHING
    constraints: str = NOTHING
    decisions: str = NOTHING
    state: str = NOTHING
    files: str = NOTHING
    questions: str = NOTHING
    next_step: str = NOTHING

    def text(self) -> str:
        """The summary as it is written down."""
        return "\n\n".join(f"## {title}\n{getattr(self, name)}" for name, title in HEADINGS.items())


def parse(text: str) -> Sections | None:
    """The sections of a text; None if one is not there."""
    text = text.strip()
    pieces = _HEADING.split(text.removesuffix("```") if text.startswith("```") else text)
    found: dict[str, str] = {}
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        name = _NAMES[title.lower()]
        found[name] = f"{found[name]}\n{body.strip()}".strip() if name in found else body.strip()
    if set(found) != set(HEADINGS):
        return None
    return Sections(**{name: body or NOTHING for name, body in found.items()})


def named(text: str) -> Requirements:
    """What an earlier summary names that a later one must name too."""
    sections = parse(text)
    if sections is None:
        return Requirements()
    return Requirements(
        quotes=tuple(line[2:] for line in sections.constraints.splitlines() if line.startswith("> ")),
        files=named_paths(sections.files),
    )


def with_quotes(sections: Sections, quotes: tuple[str, ...]) -> Sections:
    """The same with the user's own words in it, to the letter."""
    said = {_bare(quote) for quote in quotes} | {"", NOTHING}
    own = [line.strip() for line in sections.constraints.splitlines()]
    own = [f"- {_bare(line)}" if line.startswith(">") else line for line in own if _bare(line) not in said]
    return replace(sections, constraints="\n".join([*(f"> {quote}" for quote in quotes), *own]) or NOTHING)


def _bare(line: str) -> str:
    """A line without what makes it an item or a quote."""
    return line.lstrip("> -*")
