"""Secrets in text: those that are known or have a known shape go, what only looks random stays."""

import base64
import hashlib
import random
import re
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agent.redact import SHAPES, Redactor, redacted, secret_values

LETTERS = "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ"
"""36 characters as keys have them; the keys below are put together so that no scanner takes them for real."""
KEYS = {
    "aws": ("AKIA" + "IOSFODNN7EXAMPLE", "aws key"),
    "aws for a while": ("ASIA" + "IOSFODNN7EXAMPLE", "aws key"),
    "github": ("ghp_" + LETTERS, "github token"),
    "github, fine": ("github_pat_" + LETTERS, "github token"),
    "gitlab": ("glpat-" + LETTERS[:20], "gitlab token"),
    "anthropic": ("sk-ant-api03-" + LETTERS, "anthropic key"),
    "openai": ("sk-" + LETTERS, "api key"),
    "openai project": ("sk-proj-" + LETTERS + "-_" + LETTERS, "api key"),
    "google": ("AIza" + LETTERS[:35], "google key"),
    "google token": ("ya29." + LETTERS, "google token"),
    "google secret": ("GOCSPX-" + LETTERS[:28], "google secret"),
    "slack": ("xoxb-" + "123456789012-" + LETTERS[:24], "slack token"),
    "telegram": ("12345678:AA" + LETTERS[:33], "telegram token"),
    "xai": ("xai-" + LETTERS + LETTERS, "xai key"),
    "perplexity": ("pplx-" + LETTERS + LETTERS[:12], "perplexity key"),
    "replicate": ("r8_" + LETTERS + "0", "replicate token"),
    "stripe": ("sk_live_" + LETTERS[:24], "stripe key"),
    "webhook": ("whsec_" + LETTERS, "webhook secret"),
    "npm": ("npm_" + LETTERS, "npm token"),
    "pypi": ("pypi-" + LETTERS + LETTERS, "pypi token"),
    "hugging face": ("hf_" + LETTERS[:34], "hugging face token"),
    "groq": ("gsk_" + LETTERS + LETTERS[:16], "groq key"),
    "sendgrid": ("SG." + LETTERS[:22] + "." + LETTERS + LETTERS[:7], "sendgrid key"),
    "digitalocean": ("dop_v1_" + "0a" * 32, "digitalocean token"),
    "age": ("AGE-SECRET-KEY-1" + "Q2" * 29, "age key"),
    "vault": ("hvs." + LETTERS, "vault token"),
    "shopify": ("shpat_" + "0a" * 16, "shopify token"),
    "databricks": ("dapi" + "0a" * 16, "databricks token"),
    "grafana": ("glsa_" + LETTERS[:32] + "_0a1b2c3d", "grafana token"),
    "linear": ("lin_api_" + LETTERS, "linear key"),
    "notion": ("ntn_" + LETTERS + LETTERS, "notion token"),
    "jwt": ("eyJhbGciOiJIUzI1" + ".eyJzdWIiOiIxMjM0." + LETTERS, "jwt"),
}
LINES = ["-----BEGIN PRIVATE KEY-----", *("MIIE" + LETTERS + 24 * "a" for _ in range(3)), "-----END PRIVATE KEY-----"]
BLOCK = "-----BEGIN {0}PRIVATE KEY-----\n{1}MIIEpAIBAAKCAQEA7b\n0aB1\n-----END {0}PRIVATE KEY-----"
INSIDE = {
    "a header": (f"Authorization: Bearer {LETTERS}", "Authorization: Bearer [redacted: authorization]"),
    "a header of a program": (
        '"authorization": "Basic dXNlcjpwYXNz"',
        '"authorization": "Basic [redacted: authorization]"',
    ),
    "a bearer alone": (f"bearer {LETTERS}!", "bearer [redacted: authorization]!"),
    "an address": ("postgres://me:hunter2@db/x", "postgres://me:[redacted: password]@db/x"),
    "an address without a name": ("redis://:hunter2@db", "redis://:[redacted: password]@db"),
    "an address with a token": (
        f"https://ghp_{LETTERS}@github.com/a",
        "https://[redacted: github token]@github.com/a",
    ),
    "a variable": ("export DB_PASSWORD='x9!kQ2#mZ'", "export DB_PASSWORD='[redacted: secret]'"),
    "json": ('{"api_key": "9f8e7d6c5b4a3210"}', '{"api_key": "[redacted: secret]"}'),
    "yaml": ("client_secret: 9f8e7d6c5b4a3210\n", "client_secret: [redacted: secret]\n"),
    "an aws secret": (
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "aws_secret_access_key = [redacted: secret]",
    ),
    "a key block": (f"a\n{BLOCK.format('', '')}\nb", "a\n[redacted: private key]\nb"),
    "a key block of RSA": (
        BLOCK.format("RSA ", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES,0\n\n"),
        "[redacted: private key]",
    ),
    "a key block on one line": (
        BLOCK.format("", "").replace("\n", "\\n"),
        "[redacted: private key]",
    ),
    "an aws secret that looks like a path": (
        "AWS_SECRET_ACCESS_KEY=/JalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "AWS_SECRET_ACCESS_KEY=[redacted: secret]",
    ),
    "a line of words": ("DB_PASSWORD=correct-horse-battery", "DB_PASSWORD=[redacted: secret]"),
    "a line that is exported": ("export API_TOKEN=hunter2 # mine", "export API_TOKEN=[redacted: secret] # mine"),
    "a line with quotes and blanks": ('     3\tAPP_SECRET="my own words"', '     3\tAPP_SECRET="[redacted: secret]"'),
    "an address that takes messages": (
        "https://hooks.slack.com/services/T000/B000/" + LETTERS[:24],
        "https://hooks.slack.com/services/[redacted: slack token]",
    ),
    "an address that takes messages elsewhere": (
        f"https://discord.com/api/webhooks/123456789012345678/{LETTERS}{LETTERS}",
        "https://discord.com/api/webhooks/123456789012345678/[redacted: webhook secret]",
    ),
    "an address that is signed": (
        f"https://a/b?sv=1&sig={LETTERS}aB1%3D&x",
        "https://a/b?sv=1&sig=[redacted: signature]&x",
    ),
    "a name in brackets": ('env["DB_PASSWORD"] = "s3cretW0rd"', 'env["DB_PASSWORD"] = "[redacted: secret]"'),
    "a name and a value": ("define('DB_PASSWORD', 's3cretW0rd');", "define('DB_PASSWORD', '[redacted: secret]');"),
    "xml": ("<db.password>s3cretW0rd</db.password>", "<db.password>[redacted: secret]</db.password>"),
    "an option": ("tool --db-password s3cretW0rd -v", "tool --db-password [redacted: secret] -v"),
    "a key of Rails": ("SECRET_KEY_BASE=9f8e7d6c5b4a3210", "SECRET_KEY_BASE=[redacted: secret]"),
    "a list of logins": ("machine a login b password hunter2\n", "machine a login b password [redacted: password]\n"),
    "a key in colour": (f"\x1b[32mghp_{LETTERS}\x1b[0m", "\x1b[32m[redacted: github token]\x1b[0m"),
    "a key behind a written line end": (f'"a\\nghp_{LETTERS}"', '"a\\n[redacted: github token]"'),
    "a key block of numbered lines": (
        "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(LINES, 1)),
        "     1\t[redacted: private key]",
    ),
    "a key block that was searched": (
        "\n".join(f"a/b.pem:{number}:{line}" for number, line in enumerate(LINES, 1)),
        "a/b.pem:1:[redacted: private key]",
    ),
    "a key block taken away": ("\n".join(f"-{line}" for line in LINES), "-[redacted: private key]"),
    "a key block in code": (
        " +\n".join(f'  "{line}\\n"' for line in LINES),
        '  "[redacted: private key]\\n"',
    ),
    "a key block of numbered lines cut off": (
        "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(LINES[:-1], 1)) + "\n[go on with start=5]",
        "     1\t[redacted: private key]\n[go on with start=5]",
    ),
    "a key block cut off": (BLOCK.format("EC ", "")[:54], "[redacted: private key]"),
}
HARMLESS = {
    "a commit": "commit " + hashlib.sha1(b"x", usedforsecurity=False).hexdigest(),
    "a sum": hashlib.sha256(b"x").hexdigest() + "  file",
    "a sum of an image": "sha256:" + hashlib.sha256(b"x").hexdigest(),
    "an integrity": "sha512-" + base64.b64encode(hashlib.sha512(b"x").digest()).decode(),
    "a uuid": f"id: {uuid.UUID(int=0x1234567890ABCDEF1234567890ABCDEF)}",
    "a picture": "data:image/png;base64," + base64.b64encode(random.Random(1).randbytes(30_000)).decode(),
    "code": "password = get_password()\ntoken = self.token2.value\nif secret == other_secret_1: pass",
    "a path": "key: /etc/ssl/private1/server2.pem\ntoken=./a1/b2/c3/d4e5",
    "a count": "max_tokens: 4096\ntoken: 123456789012",
    "a word": "the secret: everything\npassword=changeme",
    "css": "sk-folding-cube-wrapper-large sk-circle1",
    "an address": "http://localhost:8080/a@b https://user@host ssh://git@host:22/x",
    "a place for a password": "postgres://user:$PASSWORD@db https://user:<password>@host https://u:${P}@h",
    "lines without a value": "DB_PASSWORD=\nTOKEN=$TOKEN\nAPI_KEY=<your key>\nSECRET=changeme-now\nMAX_TOKEN=123456",
    "lines of code": "TOKEN=os.environ\nPASSWORD=getpass(\nSECRET=/run/secrets/db\nAPI_KEY=xxxxxxxxxxxx",
    "a login in code": "login {name} password {password}",
    "more talk of keys": 'between "-----BEGIN PRIVATE KEY-----" and\n"-----END PRIVATE KEY-----" stands the key',
    "talk of keys": '-----BEGIN PRIVATE KEY-----" in text',
    "a bearer of news": "bearer of bad news and everything",
    "longer than a key": "AKIA" + "A" * 40 + " npm_" + "a1" * 30,
    "in the middle of a word": "xghp_" + LETTERS,
    "a placeholder": "password=[redacted: secret] [redacted: known secret]",
    "nothing": "",
}
FRAGMENTS = st.sampled_from(
    [
        *(key for key, _ in KEYS.values()),
        *(text for text, _ in INSIDE.values()),
        *(
            "[redacted: ",
            "[redacted: secret]",
            "]",
            "password=",
            "://a:",
            "@",
            "bearer ",
            "-----BEGIN PRIVATE KEY-----",
        ),
        *("known-secret-1", "redacted", "a", "_", "-", " ", "\n", ".", "=", '"', "eyJ", "sk-", LETTERS),
    ]
)
HOSTILE = {
    "a BEGIN again and again": "-----BEGIN PRIVATE KEY-----",
    "a BEGIN with a header": "-----BEGIN PRIVATE KEY-----\nComment: ",
    "a BEGIN and lines": f"-----BEGIN PRIVATE KEY-----\n{'a' * 39} {'b' * 39}\n",
    "lines of names": "DB_PASSWORD=",
    "logins": "login a password ",
    "colours": "\x1b[0mghp_",
    "a token that goes on": "eyJ",
    "halves of tokens": "eyJaaaaaaaa.",
    "addresses without an end": "://a:",
    "colons": ":",
    "sk": "sk-",
    "gh": "ghp_",
    "names": "api_key",
    "names with values": "password=Abcd1234 ",
    "values that are none": "token=aaaaaaaaa",
    "one value": "secret=a1b2",
    "spaces": "bearer \t",
    "placeholders": "[redacted: a]",
    "half placeholders": "[redacted: ",
    "quotes": "authorization\"'",
    "large letters": "AKIAAIZAGHP_PASSWORD=",
    "dots": "token=a.a.a.a.",
}


@pytest.mark.parametrize(("key", "kind"), KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("around", ["{}", "key is {}.", "X={}\n", '"{}",', "https://{}@host/"])
def test_keys_of_known_shapes_are_taken_out(key: str, kind: str, around: str) -> None:
    """
    A key goes wherever it stands, and what is around it stays.
    """
    assert (around.format(f"[redacted: {kind}]"), 1) == redacted(around.format(key))


@pytest.mark.parametrize(("text", "expected"), INSIDE.values(), ids=INSIDE)
def test_secrets_are_known_by_where_they_stand(text: str, expected: str) -> None:
    """
    Behind a name or in an address only the secret goes.
    """
    assert (expected, 1) == redacted(text)


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_what_only_looks_random_stays(text: str) -> None:
    """
    Hashes, UUIDs, pictures, code and talk about secrets are not changed.
    """
    assert (text, 0) == redacted(text)


def test_every_shape_is_tried() -> None:
    """
    No shape is without an example here.
    """
    kinds = {kind for _, kind in KEYS.values()}
    for _, expected in INSIDE.values():
        kinds.update(re.findall(r"\[redacted: ([a-z ]+)\]", expected))

    assert {shape.kind for shape in SHAPES} == kinds


def test_known_secrets_are_taken_out_to_the_letter() -> None:
    """
    What this process knows to be secret goes whatever it looks like, the longest first; what is short stays.
    """
    known = Redactor(["hunter2+(x", "hunter2+(x-more", "short", ""])

    assert ("a[redacted: known secret]b [redacted: known secret] short", 2) == known.redacted(
        "ahunter2+(xb hunter2+(x-more short"
    )


@pytest.mark.parametrize(
    "secret", ["redacted", "redacted: known secret", "[redacted: known secret]", "secret][redacted"]
)
def test_a_secret_that_looks_like_a_placeholder_does_not_grow(secret: str) -> None:
    """
    What stands for a secret is left alone, even if a secret is called the same.
    """
    known = Redactor([secret])
    text, _ = known.redacted(f"{secret} {secret}{secret} [redacted: jwt]")

    assert (text, 0) == known.redacted(text)


def test_secret_variables_are_known_by_their_names() -> None:
    """
    What a key, token, secret or password holds counts, and a password in an address; folders and switches do not.
    """
    environment = {
        "OPENAI_API_KEY": "value-one",
        "GITHUB_TOKEN": "value-two",
        "PGPASSWORD": "value-three",
        "DB_PWD": "value-four",
        "AWS_SECRET_ACCESS_KEY": "value-five",
        "DB_PASS": "value-$six",
        "TOKEN": "/4Wx81z+Rp2",
        "AWS_WEB_IDENTITY_TOKEN_FILE": "/run/secrets/t0k3n77",
        "DATABASE_URL": "postgres://me:value-seven@db/app",
        "SHORT_KEY": "1234567",
        "TOKENIZERS_PARALLELISM": "disabled",
        "SECRETS_FOLDER": "/run/secrets",
        "GOOGLE_APPLICATION_CREDENTIALS": "~/key-of-mine.json",
        "TOKEN_URL": "https://example.org/token",
        "PWD": "/some/folder",
        "OLDPWD": "/some/folder",
        "KEYBOARD": "qwertyuiop",
        "PATH": "/usr/bin:/bin",
        "SSH_AUTH_SOCK": "/run/agent.sock",
    }

    numbers = ("one", "two", "three", "four", "five", "$six", "seven")
    assert {*(f"value-{number}" for number in numbers), "/4Wx81z+Rp2"} == set(secret_values(environment))


@given(st.lists(FRAGMENTS, max_size=12).map("".join))
def test_doing_it_twice_is_doing_it_once(text: str) -> None:
    """
    Text that was cleaned stays as it is.
    """
    known = Redactor(["known-secret-1", "redacted"])
    clean, _ = known.redacted(text)

    assert (clean, 0) == known.redacted(clean)


@given(st.text(), st.sampled_from(sorted(KEYS)), st.text())
def test_no_key_survives_between_other_text(before: str, name: str, after: str) -> None:
    """
    Whatever stands around, a key that stands alone does not come through.
    """
    key, _ = KEYS[name]
    text, count = redacted(f"{before} {key} {after}")

    assert key not in text
    assert count >= 1


@given(st.text())
def test_text_without_secrets_is_the_same(text: str) -> None:
    """
    Where nothing was found, nothing was changed.
    """
    clean, count = redacted(text)

    assert count or clean == text


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_a_megabyte_of_anything_is_read_in_one_go(piece: str) -> None:
    """
    Text made to be slow is not: if a shape read it again from every place, this would not end.
    """
    text = piece * (1_000_000 // len(piece))
    clean, _ = redacted(text)

    assert (clean, 0) == redacted(clean)
