"""Which agent works in a session that is served: nobody but the person of the machine reaches the machine."""

import pytest

from holdfast import BadInput, SessionState, Source
from holdfast.assembly.served import ServedSetups
from tests.agent.troupe import PlainTool, scripted, setup


async def test_nobody_else_has_the_tools_of_the_person_of_the_machine() -> None:
    """
    A session of somebody else, or one that somebody else opens, has no tools, hooks, instructions and grants.
    """
    own = setup(scripted(), tools=[PlainTool("shell")], keep=print)
    served = ServedSetups(own, "here")
    others = (
        served.of(SessionState(owner="bob", workspace="here"), None),
        served.of(SessionState(workspace="here"), Source(host="web", sender="bob")),
    )

    assert own is served.of(SessionState(workspace="here"), Source(host="web"))
    assert own is served.of(SessionState(), None)
    for each in others:
        assert () == await each.toolbox.tools()
        assert (None, None, None) == (each.keep, each.memory, each.next_step)
        assert ((), (), ()) == (each.hooks, each.after_turn, each.before_compaction)
        assert "" == each.briefing.workspace


async def test_a_session_about_another_workspace_is_not_worked_in_here() -> None:
    """
    Its tools would change the files of this one.
    """
    served = ServedSetups(setup(scripted()), "here")

    with pytest.raises(BadInput, match="another workspace"):
        served.of(SessionState(workspace="elsewhere"), None)
    await served.close()
