"""`/permissions`: what runs unasked, what is asked about, what never runs, and who said so."""

import asyncio
from typing import Literal

from holdfast.agent.approval import Rule
from holdfast.commands.text.times import count
from holdfast.config.grants import load_grants, save_grants
from holdfast.config.places import state_folder
from holdfast.config.tool_names import unknown_tool
from holdfast.hosts.slash.answer import Answers, Column, Table, Words
from holdfast.hosts.slash.desk import SlashDesk
from holdfast.hosts.slash.run import misused

USUAL = (
    "What no rule is about: reading runs, everything else is asked about. A denial anywhere wins; else the last rule."
)
_SAID = {"allow": "runs unasked", "ask": "is asked about", "deny": "never runs"}


async def permissions(rest: str, desk: SlashDesk) -> Answers:
    """List the rules, add one, or take back what was allowed."""
    verb, _, what = rest.partition(" ")
    match verb.lower():
        case "" | "list":
            return (await _listed(desk),)
        case "allow" | "ask" | "deny" as decision:
            return _added(decision, what.strip(), desk)
        case "forget" if not what:
            return await _forgotten(desk)
        case _:
            raise misused("permissions", f"{rest!r} cannot be taken.")


async def _listed(desk: SlashDesk) -> Table:
    kept, known = await _grants(desk), desk.conversation.permissions
    origins = _origins(desk)
    rows = [_row(rule, _origin(rule, kept, origins)) for rule in known.rules]
    rows += [_row(rule, "allowed in this workspace" if rule in kept else "this session") for rule in known.granted]
    return Table(
        title="Rules, the weakest first" if rows else "There are no rules.",
        columns=(Column(name="What"), Column(name="Tool"), Column(name="About"), Column(name="Who said so")),
        rows=tuple(rows),
        note=USUAL,
    )


def _row(rule: Rule, origin: str) -> tuple[str, ...]:
    return (rule.decision, rule.tool, rule.pattern, origin)


def _origins(desk: SlashDesk) -> dict[Rule, str]:
    """Where each rule of the settings stands."""
    found: dict[Rule, str] = {}
    for each in desk.agent.loaded.explained:
        if each.key == "permissions" and isinstance(each.value, tuple):
            found |= {rule: origin.said for rule, origin in zip(each.value, each.origins, strict=False)}
    return found


def _origin(rule: Rule, kept: tuple[Rule, ...], origins: dict[Rule, str]) -> str:
    return origins.get(rule) or ("allowed in this workspace" if rule in kept else "given when this was started")


async def _grants(desk: SlashDesk) -> tuple[Rule, ...]:
    agent = desk.agent
    return await asyncio.to_thread(load_grants, state_folder(desk.environment), agent.identity, agent.root)


def _added(decision: Literal["allow", "ask", "deny"], what: str, desk: SlashDesk) -> Answers:
    tool, colon, pattern = what.partition(":")
    if not tool.strip() or (colon and not pattern.strip()):
        raise misused("permissions", "A rule names a tool, and what it is about: `shell:git status*`.")
    if hint := unknown_tool(tool.strip()):
        raise misused("permissions", f"There is no tool {tool.strip()!r}. {hint}")
    rule = Rule(tool=tool.strip(), pattern=pattern.strip() or "*", decision=decision)
    known = desk.conversation.permissions
    known.add(rule)
    about = "" if rule.pattern == "*" else f" about `{rule.pattern}`"
    said = f"`{rule.tool}`{about} {_SAID[decision]}, in this session."
    denied = any(each.decision == "deny" for each in (*known.rules, *known.granted) if each.tool in {rule.tool, "*"})
    but = " A denial still wins over it: `/permissions` lists them." if denied and decision != "deny" else ""
    return (Words(markdown=f"{said}{but}"),)


async def _forgotten(desk: SlashDesk) -> Answers:
    kept, known, agent = await _grants(desk), desk.conversation.permissions, desk.agent
    decided = len({*known.granted, *kept})
    if kept:
        await asyncio.to_thread(save_grants, state_folder(desk.environment), agent.identity, agent.root, ())
    known.forget(set(kept) - set(_origins(desk)))
    if not decided:
        return (Words(markdown="Nothing was allowed beyond the settings."),)
    rules = count(decided, "rule")
    return (Words(markdown=f"Forgot {rules} of this session and this workspace; the settings count as they are."),)
