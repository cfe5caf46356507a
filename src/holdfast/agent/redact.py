"""Likely secrets in the output of tools, taken out before it is written down.

Three sources: values that this process knows to be secret, shapes that well-known services give their
keys, and values that stand behind a name such as `password`. Hashes, UUIDs and encoded pictures
look random too and stay. It is a net, not a promise: a secret in another form passes through.
Text may be hostile, so every shape is read in one pass: none begins in the middle of a run it would read to its
end, and none reads over the beginning of the next.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from holdfast.records.parts import Value

SHORTEST = 8
"""Shorter values are not taken for secrets: too much other text would go with them."""

_SECRET_NAME = re.compile(
    r"(?i)token|secret|passw(?:or)?d|passphrase|apikey|authorization|cookie|(?:^|_)(?:key|credentials?|dsn|pass)(?:_|$)|_pwd(?:_|$)"
)
_PLACE_NAME = re.compile(r"(?i)_(?:file|path|dir|folder|ur[il]|host|endpoint)s?$")
_PLACE = re.compile(r"(?:~|\.{0,2})/")
_NO_SECRET = re.compile(r"[A-Za-z]+://.*|true|false|enabled|disabled|[0-9.]+")
_IN_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{0,30}://[^\s/:@]{0,256}:([^\s/@]{1,1024})@")
_PLACEHOLDER = re.compile(r"(\[redacted: [a-z ]{1,40}\])")
_BITS = 3.0
"""Per character; words and names have less."""
_DIGITS = 3
_DIFFERENT = 4
"""So many characters a password has at least that are not the same."""
_EXAMPLE = re.compile(
    r"(?i)change|example|placeholder|redacted|your|xxx|\.\.\.|…|^(?:password|secret|token|undefined)$"
)
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{16}")
_ATTRIBUTE = re.compile(r"[A-Za-z_]++[0-9]?(?:\.[A-Za-z_]++[0-9]?)+")


def _anything(_: str) -> bool:
    return True


def _random(value: str) -> bool:
    """Whether a value was drawn rather than written: letters and digits in no order."""
    if not (any(char.isdigit() for char in value) and any(char.isalpha() for char in value)):
        return False
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values()) >= _BITS


def _drawn(value: str) -> bool:
    """As `_random`, with as many digits as keys have and names have not."""
    return sum(char.isdigit() for char in value) >= _DIGITS and _random(value)


def _assigned(value: str) -> bool:
    """Whether what stands behind `password=` is a password, not a path, a call or another name."""
    code = value.startswith(("/", "./", "../", "~")) or value.endswith("(") or _ATTRIBUTE.fullmatch(value)
    return not code and _random(value)


def _line(value: str) -> bool:
    """Whether what stands behind `PASSWORD=` is a value, not a place for one."""
    if value.startswith(("$", "{", "<", "%", "*", "(", "/", "./", "../", "~")) or len(set(value)) < _DIFFERENT:
        return False
    return not (value.isdigit() or value.endswith("(") or _ATTRIBUTE.fullmatch(value) or _EXAMPLE.search(value))


def _block(value: str) -> bool:
    """Whether there is a key between the lines that begin and end one."""
    return _KEY_LINE.search(value) is not None


def _password(value: str) -> bool:
    """Whether what stands before `@` in an address is not a place for a password."""
    return not value.startswith(("$", "{", "<", "*", "%"))


class Shape(Value, frozen=True, kw_only=True):
    """How secrets of one kind look."""

    kind: str
    """In words for a person."""
    hints: tuple[str, ...]
    """Text without which there is none, in small letters."""
    pattern: str
    """What to look for; the group `secret` is what is taken out."""
    check: Callable[[str], bool] = _anything
    """Whether a secret that was found is one."""


_ALONE = r"(?:(?<![A-Za-z0-9_-])|(?<=[0-9;\[]m)|(?<=\\[nrt]))"
"""Where a word begins; also right behind a colour, or a line's end as programs write it."""


def _token(kind: str, hints: str, pattern: str, check: Callable[[str], bool] = _anything) -> Shape:
    """A key with a beginning of its own, which stands alone."""
    return Shape(
        kind=kind,
        hints=tuple(hints.split()),
        pattern=rf"{_ALONE}(?P<secret>{pattern})(?![A-Za-z0-9_-])",
        check=check,
    )


_NAMES = (
    r"pass(?:word|wd|phrase)|pwd|secret|token|credentials?|api[_-]?key|access[_-]?key|secret[_-]?key(?:[_-]?base)?|"
    r"private[_-]?key|account[_-]?key|auth[_-]?key|encryption[_-]?key"
)
_W = "[A-Za-z0-9_-]"
_END = r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
_LINE_NAMES = (
    "PASSWORD|PASSWD|PASSPHRASE|_PWD|SECRET|TOKEN|CREDENTIALS?|API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|AUTH_?KEY|"
    "ENCRYPTION_?KEY"
)

