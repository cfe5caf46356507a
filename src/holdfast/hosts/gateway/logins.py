"""Who may come in: one-time links, browsers that logged in, and tokens of programs.

They lie in one file of the user's state folder, as hashes. `holdfast serve --login` and its like change that file
while a gateway runs, which looks at it again when it changes; a login that is gone there is gone at once.
"""

import hmac
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec

from holdfast.config.own_files import locked, read_own, write_own
from holdfast.errors import BadInput, NotThere
from holdfast.records.parts import Value

LINK_MINUTES = 15
"""How long a one-time link can be used."""
FILE = "logins.json"
_SECRET_BYTES = 24
_ID_BYTES = 4

Kind = Literal["link", "browser", "token"]


class Login(Value, frozen=True, kw_only=True):
    """One way in."""

    id: str
    kind: Kind
    person: str
    """'' is the person of the machine."""
    name: str = ""
    """What it is for: the name of a program, or of a device."""
    hashed: str
    """The SHA-256 of its secret."""
    page_hashed: str = ""
    """The SHA-256 of the secret that the page sends beside its cookie."""
    created: datetime
    expires: datetime | None = None


class LoggedIn(Value, frozen=True, kw_only=True):
    """What a browser is given when it logs in."""

    login: Login
    cookie: str
    secret: str
    """For the page alone; no cookie has it."""


def _now() -> datetime:
    return datetime.now(UTC)


class Logins:
    """The logins of one store."""

    def __init__(self, folder: Path, *, now: Callable[[], datetime] = _now) -> None:
        """Keep them in a file of a folder, which is made when the first one is."""
        self.folder, self._now = folder, now
        """Where they lie."""
        self._known: dict[str, Login] = {}
        self._stamp: tuple[int, int, int] | None = None

    @property
    def file(self) -> Path:
        """Where they lie."""
        return self.folder / FILE

    def all(self) -> tuple[Login, ...]:
        """Every login that counts now."""
        now = self._now()
        return tuple(each for each in self._read().values() if each.expires is None or each.expires > now)

    def link(self, person: str) -> str:
        """The secret of a new one-time link."""
        return self._new("link", person, "", expires=self._now() + timedelta(minutes=LINK_MINUTES))

    def token(self, person: str, name: str) -> str:
        """A new token for a program; one of the same name and person counts no longer."""
        return self._new("token", person, name)

    def _new(self, kind: Kind, person: str, name: str, expires: datetime | None = None) -> str:
        made, secret = self._made(kind, person, name)
        made = msgspec.structs.replace(made, expires=expires)

        def add(logins: dict[str, Login]) -> None:
            if kind == "token":
                for each in [each for each in logins.values() if _same(each, kind, person, name)]:
                    del logins[each.id]
            logins[made.id] = made

        self._change(add)
        return secret

    def _made(self, kind: Kind, person: str, name: str) -> tuple[Login, str]:
        identity, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
        login = Login(id=identity, kind=kind, person=person, name=name, hashed=_hashed(secret), created=self._now())
        return login, f"{identity}.{secret}"

    def use_link(self, link: str, name: str = "") -> LoggedIn | None:
        """Log a browser in with a link, which counts no longer then; None if it does not count."""
        found = self._found(link, "link")
        if found is None:
            return None
        made, cookie = self._made("browser", found.person, name)
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        made = msgspec.structs.replace(made, page_hashed=_hashed(secret))
        used: list[Login | None] = []

        def exchange(logins: dict[str, Login]) -> None:
            used.append(logins.pop(found.id, None))
            if used[0] is not None:
                logins[made.id] = made

        self._change(exchange)
        return LoggedIn(login=made, cookie=cookie, secret=secret) if used[0] is not None else None

    def of_token(self, token: str) -> Login | None:
        """The login of a token; None if it does not count."""
        return self._found(token, "token")

    def of_cookie(self, cookie: str) -> Login | None:
        """The login of a cookie; None if it does not count. It opens nothing without the secret of its page."""
        return self._found(cookie, "browser")

    def counts(self, login: Login) -> bool:
        """Whether a login counts still."""
        return self._read().get(login.id) == login

    def end(self, name: str) -> tuple[Login, ...]:
        """End logins by their id, their name, or the name of their person. Raises `NotThere` if there is none."""
        ended: list[Login] = []

        def remove(logins: dict[str, Login]) -> None:
            ended.extend(each for each in logins.values() if name and name in {each.id, each.name, each.person})
            for each in ended:
                del logins[each.id]

        self._change(remove)
        if not ended:
            raise NotThere(f"There is no login {name!r}.", hint="`holdfast serve --logins` lists them.")
        return tuple(ended)

    def _found(self, credential: str, kind: Kind) -> Login | None:
        identity, _, secret = credential.partition(".")
        found = self._read().get(identity)
        hashed = _hashed(secret)  # also where there is none, so that both take as long
        if found is None or found.kind != kind or not hmac.compare_digest(found.hashed, hashed):
            return None
        return found if found.expires is None or found.expires > self._now() else None

    def _read(self) -> dict[str, Login]:
        try:
            status = self.file.stat()
        except FileNotFoundError:
            self._known, self._stamp = {}, None
            return self._known
        stamp = (status.st_mtime_ns, status.st_ino, status.st_size)
        if stamp != self._stamp:
            self._known, self._stamp = self._stored(), stamp
        return self._known

    def _stored(self) -> dict[str, Login]:
        try:
            stored = msgspec.json.decode(read_own(self.file), type=tuple[Login, ...])
        except FileNotFoundError:
            return {}
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BadInput(f"{self.file} is damaged: {error}.", hint="Remove it, and log in anew.") from error
        return {each.id: each for each in stored}

    def _change(self, change: Callable[[dict[str, Login]], None]) -> None:
        with locked(self.folder):
            now = self._now()
            logins = {name: each for name, each in self._stored().items() if each.expires is None or each.expires > now}
            change(logins)
            write_own(self.file, msgspec.json.format(msgspec.json.encode(tuple(logins.values()))))
        self._stamp = None


def page_secret_fits(login: Login, secret: str) -> bool:
    """Whether a page has the secret that belongs to its cookie; a token needs none."""
    return login.kind == "token" or hmac.compare_digest(login.page_hashed, _hashed(secret))


def _same(login: Login, kind: Kind, person: str, name: str) -> bool:
    return (login.kind, login.person, login.name) == (kind, person, name)


def _hashed(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()
