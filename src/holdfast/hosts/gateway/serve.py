"""`holdfast serve`: opens the store's engine, and serves it until it is told to stop."""

import asyncio
import webbrowser
from functools import partial

from holdfast.agent.conversation import Conversation
from holdfast.assembly.agent import AgentRuntime, Wishes, open_runtime
from holdfast.assembly.served import ServedSetups
from holdfast.commands.answers import Answers
from holdfast.commands.context import CommandContext, ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.commands.run import run_line
from holdfast.config.places import state_folder
from holdfast.config.settings import GatewaySettings
from holdfast.errors import BadInput
from holdfast.hosts.console import Console
from holdfast.hosts.exits import Exit
from holdfast.hosts.gateway.gateway import Gateway
from holdfast.hosts.gateway.guard import LOOPBACK, Guard, Rates
from holdfast.hosts.gateway.logins import LINK_MINUTES, Logins
from holdfast.hosts.gateway.look_after_logins import asked_about_logins, look_after_logins
from holdfast.hosts.gateway.open_files import raise_limit
from holdfast.hosts.gateway.place import gateway_folder
from holdfast.hosts.gateway.resources.page_files import is_built
from holdfast.hosts.gateway.routes import all_routes
from holdfast.hosts.gateway.server import GatewayServer, bound, bound_in
from holdfast.hosts.gateway.service import GatewayLimits, GatewayService
from holdfast.hosts.signals import leaving

LIMITS = GatewayLimits()


def _settings(given: Inputs, found: GatewaySettings) -> GatewaySettings:
    """What the settings and the command line say."""
    port = given.number("port")
    return GatewaySettings(
        host=given.text("host") or found.host,
        port=found.port if port is None else port,
        hosts=found.hosts,
        proxies=found.proxies,
        grace_seconds=found.grace_seconds,
    )


def address_of(host: str, port: int) -> str:
    """The address that a person opens."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)  # noqa: S104
    return f"http://{shown}:{port}/"


async def _command(agent: AgentRuntime, conversation: Conversation, line: str) -> Answers:
    """Run a slash command; from a distance only the conversation itself can be reached.

    Commands tell of the settings and grants of the person of the machine, so nobody else has them.
    """
    if conversation.state.owner:
        raise BadInput("Commands are for the person of the machine.")
    return await run_line(
        line, ConversationContext(agent=agent, conversation=conversation, reach=frozenset({"conversation"}))
    )


async def serve(given: Inputs, context: CommandContext, console: Console) -> Exit:
    """Serve until a signal says to stop."""
    loaded = context.loaded
    wanted = _settings(given, loaded.settings.gateway)
    logins = Logins(gateway_folder(state_folder(context.environment), loaded.settings.store))
    if asked_about_logins(given):
        return look_after_logins(given, logins, address_of(wanted.host, wanted.port), console)
    if wanted.host not in LOOPBACK and not any(each.kind != "link" for each in logins.all()):
        raise BadInput(
            f"{wanted.host} can be reached by others, and nobody has logged in and there is no token yet.",
            hint="Serve on 127.0.0.1 and log in first, or make a token: `holdfast serve --token NAME`.",
        )
    own = [bound_in(logins.folder)] if given.flag("unix") else []
    listening = bound(wanted.host, wanted.port)
    raise_limit()
    agent = open_runtime(loaded, Wishes(), setups=ServedSetups)
    async with agent.engine:
        guard = Guard((wanted.host, *wanted.hosts), Rates(LIMITS.burst, LIMITS.each_second), proxies=wanted.proxies)
        service = GatewayService(
            agent.engine,
            logins,
            guard,
            limits=LIMITS,
            workspaces=lambda _: agent.identity,
            commands=partial(_command, agent),
        )
        server = GatewayServer(Gateway(service, all_routes()), [listening, *own])
        with leaving() as told:
            await server.start()
            address = address_of(wanted.host, listening.getsockname()[1])
            link = f"{address}#login={logins.link('')}"
            console.line(f"Holdfast serves {loaded.settings.store} at {address}")
            console.line(f"Open this link to log in; it works once, for {LINK_MINUTES} minutes:")
            console.line(link)
            if not is_built():
                console.note("The page is not built, so a plain one is shown: run `make page` in the project's folder.")
            console.flush()
            if given.flag("open"):
                await asyncio.to_thread(webbrowser.open, link)
            wakes = asyncio.create_task(agent.engine.run_wakes())
            if agent.engine.setup.memory is not None:
                agent.engine.setup.memory.start()
            await told.wait()
            wakes.cancel()
            console.note(f"Stopping: {told.note}.")
            await service.drain(wanted.grace_seconds)
            await server.stop()
    return Exit.OK
