"""What a project's file may say.

A project comes from others, so its file may tighten what the user allows and never loosen it:
it runs nothing, reads nothing outside, names no address and permits nothing.
`TABLE` says it for every setting.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias, get_args

from holdfast.agent.approval import Rule
from holdfast.config.keys import KEYS, setting
from holdfast.config.origins import Given
from holdfast.config.settings import Sandbox
from holdfast.errors import BadSetting

Refusal: TypeAlias = Callable[[object, object], str]
"""What a project says and what the user's file says (None for nothing), to why it may not; '' if it may."""

_SANDBOX = get_args(Sandbox)
_SCRIPTED = "scripted"
"""The service whose models say what a file has them say: one of the project's could ask for any call."""


class May(NamedTuple):
    """What a project may say of a setting."""

    said: str
    """In words, for the reference."""
    refusal: Refusal


def _never(why: str) -> May:
    """Only the user may say it."""
    return May("nothing", lambda _value, _users: why)


def _lower(value: object, users: object) -> str:
    """A bound may come down, and 0 is none."""
    mine, theirs = _number(users), _number(value)
    if not mine or 0 < theirs <= mine:
        return ""
    return f"a project may only lower it, and your file has {users}"


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _tighter_sandbox(value: object, users: object) -> str:
    if _SANDBOX.index(value) >= _SANDBOX.index(users or "auto"):
        return ""
    return f"a project may only shut commands in more, and without it this is {users or 'auto'}"


def _no_network(value: object, _users: object) -> str:
    return "a project may not open the network to commands" if value else ""


def _no_allowing(value: object, _users: object) -> str:
    rules = value if isinstance(value, tuple) else ()
    allows = any(isinstance(each, Rule) and each.decision == "allow" for each in rules)
    return "a project may only tighten: ask or deny" if allows else ""


def _no_script(value: object, _users: object) -> str:
    names = value if isinstance(value, tuple) else (value,)
    scripted = any(str(name).strip().lower().startswith(_SCRIPTED) for name in names)
    return "a project may not say the model's lines" if scripted else ""


_MODEL = May("any but `scripted`", _no_script)
_ANYTHING = May("anything", lambda _value, _users: "")
_LOWER = May("no more than your file", _lower)
_USERS = _never("it is for the user alone to say")

TABLE: Mapping[str, May] = {
    "store": _never("a project may not say where conversations are kept"),
    "durability": _USERS,
    "retention_days": _USERS,
    "persistence": _USERS,
    "model": _MODEL,
    "fallbacks": _MODEL,
    "title_model": _MODEL,
    "summary_model": _MODEL,
    "endpoints": _never("a project may not say where conversations and keys are sent"),
    **{name: _LOWER for name in KEYS if name.startswith("limits.")},
    **{name: _ANYTHING for name in KEYS if name.startswith(("retry.", "context.", "compaction."))},
    "permissions": May("`ask` and `deny`", _no_allowing),
    "tools.enabled": _never("a project may only take tools away, with `tools.disabled`"),
    "tools.disabled": _ANYTHING,
    "tools.shell_sandbox": May("what shuts in more", _tighter_sandbox),
    "tools.shell_network": May("`false`", _no_network),
    "tools.shell_seconds": _LOWER,
    "tools.web_allowed": _never("a project may not open your own network"),
    "mcp": _never("a project may not start programs or name servers"),
    "skills": _never("a project's skills lie in its own .holdfast/skills"),
    "instructions": _ANYTHING,
    **{name: _USERS for name in KEYS if name.startswith("ui.")},
}
"""Every setting, with what a project may say of it."""


def refuse_loosening(project: Iterable[Given], user: Iterable[Given], users_file: str) -> None:
    """Raise `BadSetting` for the first thing that a project's file may not say."""
    users = {each.key: each.value for each in user}
    for each in project:
        key = setting(each.key)
        why = TABLE[key.name].refusal(each.value, users.get(each.key)) if key is not None else ""
        if why:
            hint = f"Take it out of the project's file. If you want it, write it into yours: {users_file}."
            raise BadSetting(f"{each.origin.naming(each.key)} is refused: {why}.", hint=hint)
