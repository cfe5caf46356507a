"""The machine: Python, terminal, locale, sandbox, and the packages that may be there."""

import locale
import platform
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec

from holdfast.config.settings import Settings
from holdfast.hosts.command.health.finding import Finding

EXTRAS = {
    "prompt_toolkit": ("terminal", "the chat in a terminal"),
    "markdown_it": ("terminal", "Markdown in the chat"),
    "pygments": ("terminal", "colours in code"),
    "xllamacpp": ("local", "the built-in demo model"),
    "splintr": ("tokens", "exact counts of tokens"),
    "pypdf": ("pdf", "the words of PDF files"),
    "pydantic_ai": ("bedrock", "Amazon Bedrock, and with another extra Mistral"),
    "keyring": ("", "keys from the keyring of the system"),
}
"""Packages that Holdfast uses if they are there: their extra, and what they are for."""


def environment(values: Mapping[str, str]) -> Iterator[Finding]:
    """What the process was started in."""
    area = "environment"
    version = platform.python_version()
    yield Finding(area=area, text=f"Python {version} on {platform.system()} {platform.machine()}")
    yield _terminal(values)
    encoding = (sys.stdout.encoding if sys.stdout else "") or locale.getpreferredencoding(do_setlocale=False)
    if encoding.lower().replace("-", "") in {"utf8", "utf8sig"}:
        yield Finding(area=area, text="text is UTF-8")
    else:
        yield Finding(
            area=area,
            level="warning",
            text=f"text is {encoding}, so many characters cannot be shown",
            mend="Set LC_ALL=C.UTF-8, or another locale that ends with UTF-8.",
        )


def _terminal(values: Mapping[str, str]) -> Finding:
    kind = values.get("TERM", "")
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        return Finding(area="environment", text="no terminal here: input and output are plain")
    if kind in {"", "dumb"}:
        return Finding(
            area="environment",
            level="warning",
            text=f"the terminal is {kind or 'not named'}: no colours, no editing",
            mend="Set TERM to what your terminal is, such as xterm-256color.",
        )
    return Finding(area="environment", text=f"a terminal: {kind}")


def sandbox(values: Mapping[str, str], settings: Settings) -> Iterator[Finding]:
    """Whether commands can be shut in."""
    from holdfast.tools.sandbox import find_sandbox

    wanted, found = settings.tools.shell_sandbox, find_sandbox(values)
    if wanted == "off":
        mend = 'Set tools.shell_sandbox to "auto".' if found.confines else ""
        text = "commands run in the open, because tools.shell_sandbox is off"
        yield Finding(area="sandbox", level="warning", text=text, mend=mend)
    elif found.confines:
        yield Finding(area="sandbox", text=found.said)
    else:
        needed = wanted == "require"
        mend = "Install bubblewrap, or allow it user name spaces."
        if needed:
            mend += ' Until then no command runs: tools.shell_sandbox is "require".'
        yield Finding(area="sandbox", level="problem" if needed else "warning", text=found.said, mend=mend)


def packages() -> Iterator[Finding]:
    """What could be installed besides."""
    for module, (extra, purpose) in EXTRAS.items():
        if find_spec(module) is not None:
            yield Finding(area="packages", text=f"{module}: {purpose}")
        else:
            wanted = f"'holdfast[{extra}]'" if extra else module
            mend = f"pip install {wanted} brings it."
            yield Finding(area="packages", text=f"{module} is not installed: {purpose}", mend=mend)
