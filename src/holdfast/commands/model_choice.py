"""`/model`: who answers, why, and who else could."""

from contextlib import suppress

from holdfast.commands.answers import Answers, Column, Prose, Table
from holdfast.commands.context import ConversationContext
from holdfast.commands.inputs import Inputs
from holdfast.errors import ModelError
from holdfast.installation import command_to_add
from holdfast.providers.choose.detect import is_installed, ollama_models, with_keys
from holdfast.providers.local.weights import GIVEN, given_model
from holdfast.providers.services import SERVICES, Service
from holdfast.records.parts import Value

BETTER = "A key such as OPENAI_API_KEY in the environment, or a running Ollama, brings more to choose from."


class ModelChoice(Value, frozen=True, kw_only=True):
    """A model that could answer."""

    name: str
    why: str


async def model(given: Inputs, context: ConversationContext) -> Answers:
    """Tell who answers, or change it."""
    if asked := given.text("name"):
        chat_model = await context.conversation.use_model(asked)
        when = " from the next step on" if context.conversation.busy else ""
        return (Prose(markdown=f"{chat_model.name} answers{when}, in this conversation."),)
    name, others = (await context.conversation.chat_model()).name, await choices(context)
    rows = ((name, await why(name, context)), *((each.name, each.why) for each in others if each.name != name))
    few = len(others) <= 1
    return (
        Table(
            title=f"{name} answers.",
            columns=(Column(name="Model"), Column(name="Why")),
            rows=rows,
            note=f"`/model NAME` changes it; any model of these services can be named. {BETTER if few else ''}".strip(),
        ),
    )


async def why(name: str, context: ConversationContext) -> str:
    """Why a model answers here, in a few words."""
    if name == context.conversation.state.model:
        return "chosen for this conversation"
    if context.agent.engine.setup.model:
        return "asked for when this was started"
    return (await context.agent.pool.choice()).why


async def choices(context: ConversationContext) -> tuple[ModelChoice, ...]:
    """What could answer: services with a key, what a running Ollama has, the built-in demo model."""
    found = [_of_service(each, context) for each in with_keys(context.environment) if each.model]
    local = SERVICES["local"]
    ollama = await ollama_models(context.environment)
    found += [ModelChoice(name=f"ollama:{each}", why="runs in Ollama") for each in ollama]
    with suppress(ModelError):  # a file that cannot be read is told of when it is chosen
        if own := given_model(context.environment):
            found.append(ModelChoice(name=f"local:{own.name}", why=f"the file in {GIVEN}"))
    found.append(ModelChoice(name=f"local:{local.model}", why="the built-in demo model: needs no key, uses no tools"))
    fallbacks = (ModelChoice(name=each, why="asked when others fail") for each in context.agent.settings.fallbacks)
    return tuple({each.name: each for each in (*fallbacks, *found)}.values())


def _of_service(service: Service, context: ConversationContext) -> ModelChoice:
    variable = service.variable(context.environment)
    missing = "" if is_installed(service) else f"; needs a package, type `{command_to_add(service.extra)}`"
    return ModelChoice(name=f"{service.name}:{service.model}", why=f"has a key: {variable}{missing}")
