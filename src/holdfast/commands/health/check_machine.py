"""The machine: Python, terminal, locale, sandbox, and the packages that may be there."""

import locale
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec

from holdfast.commands.health.finding import Finding
from holdfast.config.settings import Settings
from holdfast.installation import command_to_add, how_to_mend

EXTRAS = {
    "prompt_toolkit": ("prompt_toolkit", "the chat in a terminal"),
    "markdown_it": ("markdown-it-py", "Markdown in the chat"),
    "pygments": ("pygments", "colours in code"),
    "xllamacpp": ("local", "the built-in demo model"),
    "starlette": ("gateway", "the gateway, `holdfast serve`"),
    "splintr": ("tokens", "exact counts of tokens"),
    "pypdf": ("pdf", "the words of PDF files"),
    "pydantic_ai": ("bedrock", "Amazon Bedrock, and with another extra Mistral"),
    "keyring": ("keyring", "keys from the keyring of the system"),
}
"""Packages that Holdfast uses if they are there: the extra or package that has them, and what they are for."""


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
    from holdfast.tools.shell.sandbox import find_sandbox

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
    """What is installed and can be loaded, and what could be installed besides."""
    for module, (what, purpose) in EXTRAS.items():
        if find_spec(module) is None:
            mend = f"To install it, type: `{command_to_add(what)}`"
            yield Finding(area="packages", text=f"{module} is not installed: {purpose}", mend=mend)
        elif failure := load_failure(module):
            text = f"{module} is installed, but cannot be loaded: {failure}"
            yield Finding(area="packages", level="warning", text=text, mend=how_to_mend(ImportError(failure), what))
        else:
            yield Finding(area="packages", text=f"{module}: {purpose}")


def load_failure(module: str) -> str:
    """Why a module cannot be loaded; '' if it can. In a process of its own, which a library may end."""
    ran = subprocess.run(  # noqa: S603 - the names are ours
        [sys.executable, "-c", f"import {module}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if ran.returncode < 0:
        return f"loading it ends the process with {signal.Signals(-ran.returncode).name}"
    said = ran.stderr.decode(errors="replace").strip().splitlines()
    return (said or ["it gave no reason"])[-1] if ran.returncode else ""
