"""Which texts are secrets, and which only name one: secrets belong in no file of settings, and are never printed."""

import re

HINT = (
    "Take it out. The key of a service of models: `holdfast key add SERVICE`. Any other: set it in the environment, or"
    " run `keyring set holdfast NAME`. Servers may name it as $NAME."
)

_NAMES = re.compile(
    r"(?:^|[_-])(?:api[_-]?key|access[_-]?key|key|token|secret|password|passwd|authorization|cookie)$", re.IGNORECASE
)
_VALUES = re.compile(
    r"\b(?:sk-[\w-]{8,}|gh[a-z]_\w{16,}|github_pat_\w{16,}|xox[a-z]-[\w-]{8,}|AKIA[0-9A-Z]{12,}|AIza[\w-]{20,}"
    r"|gsk_\w{16,}|hf_\w{16,}|eyJ[\w-]{8,}\.[\w-]{8,})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|://[^/\s:@]+:[^/\s@]+@"
    r"|[?&](?:api[_-]?key|key|token|secret)=[^&$\s]{8,}"
)
REFERENCE = re.compile(r"\$(?:\{(\w+)\}|([A-Za-z_]\w*))")
"""How a text names a secret instead of holding it: `$NAME` or `${NAME}`."""


def names_in(text: str) -> list[str]:
    """The names of the secrets that a text names instead of holding them."""
    return [found[1] or found[2] for found in REFERENCE.finditer(text)]


def looks_secret(name: str, text: str) -> bool:
    """Whether something is probably a secret, by what it is called or by what it looks like."""
    if _VALUES.search(text):
        return True
    return bool(text) and _NAMES.search(name) is not None and not names_in(text)
