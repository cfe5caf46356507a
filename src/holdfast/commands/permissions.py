"""`/permissions`: what runs unasked, what is asked about, what never runs, and who said so. `/mode` and `/approve`."""

import asyncio
from typing import Literal

from holdfast.agent.permissions import Mode, Rule
from holdfast.commands.answers import Answers, Column, Prose, Table
from holdfast.commands.context import ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.text.times import count
from holdfast.config.grants import load_grants, save_grants
from holdfast.config.places import state_folder
from holdfast.config.tool_rules import unknown_tool

USUAL = (
    "What no rule is about: reading runs, everything else is asked about. A denial anywhere wins; else the last rule."
)
MODES: dict[Mode, str] = {
    "ask": "Mode ask: what no rule allows is asked about.",
    "edits": "Mode accept edits: file edits in the workspace run without asking; everything else is asked about.",
    "plan": "Mode plan: only reading is allowed. `/approve` accepts the plan.",
}
"""What each permission mode means."""
APPROVED = "The plan is approved. Carry it out."
"""What is said to the model."""
_SAID = {"allow": "runs unasked", "ask": "is asked about", "deny": "never runs"}


async def permissions(given: Inputs, context: ConversationContext) -> Answers:
    """List the rules, add one, or take back what was allowed."""
    rule = given.text("rule")
    match given.text("action"):
        case "" | "list" if not rule:
            return (await _listed(context),)
        case "allow" | "ask" | "deny" as decision:
            return _added(decision, given, context)
        case "forget" if not rule:
            return await _forgotten(context)
        case _:
            raise given.refuse(f"{rule!r} cannot be taken.")


async def _listed(context: ConversationContext) -> Table:
    kept, known = await _grants(context), context.conversation.permissions
    origins = _origins(context)
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


def _origins(context: ConversationContext) -> dict[Rule, str]:
    """Where each rule of the settings stands."""
    found: dict[Rule, str] = {}
    for each in context.agent.loaded.explained:
        if each.key == "permissions" and isinstance(each.value, tuple):
            found |= {rule: origin.said for rule, origin in zip(each.value, each.origins, strict=False)}
    return found


def _origin(rule: Rule, kept: tuple[Rule, ...], origins: dict[Rule, str]) -> str:
    return origins.get(rule) or ("allowed in this workspace" if rule in kept else "given when this was started")


async def _grants(context: ConversationContext) -> tuple[Rule, ...]:
    agent = context.agent
    return await asyncio.to_thread(load_grants, state_folder(context.environment), agent.identity, agent.root)


def _added(decision: Literal["allow", "ask", "deny"], given: Inputs, context: ConversationContext) -> Answers:
    tool, colon, pattern = given.text("rule").partition(":")
    if not tool.strip() or (colon and not pattern.strip()):
        raise given.refuse("A rule names a tool, and what it is about: `shell:git status*`.")
    if hint := unknown_tool(tool.strip()):
        raise given.refuse(f"There is no tool {tool.strip()!r}. {hint}")
    rule = Rule(tool=tool.strip(), pattern=pattern.strip() or "*", decision=decision)
    known = context.conversation.permissions
    known.add(rule)
    about = "" if rule.pattern == "*" else f" about `{rule.pattern}`"
    said = f"`{rule.tool}`{about} {_SAID[decision]}, in this session."
    denied = any(each.decision == "deny" for each in (*known.rules, *known.granted) if each.tool in {rule.tool, "*"})
    but = " A denial still wins over it: `/permissions` lists them." if denied and decision != "deny" else ""
    return (Prose(markdown=f"{said}{but}"),)


async def _forgotten(context: ConversationContext) -> Answers:
    kept, known, agent = await _grants(context), context.conversation.permissions, context.agent
    decided = len({*known.granted, *kept})
    if kept:
        await asyncio.to_thread(save_grants, state_folder(context.environment), agent.identity, agent.root, ())
    known.forget(set(kept) - set(_origins(context)))
    if not decided:
        return (Prose(markdown="Nothing was allowed beyond the settings."),)
    rules = count(decided, "rule")
    return (Prose(markdown=f"Forgot {rules} of this session and this workspace; the settings count as they are."),)


async def mode(given: Inputs, context: ConversationContext) -> Answers:
    """Tell the permission mode, or switch it."""
    known = context.conversation.permissions
    match given.text("action"):
        case "":
            pass
        case "ask" | "edits" | "plan" as wanted:
            known.mode = wanted
        case other:
            raise given.refuse(f"There is no mode {other!r}.")
    return (Prose(markdown=MODES[known.mode]),)


async def approve(given: Inputs, context: ConversationContext) -> Answers:
    """Leave plan mode, and have the plan carried out."""
    known = context.conversation.permissions
    if known.mode != "plan":
        raise given.refuse("There is no plan to approve: plan mode is off.")
    known.mode = "edits" if given.text("action") == "edits" else "ask"
    await context.conversation.send(APPROVED)
    return (Prose(markdown=f"The plan is approved. {MODES[known.mode]}"),)
