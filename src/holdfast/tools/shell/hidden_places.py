"""Which places no command sees: secrets below a home folder, secrets of the system, and what is Holdfast's own.

A place is looked up at every command, links followed one by one, because it may have moved or come into being
since. Its trail says what else has to stay as it is for the place to stay hidden: a folder on the way that is
renamed takes the place along, and a link on the way that is replaced leads somewhere else.
"""

import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from holdfast.records.parts import Value

Kind = Literal["folder", "file", "missing"]

FOLDERS = (
    ".aws .azure .bitcoin .cloudflared .config/1Password .config/age .config/Bitwarden .config/BraveSoftware "
    ".config/chromium .config/containers .config/doctl .config/gcloud .config/gh .config/github-copilot "
    ".config/google-chrome .config/hcloud .config/keepassxc .config/microsoft-edge .config/op .config/rclone "
    ".config/Signal .config/sops .config/stripe .docker .electrum .fly .gnupg .kube .local/share/atuin "
    ".local/share/keyrings .local/share/kwalletd .mozilla .oci .password-store .pki .pulumi .putty .snowsql .ssh .step "
    ".subversion/auth .terraform.d .thunderbird"
).split()
"""Folders of secrets below a home folder."""

FILES = (
    ".bash_history .boto .cargo/credentials .cargo/credentials.toml .claude/.credentials.json .codex/auth.json "
    ".config/git/credentials .config/hub .databrickscfg .gem/credentials .gemini/oauth_creds.json .git-credentials "
    ".ICEauthority .lesshst .local/share/fish/fish_history .m2/settings-security.xml .m2/settings.xml .my.cnf "
    ".mysql_history .netrc .node_repl_history .npmrc .passwd-s3fs .pgpass .psql_history .pypirc .python_history "
    ".rediscli_history .s3cfg .smbcredentials .sqlite_history .vault-token .Xauthority .zsh_history"
).split()
"""Files of secrets below a home folder."""

_OWN = (".holdfast", ".config/holdfast", ".local/share/holdfast", ".local/state/holdfast", ".cache/holdfast")

_SYSTEM = [
    f"/etc/{each}"
    for each in (
        ".bzr .git .hg apt/auth.conf apt/auth.conf.d credstore credstore.encrypted cryptsetup-keys.d docker/key.json "
        "ipsec.secrets krb5.keytab kubernetes letsencrypt mysql/debian.cnf NetworkManager/system-connections openvpn "
        "postfix/sasl_passwd ppp/chap-secrets ppp/pap-secrets rancher security/opasswd ssl/private wireguard "
        "wpa_supplicant"
    ).split()
] + [
    f"/var/{each}"
    for each in (
        "backups lib/bluetooth lib/containerd lib/containers lib/docker lib/etcd lib/kubelet lib/private lib/rancher "
        "lib/samba/private lib/sss lib/tailscale"
    ).split()
]
"""Passwords and keys that the system keeps. Most can be read by root alone, but a command of root is root."""

_SYSTEM_NAMES = (("/etc", ("shadow", "gshadow", ".shadow", ".gshadow")), ("/etc/ssh", ("ssh_host_",)))
"""Folders, and the beginnings of names in them: `shadow-` and `shadow.bak` are copies of `shadow`."""

_MOST_LINKS = 40


class HiddenPlace(Value, frozen=True, kw_only=True):
    """A place that is hidden."""

    path: Path
    """Where it is looked for."""
    kind: Literal["folder", "file"]
    """What it is when it comes into being."""
    kept: Literal["system", "secret", "own"]
    """Whose it is: the system's, the user's, or Holdfast's own."""


class Trail(Value, frozen=True, kw_only=True):
    """The way to a place."""

    end: Path
    """Where it is, links followed."""
    kind: Kind
    """What is there now."""
    before: tuple[Path, ...]
    """What the way leads through, in order: folders, there or not."""
    links: tuple[Path, ...]


def hidden_places(
    environment: Mapping[str, str], homes: Sequence[Path], own: Iterable[Path]
) -> tuple[HiddenPlace, ...]:
    """Holdfast's own places, and the places of secrets below some home folders."""
    home = environment.get("HOME", "")
    named = [environment.get("HOLDFAST_STORE", "")]
    named += [f"{environment[name]}/holdfast" for name in _XDG if environment.get(name)]
    ours = [Path(each.replace("~", home, 1) if each.startswith("~/") else each) for each in named if each]
    ours += [path.expanduser() for path in own]
    found = [HiddenPlace(path=path.absolute(), kind=_own_kind(path), kept="own") for path in ours]
    # Where it keeps them usually. This Holdfast may use others, and leaves nothing of its own in these then.
    found += [HiddenPlace(path=path / each, kind="folder", kept="secret") for path in homes for each in _OWN]
    found += [HiddenPlace(path=path / each, kind="folder", kept="secret") for path in homes for each in FOLDERS]
    found += [HiddenPlace(path=path / each, kind="file", kept="secret") for path in homes for each in FILES]
    # What a link leads to now stays hidden, also when the link is gone.
    found += [HiddenPlace(path=trail(each.path).end, kind=each.kind, kept=each.kept) for each in tuple(found)]
    return tuple({each.path: each for each in reversed(found)}.values())


def places_of_the_system() -> tuple[HiddenPlace, ...]:
    """Places of secrets that the system has now and that we could read."""
    return tuple(
        HiddenPlace(path=path, kind="file", kept="system") for path in _of_the_system() if os.access(path, os.R_OK)
    )


_XDG = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


def _own_kind(path: Path) -> Literal["folder", "file"]:
    """Of Holdfast's own places only the file with the settings is a file."""
    return "file" if path.suffix == ".toml" else "folder"


def _of_the_system() -> Iterator[Path]:
    yield from map(Path, _SYSTEM)
    for folder, beginnings in _SYSTEM_NAMES:
        with suppress(OSError):
            for name in os.listdir(folder):  # noqa: PTH208 - thousands of names, few of them wanted
                if name.startswith(beginnings) and not name.endswith(".pub"):
                    yield Path(folder, name)


def trail(path: Path) -> Trail:
    """The way to a place, as the system goes it."""
    here = Path("/")
    before: list[Path] = []
    links: list[Path] = []
    names = deque(path.parts[1:])
    kind: Kind = "folder"
    while names:
        name = names.popleft()
        if name in {"", "."}:
            continue
        if name == "..":
            here = here.parent
            continue
        here /= name
        mode = _mode(here)
        if stat.S_ISLNK(mode) and len(links) < _MOST_LINKS and (target := _target(here)):
            links.append(here)
            names.extendleft(reversed(Path(target).parts))
            here = Path("/") if target.startswith("/") else here.parent
            continue
        kind = "missing" if not mode else "folder" if stat.S_ISDIR(mode) else "file"
        if names:
            before.append(here)
    return Trail(end=here, kind=kind, before=tuple(before), links=tuple(links))


def _mode(path: Path) -> int:
    """What a name stands for; 0 for nothing, and for what cannot be looked at."""
    try:
        return path.lstat().st_mode
    except OSError:
        return 0


def _target(link: Path) -> str:
    with suppress(OSError):
        return os.readlink(link)  # noqa: PTH115 - as it is written: a path object drops what is at its end
    return ""