SHAPES = (
    Shape(
        kind="private key",
        hints=("private key",),
        # To its end, whatever stands before each line; or what follows in one piece; or lines of it, where it is cut.
        pattern=(
            r"(?P<secret>-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:"
            rf"(?:(?!-----BEGIN |-----END )[\s\S]){{1,20000}}{_END}|"
            r"(?:\\[nr]|[\s\"'])*"
            r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): (?:(?!-----)[^\n]){0,200}\n\s*+){0,6}"
            r"[A-Za-z0-9+/=]{16}[A-Za-z0-9+/=\s\\\"']*+|"
            r"[^\n]{0,20}+(?:\n(?:(?!-----|[A-Za-z0-9+/=]{40})[^\n]){0,200}[A-Za-z0-9+/=]{40,}+[^\nA-Za-z0-9-]{0,8}+)+))"
        ),
        check=_block,
    ),
    _token("aws key", "akia asia", r"(?:AKIA|ASIA)[A-Z0-9]{16}"),
    Shape(
        kind="secret",
        hints=("access",),
        pattern=(
            r"(?i:secret_?access_?key)[\"']?\s{0,3}(?:=>|:=|[:=])\s{0,3}[\"']?"
            r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
    ),
    _token("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    _token("github token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _token(
        "gitlab token", "glpat- glptt- gldt- glrt- glcbt- gloas- glft-", rf"gl(?:pat|ptt|dt|rt|cbt|oas|ft)-{_W}{{20,}}+"
    ),
    _token("anthropic key", "sk-ant-", rf"sk-ant-{_W}{{20,}}+"),
    _token("api key", "sk-", rf"sk-{_W}{{20,}}+", _drawn),
    _token("google key", "aiza", rf"AIza{_W}{{35}}"),
    _token("google token", "ya29.", rf"ya29\.{_W}{{20,}}+"),
    _token("google secret", "gocspx-", rf"GOCSPX-{_W}{{20,}}+"),
    _token("slack token", "xox xapp-", r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}+"),
    Shape(
        kind="slack token",
        hints=("hooks.slack.com",),
        pattern=r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{20,}+)",
    ),
    Shape(
        kind="webhook secret",
        hints=("/api/webhooks/",),
        pattern=rf"/api/webhooks/[0-9]{{5,25}}/(?P<secret>{_W}{{40,}}+)",
    ),
    Shape(
        kind="signature",
        hints=("sig=",),
        pattern=r"[?&]sig=(?P<secret>[A-Za-z0-9%/+-]{40,}+=?)",
        check=_random,
    ),
    _token("telegram token", ":aa", rf"[0-9]{{8,10}}:AA{_W}{{33}}"),
    _token("stripe key", "_live_ _test_", r"[srp]k_(?:live|test)_[A-Za-z0-9]{16,}+", _drawn),
    _token("webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{16,}+"),
    _token("npm token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _token("pypi token", "pypi-", rf"pypi-{_W}{{50,}}+"),
    _token("hugging face token", "hf_", r"hf_[A-Za-z0-9]{30,}+"),
    _token("xai key", "xai-", r"xai-[A-Za-z0-9]{40,}+"),
    _token("perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{40,}+"),
    _token("replicate token", "r8_", r"r8_[A-Za-z0-9]{37}"),
    _token("groq key", "gsk_", r"gsk_[A-Za-z0-9]{40,}+"),
    _token("sendgrid key", "sg.", rf"SG\.{_W}{{20,24}}\.{_W}{{40,50}}"),
    _token("digitalocean token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _token("age key", "age-secret-key-", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _token("vault token", "hvs. hvb.", rf"hv[sb]\.{_W}{{24,}}+"),
    _token("shopify token", "shpat_ shpss_ shpca_ shppa_", r"shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}"),
    _token("databricks token", "dapi", r"dapi[a-f0-9]{32}"),
    _token("grafana token", "glsa_", r"glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}"),
    _token("linear key", "lin_api_", r"lin_api_[A-Za-z0-9]{32,}+"),
    _token("notion token", "ntn_", r"ntn_[A-Za-z0-9]{40,}+"),
    _token("jwt", "eyj", rf"eyJ{_W}{{8,}}+\.eyJ{_W}{{8,}}+(?:\.{_W}++)?"),
    Shape(
        kind="authorization",
        hints=("authorization",),
        pattern=(
            r"(?i:authorization)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?i:basic|bearer|token|negotiate|apikey)\s{1,3}"
            r"(?P<secret>[A-Za-z0-9._~+/=-]{8,}+)"
        ),
    ),
    Shape(
        kind="authorization",
        hints=("bearer",),
        pattern=r"(?i:bearer)\s{1,3}(?P<secret>[A-Za-z0-9._~+/=-]{16,}+)",
        check=_random,
    ),
    Shape(
        kind="password",
        hints=("://",),
        pattern=r"://[^\s/:@\"'<>\[\]]{0,128}:(?P<secret>[^\s/@\"'<>\[\]]{3,256})@",
        check=_password,
    ),
    Shape(
        kind="password",
        hints=("login",),
        pattern=r"(?:^|\s)login\s{1,3}\S{1,128}\s{1,3}password\s{1,3}(?P<secret>\S{3,256})",
        check=_password,
    ),
    Shape(
        kind="secret",
        hints=("pass", "pwd", "secret", "token", "credential", "key"),
        pattern=(
            rf"(?:{_LINE_NAMES})=(?P<quote>[\"'])?"
            r"(?P<secret>(?(quote)[^\"'\n]{6,256}|[^\s\"'`,;#]{6,256}))"
        ),
        check=_line,
    ),
    Shape(
        kind="secret",
        hints=("pass", "pwd", "secret", "token", "credential", "key"),
        pattern=(
            rf"(?i:{_NAMES})(?:[\"']?\]?\s{{0,3}}(?:=>|:=|[:=])\s{{0,3}}[\"']?|[\"'],\s{{0,3}}[\"'])"
            r"(?P<secret>[A-Za-z0-9+/=_.!@#%^&*~$-]{8,}+\(?)"
        ),
        check=_assigned,
    ),
    Shape(
        kind="secret",
        hints=("pass", "pwd", "secret", "token", "credential", "key"),
        pattern=rf"<[\w.:-]{{0,40}}(?i:{_NAMES})>(?P<secret>[^<>\s]{{8,256}}+)</",
        check=_assigned,
    ),
    Shape(
        kind="secret",
        hints=("--",),
        pattern=rf"(?<![\w-])--[\w-]{{0,40}}(?i:{_NAMES})\s{{1,3}}[\"']?(?P<secret>[A-Za-z0-9+/=_.!@#%^&*~-]{{8,}}+)",
        check=_assigned,
    ),
)
"""Every shape, the more telling ones first."""
_HINTS = tuple(dict.fromkeys(hint for shape in SHAPES for hint in shape.hints))


class Redactor:
    """Takes secrets out of text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """Know some secrets to the letter; those too short to tell from other text are left out."""
        known = sorted({each for each in secrets if len(each) >= SHORTEST}, key=lambda each: (-len(each), each))
        self._known = re.compile(f"(?P<secret>{'|'.join(map(re.escape, known))})") if known else None

    def redacted(self, text: str) -> tuple[str, int]:
        """The text with `[redacted: kind]` for each likely secret, and how many there were; twice is once."""
        total = 0
        while True:  # what is taken out may uncover the beginning of something else
            text, count = self._once(text)
            if not count:
                return text, total
            total += count

    def _once(self, text: str) -> tuple[str, int]:
        count = 0
        if self._known is not None:
            text, count = _taken_out(text, self._known, "known secret", _anything)
        small = text.lower()
        found_hints = {hint for hint in _HINTS if hint in small}
        if not found_hints:  # as in most texts
            return text, count
        for shape in SHAPES:
            if not found_hints.isdisjoint(shape.hints):
                # Compiled when it is first needed, and kept by `re`: thirty of them would delay every start.
                text, found = _taken_out(text, re.compile(shape.pattern), shape.kind, shape.check)
                count += found
        return text, count


def _taken_out(text: str, pattern: re.Pattern[str], kind: str, check: Callable[[str], bool]) -> tuple[str, int]:
    """Replace what is found; what was replaced before stays, and nothing is read across it."""
    count = 0

    def instead(found: re.Match[str]) -> str:
        nonlocal count
        if not check(found["secret"]):
            return found[0]
        count += 1
        start, end = found.start("secret") - found.start(), found.end("secret") - found.start()
        return f"{found[0][:start]}[redacted: {kind}]{found[0][end:]}"

    pieces = _PLACEHOLDER.split(text)  # every second one is a placeholder
    pieces[::2] = [pattern.sub(instead, piece) for piece in pieces[::2]]
    return "".join(pieces), count


_WITHOUT_SECRETS = Redactor()


def redacted(text: str) -> tuple[str, int]:
    """As `Redactor.redacted`, by shape alone."""
    return _WITHOUT_SECRETS.redacted(text)


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """What variables hold that is secret: the value, where its name says so, and the password in any address."""
    found: list[str] = []
    for name, value in environment.items():
        if _SECRET_NAME.search(name) and not (_NO_SECRET.fullmatch(value) or _says_where(name, value)):
            found.append(value)
        found += _IN_ADDRESS.findall(value)
    return tuple(value for value in found if len(value) >= SHORTEST)


def _says_where(name: str, value: str) -> bool:
    """Whether a variable holds the place of a secret; some secrets begin as paths do."""
    return _PLACE_NAME.search(name) is not None or (_PLACE.match(value) is not None and not _drawn(value))
