"""A tool that is a function: its name, its arguments and what the model is told of it come from the function itself.

The arguments are the function's parameters with their types, checked before it is called. A function without `async`
runs in a thread, so that it holds nothing up.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import partial
from typing import Annotated, Any, Generic, ParamSpec, TypeVar, get_type_hints, overload

import msgspec

from holdfast.agent.arguments import parsed, spec_of
from holdfast.agent.permissions import Rule
from holdfast.agent.tasks import aside
from holdfast.agent.tool import Action, Ask, Output, ToolContext, ToolHelp, said
from holdfast.errors import BadInput
from holdfast.records.printable import printable_line

P = ParamSpec("P")
R = TypeVar("R")

SECONDS = 60.0
"""How long a call may run where nothing else is said."""
_SHOWN = 60
"""A title shows so many characters of the arguments."""
_NAME = re.compile(r"[A-Za-z0-9_]{1,64}")
_SECTION = re.compile(r"^ *(?:Args|Arguments|Parameters|Returns|Raises|Yields|Examples?):\s*$", re.MULTILINE)
_ARGUMENTS = re.compile(r"^ *(?:Args|Arguments|Parameters):\s*$", re.MULTILINE)
_NAMED = re.compile(r"^( *)\*{0,2}(\w+)(?: *\([^)]*\))?: *(.*)$")


class FunctionTool(Generic[P, R]):
    """A function as a tool; `tool` makes one. It can still be called as the function it is."""

    def __init__(
        self, function: Callable[P, R], *, reads_only: bool = False, allowed: bool = False, seconds: float = SECONDS
    ) -> None:
        """Take what the model is told from the function. Raises `BadInput` where a parameter cannot be an argument."""
        self._function, self._reads_only = function, reads_only
        self.name = function.__name__
        if not _NAME.fullmatch(self.name):
            hint = "Give the function a name of at most 64 letters from a to z, digits and _."
            raise BadInput(f"{self.name!r} cannot be the name of a tool.", hint=hint)
        self.allowed = allowed
        """Whether calls run unasked although they change something."""
        self.seconds = seconds
        self.help = ToolHelp()
        text = inspect.getdoc(function) or ""
        self._context, self._arguments = _arguments(function, _described(text))
        self.spec = spec_of(self.name, _SECTION.split(text, maxsplit=1)[0].strip(), self._arguments)
        self.__doc__ = function.__doc__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function."""
        return self._function(*args, **kwargs)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """What `allowed` comes to, for the permissions of a session."""
        return (Rule(tool=self.name, decision="allow"),) if self.allowed else ()

    async def understand(self, arguments: str, context: ToolContext) -> Action:
        """Check the arguments; what permission is asked for is the call with all of them."""
        found = parsed(arguments, self._arguments)
        values = {name: getattr(found, name) for name in found.__struct_fields__}
        shown = msgspec.json.encode(found).decode()
        ask = Ask(
            tool=self.name,
            subjects=(_subject(values, shown),),
            title=printable_line(f"{self.name} {_subject(values, shown)}" if values else self.name, _SHOWN),
            detail=msgspec.json.format(shown, indent=2) if values else "",
            reads_only=self._reads_only,
        )
        given = {self._context: context} if self._context else {}
        return _Call(ask, self._function, {**values, **given})


class _Call:
    """A call of the function, ready to be made."""

    def __init__(self, ask: Ask, function: Callable[..., object], values: Mapping[str, object]) -> None:
        self.ask = ask
        self._function, self._values = function, values

    async def run(self) -> Output:
        """Make it."""
        if inspect.iscoroutinefunction(self._function):
            return _output(await self._function(**self._values))
        return _output(await aside(self._function, **self._values))


@overload
def tool(function: Callable[P, R], /) -> FunctionTool[P, R]: ...


@overload
def tool(
    *, reads_only: bool = False, allowed: bool = False, seconds: float = SECONDS
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...


def tool(
    function: Callable[P, R] | None = None,
    /,
    *,
    reads_only: bool = False,
    allowed: bool = False,
    seconds: float = SECONDS,
) -> FunctionTool[P, R] | Callable[[Callable[P, R]], FunctionTool[P, R]]:
    """Make a function a tool: `@tool` above it, or `@tool(reads_only=True)`.

    The model is told its name, its docstring, and its parameters with their types and defaults; a section `Args:` of
    the docstring describes them. Each parameter needs a type. One of the type `ToolContext` is not an argument: it gets
    the session's attachments, questions and progress. A call asks a person first. With `reads_only` it runs unasked,
    and at the same time as others that only read; with `allowed` it runs unasked, one at a time. A call that takes
    longer than `seconds` is stopped; the thread of a function without `async` cannot be, and goes on unheard.

    What the function returns is the result: a text, an `Output`, or anything that can be JSON. What it raises is told
    to the model; raise `ToolFailed` with what the model should do instead.
    """

    def made(given: Callable[P, R]) -> FunctionTool[P, R]:
        return FunctionTool(given, reads_only=reads_only, allowed=allowed, seconds=seconds)

    return made if function is None else made(function)


def _arguments(function: Callable[..., object], described: Mapping[str, str]) -> tuple[str, type[msgspec.Struct]]:
    """The parameter that takes the context, if any, and a struct of all others."""
    hints, context, fields = _hints(function), "", list[tuple[str, Any, object]]()
    for each in inspect.signature(function).parameters.values():
        place = f"The parameter `{each.name}` of the tool {function.__name__!r}"
        if each.kind not in {each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY}:
            raise BadInput(f"{place} cannot be given by its name.", hint="Use ordinary parameters with types.")
        if each.name not in hints:
            raise BadInput(f"{place} has no type.", hint=f"Write one, such as `{each.name}: str`.")
        if hints[each.name] is ToolContext:
            context = each.name
            continue
        kind = hints[each.name]
        if each.name in described:
            kind = Annotated[kind, msgspec.Meta(description=described[each.name])]
        fields.append((each.name, kind, msgspec.NODEFAULT if each.default is each.empty else _default(each.default)))
    return context, msgspec.defstruct("Arguments", fields, kw_only=True, forbid_unknown_fields=True)


def _hints(function: Callable[..., object]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except NameError as error:
        hint = "Import it where the function stands, not only for type checkers."
        raise BadInput(f"A type of the tool {function.__name__!r} is not known: {error}.", hint=hint) from error


def _default(value: object) -> object:
    """The default of a field; one that could be changed is made anew for each call."""
    return msgspec.field(default_factory=partial(deepcopy, value)) if isinstance(value, list | dict | set) else value


def _described(text: str) -> dict[str, str]:
    """What the section `Args:` of a docstring says of each parameter."""
    found = _ARGUMENTS.search(text)
    if not found:
        return {}
    said_of, name, depth = dict[str, str](), "", -1
    for line in _SECTION.split(text[found.end() :], maxsplit=1)[0].splitlines():
        named = _NAMED.match(line)
        if named and (depth < 0 or len(named[1]) <= depth):
            depth, name = len(named[1]), named[2]
            said_of[name] = named[3].strip()
        elif name:
            said_of[name] = f"{said_of[name]} {line.strip()}".strip()
    return said_of


def _subject(values: Mapping[str, object], shown: str) -> str:
    """What a rule matches: the argument itself where there is one text, and all of them as JSON otherwise."""
    only = next(iter(values.values())) if len(values) == 1 else None
    return only if isinstance(only, str) else shown


def _output(made: object) -> Output:
    if isinstance(made, Output):
        return made
    if made is None:
        return said("done")
    return said(made if isinstance(made, str) else msgspec.json.encode(made).decode())
