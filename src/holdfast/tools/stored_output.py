"""`read_output`: pages through a result that was too long to be shown and is kept beside the log."""

from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.tool import Ask, Output, ToolContext, ToolHelp, said
from holdfast.errors import ToolFailed
from holdfast.tools.files.text import lines_of, written
from holdfast.tools.pages import LONGEST_LINE, MOST_BYTES, MOST_LINES, folded_lines, paged
from holdfast.tools.step import Step, in_thread
from holdfast.tools.titles import title


class OutputArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `read_output` takes."""

    id: Annotated[str, Meta(pattern="^[0-9a-f]{8,64}$", description="What the shortened result says it is kept as.")]
    start: Annotated[int, Meta(ge=1, description="The first line to show.")] = 1
    count: Annotated[int, Meta(ge=1, le=MOST_LINES, description="How many lines to show.")] = MOST_LINES


class ReadOutput:
    """Reads on in a long result."""

    spec = spec_of(
        "read_output",
        "Read on in a long result. Where one was shortened, its last line says `kept as` and an id.",
        OutputArguments,
    )
    help = ToolHelp(
        limits=(
            (
                f"{MOST_LINES:,} lines and about {MOST_BYTES // 1000} kB at a time; a line over {LONGEST_LINE:,} "
                "characters goes on in the next."
            ),
            "Only what this session has kept.",
        ),
        errors=(
            "Nothing is kept under that id.",
            "What is kept is not text.",
            "`start` is beyond the end: the number of lines is given.",
        ),
    )
    seconds = 30.0

    async def understand(self, arguments: str, context: ToolContext) -> Step:
        """Take the id; what is kept is read when the call is run."""
        wanted = parsed(arguments, OutputArguments)
        named = title(self.spec.name, wanted.id, f"from line {wanted.start}")
        ask = Ask(tool=self.spec.name, subjects=(wanted.id,), title=named, reads_only=True)
        return Step(ask, partial(_read, wanted, context))


async def _read(wanted: OutputArguments, context: ToolContext) -> Output:
    data = await context.kept(wanted.id)
    return said(await in_thread(lambda _: _page(data, wanted)))


def _page(data: bytes, wanted: OutputArguments) -> str:
    found = written(data)
    if found is None:
        raise ToolFailed(f"{wanted.id} is not text but {len(data):,} bytes of something else.")
    return paged(folded_lines(lines_of(found.text)), wanted.start, wanted.count, what=wanted.id)
