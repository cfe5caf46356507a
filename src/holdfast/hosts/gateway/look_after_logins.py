"""`holdfast serve --login` and its like: who may come in, changed from a shell while a gateway runs."""

from holdfast.commands.inputs import Inputs
from holdfast.errors import BadInput
from holdfast.hosts.console import Console
from holdfast.hosts.exits import Exit
from holdfast.hosts.gateway.logins import LINK_MINUTES, Login, Logins

ACTIONS = ("login", "token", "logins", "logout")


def asked_about_logins(given: Inputs) -> bool:
    """Whether a command line is about logins, and not to serve. Raises `BadInput` for several such options."""
    asked = [each for each in ACTIONS if given.flag(each)]
    if len(asked) > 1:
        raise BadInput(f"--{asked[0]} and --{asked[1]} contradict each other.", hint="Give one of them.")
    if given.text("person") and asked not in (["login"], ["token"]):
        raise BadInput("--person says for whom a login is.", hint="Give it with --login or --token.")
    return bool(asked)


def look_after_logins(given: Inputs, logins: Logins, address: str, console: Console) -> Exit:
    """Make, list or end logins."""
    person = given.text("person")
    if given.flag("login"):
        console.line(f"{address}#login={logins.link(person)}")
        console.note(f"It works once, for {LINK_MINUTES} minutes, while `holdfast serve` runs.")
    elif given.flag("token"):
        console.line(logins.token(person, given.text("token")))
        console.note("Send it as `Authorization: Bearer TOKEN`. It is shown only now; --logout ends it.")
    elif given.flag("logout"):
        for each in logins.end(given.text("logout")):
            console.line(f"ended {_shown(each)}")
    else:
        for each in logins.all():
            console.line(_shown(each))
    return Exit.OK


def _shown(login: Login) -> str:
    whose = login.person or "you"
    name = f" {login.name!r}" if login.name else ""
    return f"{login.id}  {login.kind}{name} of {whose}, since {login.created:%Y-%m-%d %H:%M} UTC"
