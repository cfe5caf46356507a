"""Which files look as if they held secrets, by their names: the one list of them.

Such a file is read only after a person allowed it, because what a tool reads is sent to a model.
Names are compared without regard to case, width and invisible characters, as some file systems do.
"""

import re
import unicodedata
from functools import lru_cache

from holdfast.tools.files.globs import names_like
from holdfast.tools.shell import hidden_places

FOLDERS = (
    *(".aws", ".azure", ".docker", ".gcloud", ".gnupg", ".kube", ".mozilla", ".oci", ".password-store", ".snowsql"),
    *(".ssh", ".terraform.d", ".thunderbird", ".vault-token"),
)
"""All that lies in such a folder counts."""

_SHADOWS = tuple(f"{name}{copy}" for name in ("shadow", "gshadow") for copy in ("", "-", "~", ".bak"))

NAMES = (
    *(".env", ".env.*", "*.env", ".envrc", "*.secret", "*.secrets", "secrets", "credentials", "*service-account*.json"),
    *(
        f"{name}.{kind}"
        for name in ("secrets", "credentials")
        for kind in ("json", "y*ml", "toml", "ini", "txt", "xml")
    ),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.ppk", "*.p8", "*.p12", "*.pfx", "*.jks"),
    *("*.keystore", "*.kdbx", "*.gpg", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".pypirc", ".dockercfg"),
    *(".git-credentials", ".htpasswd", ".boto", ".s3cfg", "*.tfstate", "*.tfvars", "*.ovpn", "wallet.dat"),
    *(".*_history", ".lesshst", *_SHADOWS, ".databrickscfg", ".xauthority", ".iceauthority"),
)
"""Names of files."""

PATHS = (
    *(".git/config", ".git/credentials", ".git/modules/*/config"),
    *(f"{each}/*" for each in map(str.casefold, hidden_places.FOLDERS)),
    *map(str.casefold, hidden_places.FILES),
)
"""Ends of paths; also what the sandbox hides, in whichever folder it lies."""

HARMLESS = ("*.pub", ".env.example", ".env.sample", ".env.template", ".env.dist", "example.env", "sample.env")
"""Names that look alike and hold no secret."""


def folded(name: str) -> str:
    """A name as a file system that is not strict might compare it."""
    if name.isascii():
        return name.casefold().rstrip(". ")
    plain = unicodedata.normalize("NFKC", name)
    return "".join(each for each in plain if unicodedata.category(each) != "Cf").casefold().rstrip(". ")


def sensitive(path: str) -> bool:
    """Whether a path with slashes looks like that of a secret."""
    parts = [folded(part) for part in path.split("/")]
    if any(part in FOLDERS for part in parts):
        return True
    harmless, names, paths = _patterns()
    if harmless.fullmatch(parts[-1]):
        return False
    return bool(names.fullmatch(parts[-1]) or paths.fullmatch("/" + "/".join(parts)))


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Each list as one pattern: a search asks for every file there is."""
    return names_like(HARMLESS), names_like(NAMES), names_like(f"*/{each}" for each in PATHS)
