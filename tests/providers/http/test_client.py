"""The way to a service over TLS: who it is must be proved, with and without a proxy on the way."""

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from holdfast.errors import BadInput, Refused
from holdfast.model.protocol import Request, Target
from holdfast.model.stream import collected
from holdfast.providers.http.address import parsed, proxy_for
from holdfast.providers.http.client import HttpClient, NotConnected, NotTrusted, WireError
from holdfast.providers.openai.model import OpenAICompatible

needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl to make a certificate")


def certificate(folder: Path, name: str) -> ssl.SSLContext:
    """What a server proves that it is `name` with; the certificate is in the file `cert`."""
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name} -addext subjectAltName=DNS:{name}"
    files = ["-keyout", str(folder / "key"), "-out", str(folder / "cert")]
    subprocess.run([*command.split(), *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert", folder / "key")
    return context


Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[object, object, None]]


@asynccontextmanager
async def listening(handler: Handler, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server that leaves no connection behind; gives its port."""
    running: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                await handler(reader, writer)
        finally:
            writer.transport.abort()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        running.add(asyncio.create_task(serve(reader, writer)))

    server = await asyncio.start_server(begin, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _heard(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsafe")
    await writer.drain()
    await reader.read()


@asynccontextmanager
async def secure(folder: Path, name: str) -> AsyncIterator[int]:
    """A server that proves to be `name`; gives its port."""
    async with listening(_heard, certificate(folder, name)) as port:
        yield port


@asynccontextmanager
async def tunnel(port: int, asked: list[bytes]) -> AsyncIterator[str]:
    """A proxy that leads every tunnel to one port; gives its address."""

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.transport.abort()

    async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        there, back = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await asyncio.gather(pass_on(reader, back), pass_on(there, writer))
        finally:
            back.transport.abort()

    async with listening(lead) as own:
        yield f"http://me:secret@127.0.0.1:{own}"


async def said(url: str) -> bytes:
    """What is answered at an address."""
    wire = HttpClient(parsed(url))
    answer = await wire.post("x", b"{}", {})
    try:
        return b"".join([chunk async for chunk in answer.chunks()])
    finally:
        answer.close()
        await wire.close()


@needs_openssl
async def test_a_service_must_prove_who_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A certificate that the system does not know is refused; one that the environment names counts, for its name alone.
    """
    async with secure(tmp_path, "localhost") as port:
        with pytest.raises(NotTrusted, match=r"(?i)certificate"):
            await said(f"https://localhost:{port}/v1")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert"))
        assert b"safe" == await said(f"https://localhost:{port}/v1")
        with pytest.raises(NotTrusted, match=r"(?i)certificate"):
            await said(f"https://127.0.0.1:{port}/v1")


@needs_openssl
async def test_who_cannot_be_trusted_is_asked_once_and_the_way_out_is_told(tmp_path: Path) -> None:
    """
    A network that looks into connections has a certificate of its own, and has it the next time too.
    """
    target = Target(family="openai-chat", model="any", provider="acme")
    async with secure(tmp_path, "localhost") as port:
        model = OpenAICompatible(target, base_url=f"https://localhost:{port}/v1", title="Acme")
        with pytest.raises(Refused, match=r"does not prove who it is: self-signed certificate.*SSL_CERT_FILE"):
            await collected(model, Request(target=target, messages=()))
        await model.close()


@needs_openssl
async def test_behind_a_proxy_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The proxy is told where to lead and who asks; the service at the other end must prove its name.
    """
    asked: list[bytes] = []
    async with secure(tmp_path, "service.invalid") as port, tunnel(port, asked) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        with pytest.raises(NotConnected, match=r"(?i)certificate"):
            await said("https://service.invalid/v1")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert"))
        assert b"safe" == await said("https://service.invalid/v1")
        with pytest.raises(NotConnected, match=r"(?i)certificate"):
            await said("https://other.invalid/v1")

    assert asked[0].startswith(b"CONNECT service.invalid:443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic bWU6c2VjcmV0\r\n" in asked[0]


def test_the_environment_names_who_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Addresses of this machine, and those that NO_PROXY names.
    """
    monkeypatch.setenv("ALL_PROXY", "proxy.test:3128")
    monkeypatch.setenv("NO_PROXY", "inside.test")

    assert parsed("http://proxy.test:3128") == proxy_for(parsed("https://outside.test/v1"))
    assert proxy_for(parsed("https://api.inside.test/v1")) is None
    assert proxy_for(parsed("http://[::1]:8080/v1")) is None
    monkeypatch.setenv("ALL_PROXY", "socks5://proxy.test")
    with pytest.raises(BadInput, match="socks5"):
        proxy_for(parsed("https://outside.test/v1"))


def test_an_address_is_shown_without_what_may_be_secret() -> None:
    """
    Names, passwords and queries stay out of messages; letters outside ASCII are put right.
    """
    address = parsed("https://me:pass@Example.com:8443/v1/?key=1")

    assert "https://example.com:8443/v1" == address.shown
    assert "Basic bWU6cGFzcw==" == address.basic
    assert "xn--bcher-kva.example" == parsed("https://bücher.example/v1").host


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"", "it was closed without an answer"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "it was closed within the answer"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "it was closed within the answer"),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "what came is no HTTP"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxx\r\n", "what came is no HTTP"),
    ],
)
async def test_how_a_connection_broke_off_is_told_in_plain_words(answer: bytes, words: str) -> None:
    """
    A person reads it, behind the name of the service.
    """

    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"{}")
        writer.write(answer)
        await writer.drain()

    async with listening(answered) as port:
        with pytest.raises(WireError, match=f"^{words}$"):
            await said(f"http://127.0.0.1:{port}/v1")
