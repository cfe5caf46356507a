"""The quickest ways to a real model on this machine, for somebody who has only the built-in demo model."""

import os
import shutil

_SIZES = ((15, "qwen3:8b"), (7, "qwen3:4b"), (0, "qwen3:1.7b"))
"""Gigabytes of memory from which on a machine runs a model well beside its other programs."""


def pull_line() -> str:
    """The command that fetches a model for Ollama which this machine has the memory for."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    return f"ollama pull {next(name for least, name in _SIZES if memory >= least)}"


def ways() -> tuple[str, str]:
    """A key, and Ollama: what to type for each, as parts of a sentence."""
    install = "" if shutil.which("ollama") else "install Ollama (ollama.com), then "
    return (
        "with a key: set OPENAI_API_KEY, or run `holdfast key add openai` and paste it",
        f"without a key: {install}run `{pull_line()}`",
    )
