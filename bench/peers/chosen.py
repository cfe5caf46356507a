"""Which peers are measured, and how far each one goes."""

from collections.abc import Mapping

import msgspec


class Peer(msgspec.Struct, frozen=True, kw_only=True):
    """A library a developer could pick instead."""

    name: str
    """Its name on PyPI, or what it is built on."""
    module: str
    """Our program that drives it, started with its interpreter."""
    requirements: str
    """The file that pins it, in `requirements/`; empty if it needs nothing but Python."""
    most: Mapping[str, int]
    """For each task it can do, the largest size that it is asked for: beyond, a round would take minutes."""

    def refusal(self, task: str, size: int) -> str:
        """Why it is not measured at this; empty if it is."""
        if task not in self.most:
            return "offers nothing like it"
        if size > self.most[task]:
            return f"not measured beyond {self.most[task]:,}"
        return ""


NANOBOT = Peer(
    name="nanobot-ai",
    module="bench.peers.nanobot",
    requirements="peers-nanobot.txt",
    most={
        "append": 10_000,
        "ack": 10_000,
        "parallel8": 10_000,
        "parallel64": 10_000,
        "amplification": 10_000,
        "open": 10_000,
        "load": 10_000,
        "list": 10_000,
        "help": 0,
        "window/32k": 10_000,
        "window/200k": 10_000,
        "cache_reuse": 0,
        "cache_cost": 0,
        "turn/0": 10_000,
        "turn/10": 10_000,
        "headless_start": 1_000,
        "agent_memory": 1_000,
        "prompt": 1_000,
        "idle_memory": 1_000,
    },
)

OPENAI_AGENTS = Peer(
    name="openai-agents",
    module="bench.peers.openai_agents",
    requirements="peers-openai-agents.txt",
    most={
        "append": 100_000,
        "ack": 100_000,
        "parallel8": 100_000,
        "parallel64": 100_000,
        "amplification": 100_000,
        "open": 100_000,
        "load": 100_000,
    },
)

SQLITE = Peer(
    name="sqlite",
    module="bench.peers.sqlite",
    requirements="",
    most={
        "append": 1_000_000,
        "ack": 1_000_000,
        "parallel8": 1_000_000,
        "parallel64": 1_000_000,
        "amplification": 1_000_000,
        "load": 1_000_000,
        "list": 1_000_000,
        "search": 1_000_000,
    },
)

PEERS = (NANOBOT, OPENAI_AGENTS, SQLITE)
