"""The shape of the source: lines, files, functions, names that are used twice, and what one message passes.

`python -m bench.shape` prints it for the installed package, and `python -m bench.shape --json` for programs.
"""

import ast
import asyncio
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median, quantiles
from types import CodeType, FrameType

import holdfast
from bench.turns import Alone

SOURCE = Path(holdfast.__file__).parent


def shape(source: Path) -> dict[str, int]:
    """What can be counted in files."""
    paths = sorted(source.rglob("*.py"))
    trees = {path: ast.parse(path.read_text()) for path in paths}
    functions = [
        (node.end_lineno or node.lineno) - node.lineno + 1
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    modules = Counter(path.stem for path in paths if not path.stem.startswith("__"))
    classes = Counter(
        node.name
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return {
        "lines": sum(len(path.read_text().splitlines()) for path in paths),
        "files": len(paths),
        "functions": len(functions),
        "lines of a function, median": round(median(functions)),
        "lines of a function, p95": round(quantiles(functions, n=20)[-1]),
        "module names used twice": sum(count > 1 for count in modules.values()),
        "public class names used twice": sum(count > 1 for count in classes.values()),
    }


async def passed() -> set[CodeType]:
    """The functions of ours that a message passes: the second turn, on a file store, without a tool."""
    found: set[CodeType] = set()

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(SOURCE)) and not code.co_name.startswith("<"):
            found.add(code)

    with tempfile.TemporaryDirectory() as folder:
        target = holdfast.Target(family="openai-chat", model="example")
        model = holdfast.ScriptedModel(target, "one", "two")
        setup = holdfast.AgentSetup(models=Alone(model), titles=False)
        async with holdfast.Engine(holdfast.open_store(folder), setup) as engine:
            conversation = await engine.open("shape")
            await conversation.send("first")
            await conversation.idle()
            sys.setprofile(profile)
            try:
                await conversation.send("second")
                await conversation.idle()
            finally:
                sys.setprofile(None)
    return found


def main() -> None:
    """Print it."""
    code = asyncio.run(passed())
    figures = {
        **shape(SOURCE),
        "functions that one message passes": len(code),
        "modules that one message passes": len({each.co_filename for each in code}),
    }
    if "--json" in sys.argv[1:]:
        print(json.dumps(figures))
        return
    for name, figure in figures.items():
        print(f"{figure:>8,}  {name}")


if __name__ == "__main__":
    main()
