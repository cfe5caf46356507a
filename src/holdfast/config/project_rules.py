"""What a project's file may say.

A project comes from others, so its file may tighten what counts without it and never loosen it: it runs nothing,
reads nothing outside, names no address, permits nothing, raises no limit and spends no money.
`TABLE` says it for every setting.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias, get_args

from holdfast.agent.permissions import Rule
from holdfast.config.setting_names import KEYS, setting
from holdfast.config.settings import Sandbox
from holdfast.config.values import GivenValue
from holdfast.errors import BadSetting
from holdfast.providers.services import SERVICES

Refusal: TypeAlias = Callable[[object, object], str]
"""What a project says and what counts without it, to why it may not say that; '' if it may.

What counts without it is what the user's file says, or else the default; for a model, see `_Models`.
"""

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


class _Models(NamedTuple):
    """What the user's file says about models."""

    own: object
    """What it says for the same setting."""
    named: tuple[str, ...]
    """Every model that it names, for whatever: those the user is ready to pay for."""


def _lower(value: object, without: object) -> str:
    """A bound may come down, and 0 is none."""
    mine, theirs = _number(without), _number(value)
    if not mine or 0 < theirs <= mine:
        return ""
    return f"a project may only lower it, and without it this is {without}"


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _tighter_sandbox(value: object, users: object) -> str:
    if _SANDBOX.index(value) >= _SANDBOX.index(users):
        return ""
    return f"a project may only shut commands in more, and without it this is {users}"


def _no_network(value: object, _users: object) -> str:
    return "a project may not open the network to commands" if value else ""


def _no_allowing(value: object, _users: object) -> str:
    rules = value if isinstance(value, tuple) else ()
    allows = any(isinstance(each, Rule) and each.decision == "allow" for each in rules)
    return "a project may only tighten: ask or deny" if allows else ""


def _no_cost(value: object, users: object) -> str:
    """A model that runs on this machine, or one that the user's file names; none at all, where that changes nothing."""
    assert isinstance(users, _Models)  # noqa: S101
    names = [str(name).strip() for name in (value if isinstance(value, tuple) else (value,))]
    if any(name.lower().startswith(_SCRIPTED) for name in names):
        return "a project may not say the model's lines"
    if "" in names and users.own:
        return "a project may not take your choice away"
    costly = next((name for name in names if name and name not in users.named and not _is_free(name)), "")
    return f"a project may not choose a model that costs money, and your file names no {costly}" if costly else ""


def _is_free(name: str) -> bool:
    """Whether a model runs on this machine, or on one that the user set up in its place."""
    head, _, model = name.lower().partition(":")
    service = SERVICES.get(head)
    if service is None:
        return any(name.lower().startswith(each.begins) for each in SERVICES.values() if each.way == "local")
    # Ollama sends such a model to its own servers, for which an account pays.
    in_cloud = model.endswith("cloud")
    return service.way == "local" or (service.url.startswith("http://127.0.0.1:") and not in_cloud)


def _not_dearer(value: object, _users: object) -> str:
    return "a project may not make summaries cost more" if value else ""


def _not_on(value: object, _users: object) -> str:
    return "a project may only switch memory off" if value else ""


_MODEL = May("one that runs on your machine, or that your file names", _no_cost)
_ANYTHING = May("anything", lambda _value, _users: "")
_LOWER = May("no more than your file, or else the default", _lower)
_USERS = _never("it is for the user alone to say")

TABLE: Mapping[str, May] = {
    "store": _never("a project may not say where conversations are kept"),
    "durability": _USERS,
    "retention_days": _USERS,
    "persistence": _USERS,
    "idle_seconds": _USERS,
    "model": _MODEL,
    "fallbacks": _MODEL,
    "title_model": _MODEL,
    "summary_model": _MODEL,
    "endpoints": _never("a project may not say where conversations and keys are sent"),
    "no_thinking_back": _never("a project may not say what your services are sent"),
    **{name: _LOWER for name in KEYS if name.startswith(("limits.", "goals."))},
    "goals.verifier_model": _MODEL,
    **{name: _ANYTHING for name in KEYS if name.startswith(("retry.", "context.", "compaction."))},
    **dict.fromkeys(("retry.attempts", "retry.cap", "retry.idle"), _LOWER),
    **dict.fromkeys(("context.tokens", "context.output", "context.history_messages"), _LOWER),
    **dict.fromkeys(("compaction.reads", "compaction.entries", "compaction.window", "compaction.output"), _LOWER),
    **{name: _USERS for name in KEYS if name.startswith("memory.")},
    "memory.enabled": May("`false`", _not_on),
    "compaction.from_originals": May("`false`", _not_dearer),
    "permissions": May("`ask` and `deny`", _no_allowing),
    "tools.enabled": _never("a project may only take tools away, with `tools.disabled`"),
    "tools.disabled": _ANYTHING,
    "tools.shell_sandbox": May("what shuts in more", _tighter_sandbox),
    "tools.shell_network": May("`false`", _no_network),
    "tools.shell_seconds": _LOWER,
    "tools.web_allowed": _never("a project may not open your own network"),
    "mcp": _never("a project may not start programs or name servers"),
    "hooks": _never("a project may not start programs"),
    "skills": _never("a project's skills lie in its own .holdfast/skills"),
    "trusted_folders": _USERS,
    "instructions": _ANYTHING,
    **{name: _USERS for name in KEYS if name.startswith(("ui.", "gateway."))},
}
"""Every setting, with what a project may say of it."""


def refuse_loosening(project: Iterable[GivenValue], user: Iterable[GivenValue], users_file: str) -> None:
    """Raise `BadSetting` for the first thing that a project's file may not say."""
    users = {each.key: each.value for each in user}
    models = [users[name] for name in KEYS if TABLE[name] is _MODEL and name in users]
    named = tuple(str(name).strip() for each in models for name in (each if isinstance(each, tuple) else (each,)))
    for each in project:
        key = setting(each.key)
        if key is None:
            continue
        without: object = users.get(each.key, key.default)
        if TABLE[key.name] is _MODEL:
            without = _Models(without, named)
        why = TABLE[key.name].refusal(each.value, without)
        if why:
            hint = f"Take it out of the project's file. If you want it, write it into yours: {users_file}."
            raise BadSetting(f"{each.origin.naming(each.key)} is refused: {why}.", hint=hint)
