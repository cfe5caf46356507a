"""The models of a process: each made once, found by its name, and closed whatever fails."""

import asyncio
import json
from pathlib import Path

import pytest

from holdfast import Budget
from holdfast.errors import BadInput, HoldfastError
from holdfast.model.context_sizes import ModelSize
from holdfast.providers.choose.pool import ModelPool

NOBODY = {"OLLAMA_HOST": "http://127.0.0.1:9", "NO_PROXY": "*"}


def pool(folder: Path, configured: str = "", **environment: str) -> ModelPool:
    """A roster that knows only this."""

    def budget(size: ModelSize) -> Budget:
        return Budget(tokens=size.window, output=min(1_000, size.window // 2))

    return ModelPool(
        configured=configured, environment={**NOBODY, **environment}, cache=folder, endpoints={}, budget=budget
    )


@pytest.fixture
def script(tmp_path: Path) -> str:
    """The name of a scripted model."""
    file = tmp_path / "script.jsonl"
    file.write_text(json.dumps({"say": "Here."}) + "\n")
    return f"scripted:{file}"


async def test_a_model_is_made_once(tmp_path: Path, script: str) -> None:
    """
    Also for those who ask for it at once.
    """
    models = pool(tmp_path, script)
    first, second, usual = await asyncio.gather(models.named(script), models.named(script), models.usual())

    assert first is second is usual
    assert script == first.name
    assert first.takes_tools
    await models.close()
    await models.close()


async def test_the_usual_one_is_the_one_of_the_settings_else_the_one_with_a_key_else_the_one_inside(
    tmp_path: Path, script: str
) -> None:
    """
    And why is said.
    """
    configured, keyed, bare = (
        pool(tmp_path, script),
        pool(tmp_path, OPENAI_API_KEY="sk-nothing"),
        pool(tmp_path),
    )

    assert script == (await configured.choice()).name
    assert (await keyed.choice()).name.startswith("openai:")
    inside = await bare.usual()
    assert inside.name.startswith("local:")
    assert not inside.takes_tools
    assert (await bare.choice()).said
    assert script == (await bare.choice(asked=script)).name
    assert script == (await bare.choice(session=script)).name
    for each in (configured, keyed, bare):
        await each.close()


@pytest.mark.parametrize("name", ["nobody:knows", ":", "openai:"])
async def test_a_name_that_nobody_knows_is_refused(tmp_path: Path, name: str) -> None:
    """
    With what there is.
    """
    with pytest.raises(BadInput):
        await pool(tmp_path).named(name)


async def test_a_model_without_its_key_says_which_one(tmp_path: Path) -> None:
    """
    By the name of the variable.
    """
    with pytest.raises(HoldfastError, match="OPENAI_API_KEY"):
        await pool(tmp_path).named("openai:gpt-4o")


@pytest.mark.parametrize(
    ("environment", "endpoints", "output"),
    [
        ({}, {}, 16_384),
        ({}, {"openai": "https://api.openai.com/v1/"}, 16_384),
        ({}, {"openai": "http://127.0.0.1:9/v1"}, 0),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, {}, 0),
    ],
)
async def test_a_server_of_ones_own_decides_how_long_replies_are(
    tmp_path: Path, environment: dict[str, str], endpoints: dict[str, str], output: int
) -> None:
    """
    It was started with a window of its own, and refuses a longer reply than that has room for.
    """
    sizes: list[ModelSize] = []

    def budget(size: ModelSize) -> Budget:
        sizes.append(size)
        return Budget(tokens=size.window)

    known = {**NOBODY, "OPENAI_API_KEY": "sk-nothing", **environment}
    models = ModelPool(configured="", environment=known, cache=tmp_path, endpoints=endpoints, budget=budget)
    await models.named("openai:gpt-4o")
    await models.close()

    assert [ModelSize(window=128_000, output=output)] == sizes
