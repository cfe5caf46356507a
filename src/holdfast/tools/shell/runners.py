"""Programs that start another one after a word of their own: `uv run`, `npm exec`, `conda run`.

What they start is a subject beside them, as with `timeout`. Only options that are known to be harmless are passed
over; with any other one it cannot be told where the command begins, or what is loaded before it.
"""

from collections.abc import Sequence

from holdfast.records.parts import Value


class Runner(Value, frozen=True, kw_only=True):
    """How such a program is called."""

    words: tuple[str, ...] = ()
    """The words of which one comes first; none if the command follows at once."""
    flags: tuple[str, ...] = ()
    """Harmless options."""
    valued: tuple[str, ...] = ()
    """Harmless options that take the next argument."""


_NODE = ("-y", "--yes", "--no", "--no-install", "-q", "--quiet")
_CONDA = Runner(
    words=("run",),
    flags=("--no-capture-output", "--live-stream", "-v", "--verbose"),
    valued=("-n", "--name"),
)
_RUNNERS = {
    "asdf": Runner(words=("exec",)),
    "bun": Runner(words=("x", "run")),
    **dict.fromkeys(("bundle", "bundler"), Runner(words=("exec", "exe", "ex", "e"))),
    "cmake": Runner(words=("-E",)),
    "conda": _CONDA,
    "hatch": Runner(words=("run",)),
    "mamba": _CONDA,
    "micromamba": _CONDA,
    "mise": Runner(words=("exec", "x", "run", "r")),
    **dict.fromkeys(("nodenv", "pyenv", "rbenv"), Runner(words=("exec",))),
    "npm": Runner(words=("exec", "exe", "x"), flags=_NODE),
    "npx": Runner(flags=_NODE),
    "pdm": Runner(words=("run",)),
    "pixi": Runner(words=("run",)),
    "pipenv": Runner(words=("run",)),
    "pnpm": Runner(words=("exec", "dlx")),
    "poetry": Runner(words=("run",)),
    "rye": Runner(words=("run",)),
    "uv": Runner(
        words=("run",),
        flags=tuple(
            "-q --quiet -v --verbose --frozen --locked --no-sync --offline --isolated --no-dev --all-extras --exact "
            "--all-packages --no-progress --active".split()
        ),
        valued=("--group", "--only-group", "--no-group", "--extra", "--package"),
    ),
    "volta": Runner(words=("run",)),
    "yarn": Runner(words=("exec", "dlx", "run")),
}
UNSURE = -1
"""The program starts another, and it cannot be told from where on."""


def started_from(name: str, arguments: Sequence[str]) -> int | None:
    """At which argument the command begins that a program starts; None if it starts none."""
    runner = _RUNNERS.get(name)
    if runner is None or not arguments:
        return None
    at = 0
    if runner.words:
        if arguments[0] not in runner.words:
            before = arguments[0].startswith("-") and not set(runner.words).isdisjoint(arguments)
            return UNSURE if before else None
        at = 1
    while at < len(arguments) and arguments[at].startswith("-"):
        if arguments[at] == "--":
            return at + 1
        if arguments[at] in runner.valued:
            at += 1
        elif arguments[at] not in runner.flags:
            return UNSURE
        at += 1
    if name == "mise" and "--" in arguments:  # tools that it makes ready come first
        return arguments.index("--") + 1
    return at
