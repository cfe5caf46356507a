"""One call from a session to the body of a request: no agent needed.

Everything that goes into the body is durable before it is given away, and everything
that does not is named, with the reason.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from holdfast.context.budget import Budget
from holdfast.context.legal.attachments import PDF, Bounds, encoded_size, too_many
from holdfast.context.legal.clean_text import crumb
from holdfast.context.legal.families import legal, render
from holdfast.context.legal.rendered import Dropped, Json
from holdfast.context.units import Remembering, attached, is_attached
from holdfast.context.view import View
from holdfast.context.window import LeftOut, Window
from holdfast.errors import ContextError, NoBlob
from holdfast.ids import BlobId
from holdfast.model.context_sizes import size_of
from holdfast.model.protocol import AssistantMessage, Message, Request, Target, ToolSpec
from holdfast.model.tokens import COSTS, Counter, count_message, count_system, count_tools, counter_for, load_counter
from holdfast.records.parts import Blob, Text, Value
from holdfast.session.writer import Session


class Assembled(Value, frozen=True, kw_only=True):
    """A request that a `Model` can be asked, and what is not in it."""

    request: Request
    """What a `Model` takes, in no provider's form."""
    tokens: int
    """How long we count it to be; write it into the reply as `asked_tokens`, and the next counts are better."""
    window: Window
    """The messages, and from where on the log is shown."""
    dropped: tuple[Dropped, ...] = ()
    """What this kind of provider does not take, or what was too much for it."""

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What of the conversation is not shown, or not whole."""
        return self.window.left_out

    @property
    def notes(self) -> tuple[str, ...]:
        """Everything that is not in the request, and why, one line each, for a person."""
        return (*(_left_out(each) for each in self.left_out), *(_dropped(each) for each in self.dropped))


class Prepared(Assembled, frozen=True, kw_only=True):
    """A request that is ready to be sent, and what is not in it."""

    body: Json
    """What the provider is sent, for any JSON encoder: model, system text, messages, tools, bound of the reply."""


def open_view(
    session: Session,
    target: Target,
    *,
    timestamps: bool = False,
    dated: bool = False,
    memory: Remembering | None = None,
) -> View:
    """A view that counts as a model does; keep it, and each request reads only what is new.

    With `timestamps`, a person's words are shown with the time they were said at; with `dated`, those that were said on
    another day than the session began on.
    """
    costs = COSTS[target.family]
    counter: Counter | None = None

    def cost(message: Message) -> int:
        nonlocal counter
        # Not before it is needed: the view asks first in a thread, and a vocabulary takes a while to read.
        counter = counter or counter_for(target.model)
        return count_message(message, counter, costs)

    return View(session, cost, timestamps=timestamps, dated=dated, memory=memory)


def fixed_tokens(target: Target, *, system: str = "", tools: Sequence[ToolSpec] = ()) -> int:
    """How much of a budget is taken before anything is said: by the system text, the tools, and the request itself."""
    counter, costs = counter_for(target.model), COSTS[target.family]
    return costs.request + count_system(system, counter, costs) + count_tools(tools, counter, costs)


async def prepare(
    session: Session,
    target: Target,
    budget: Budget,
    *,
    system: str = "",
    tools: Sequence[ToolSpec] = (),
    view: View | None = None,
) -> Prepared:
    """What to send to a model for its next reply: legal for its provider, and within the budget.

    Give the `view` of `open_view` to read only what is new since the last request. What the window
    leaves out is written to the log, and all of the log committed, before this returns. Raises `TooSmall` if
    not even the newest turn can be made to fit, and `ContextError` if nothing was said yet.
    """
    made = await assemble(view or open_view(session, target), target, budget, system=system, tools=tools)
    rendered = render(made.request, made.request.media)
    return Prepared(
        body=rendered.body,
        tokens=made.tokens,
        request=made.request,
        window=made.window,
        dropped=(*made.dropped, *rendered.dropped),
    )


async def assemble(
    view: View,
    target: Target,
    budget: Budget,
    *,
    system: str = "",
    tools: Sequence[ToolSpec] = (),
    fixed: int | None = None,
) -> Assembled:
    """The same, in no provider's form: for a `Model`, which renders by itself.

    `fixed` is what `fixed_tokens` counts for the system text and the tools, where that is known already.
    """
    if fixed is None:
        await load_counter(target.model)
        fixed = fixed_tokens(target, system=system, tools=tools)
    window = await view.window(budget, fixed=fixed)
    if not window.messages:
        raise ContextError("There is nothing to send: nothing was said yet.", hint="Write down what a user said first.")
    sent, kept, dropped = _sendable(window, legal(target.family).BOUNDS)
    request = Request(
        target=target,
        messages=sent,
        system=system,
        tools=tuple(tools),
        max_output_tokens=_longest_reply(view.session, target, budget, fixed + window.tokens),
        # After the choice: the bytes of what is not sent are never read.
        media=await _loaded(view.session, kept),
    )
    await view.session.commit()
    return Assembled(request=request, tokens=fixed + window.tokens, window=window, dropped=dropped)


def _longest_reply(session: Session, target: Target, budget: Budget, counted: int) -> int:
    """How long the reply may be, beside a request that we count so long."""
    own = size_of(f"{target.provider}:{target.model}" if target.provider else target.model).output
    return budget.longest_reply(counted * session.state.ratio // 1000, own)


def _sendable(window: Window, bounds: Bounds) -> tuple[tuple[Message, ...], list[Blob], tuple[Dropped, ...]]:
    """The messages to send, the attachments whose bytes go with them, and those that do not.

    One that does not go has a line in its place. Most requests have thousands of messages and no
    attachment: then no message is looked at.
    """
    if not window.attachments:
        return window.messages, [], ()
    found = attached(window.messages)
    refused = _refused([blob for _, blob in found], bounds)
    dropped = tuple(
        Dropped(kind=_kind(blob), why=why, name=blob.name, pos=pos)
        for (pos, blob), why in zip(found, refused, strict=True)
        if why
    )
    kept = [blob for (_, blob), why in zip(found, refused, strict=True) if not why]
    # One iterator goes through all messages, in the order in which `attached` found the parts.
    reasons = iter(refused)
    return tuple(_named(message, reasons) for message in window.messages), kept, dropped


def _named(message: Message, refused: Iterator[str]) -> Message:
    """The message with a line in the place of each attachment that is refused."""
    if isinstance(message, AssistantMessage):
        return message
    parts = [Text(text=crumb(part)) if is_attached(part) and next(refused) else part for part in message.parts]
    return msgspec.structs.replace(message, parts=tuple(parts))


def _refused(blobs: Sequence[Blob], bounds: Bounds) -> list[str]:
    """Why each attachment is not sent, as far as that is known without its bytes; '' for those that are."""
    whys = [_unfit(blob, bounds) for blob in blobs]
    fitting = [index for index, why in enumerate(whys) if not why]
    older = too_many([encoded_size(blobs[index].size) for index in fitting], bounds)
    for index in fitting[:older]:
        whys[index] = "there are too many newer ones"
    return whys


def _unfit(blob: Blob, bounds: Bounds) -> str:
    """Why an attachment cannot be sent whatever its bytes are; '' if they must be looked at."""
    if _kind(blob) == "file" and blob.media_type != PDF:
        return f"{blob.media_type} is not taken"
    return "it is too large" if encoded_size(blob.size) > bounds.each else ""


def _kind(blob: Blob) -> Literal["image", "file"]:
    return "image" if blob.media_type.startswith("image/") else "file"


async def _loaded(session: Session, blobs: Sequence[Blob]) -> Mapping[BlobId, bytes]:
    """The bytes of all that is sent; what is no longer there is left out."""
    media: dict[BlobId, bytes] = {}
    for blob in blobs:
        try:
            media[blob.blob] = media.get(blob.blob) or await session.get_blob(blob.blob)
        except NoBlob:  # the renderer names it
            continue
    return media


def _left_out(each: LeftOut) -> str:
    where = f"{each.first}" if each.first == each.last else f"{each.first} to {each.last}"
    return f"{where} in the log: {each.why}"


def _dropped(each: Dropped) -> str:
    where = "" if each.pos < 0 else f" at {each.pos}"
    name = f" {each.name}" if each.name else ""
    return f"{each.kind}{name}{where}: {each.why}"
