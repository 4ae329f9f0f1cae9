"""Proxies, certificates and headers of one's own; nothing secret of them is ever told."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from stemmata.domain.chat.connections import Connection
from stemmata.domain.chat.streaming import Fault, ProviderError, ReplyEnded
from stemmata.providers.registry import ProviderRegistry
from stemmata.providers.shared.wire import certificates
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.loopback import Exchange, Request
from tests.fakes.script import Refuse
from tests.unit.providers.asking import Gathered, Run, gathered

FAR = "http://models.invalid"  # resolves nowhere: only a proxy can reach it
BODY = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 1000,
    "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
}


class ProxyServer(AnthropicServer):
    """A proxy that answers for the far server; with `refuses` it asks for a password."""

    refuses = False

    def answer(self, exchange: Exchange) -> None:
        request = exchange.request
        if self.refuses:
            exchange.send(407, b"")
            return
        assert request.path.startswith(FAR)
        exchange.request = Request(request.method, request.path.removeprefix(FAR), request.headers, request.raw)
        super().answer(exchange)


@pytest.fixture
def proxy() -> Iterator[ProxyServer]:
    with ProxyServer() as server:
        yield server


def asked(run: Run, connection: Connection, key: str = "sk-secret-1") -> ProviderError | None:
    """Return the outcome of a request."""
    provider = ProviderRegistry(1).open(connection, key)
    gathering: Gathered = run(gathered(provider.stream(BODY)))
    events, problem = gathering
    run(provider.close())
    assert problem is not None or isinstance(events[-1], ReplyEnded)
    return problem


def test_the_proxy_of_the_connection_is_used(proxy: ProxyServer, run: Run) -> None:
    assert asked(run, Connection(name="far", base_url=FAR, proxy=proxy.url)) is None


def test_the_proxy_of_the_environment_is_used(proxy: ProxyServer, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert asked(run, Connection(name="far", base_url=FAR)) is None


def test_a_proxy_that_refuses_is_named_without_its_password(proxy: ProxyServer, run: Run) -> None:
    proxy.refuses = True
    url = proxy.url.replace("http://", "http://me:hunter22@")
    problem = asked(run, Connection(name="far", base_url=FAR, proxy=url))
    assert problem is not None
    assert "hunter22" not in str(problem)


@pytest.mark.parametrize("url", ["gopher://x", "http://", "not a url"])
def test_a_proxy_that_cannot_be_is_an_error(url: str, run: Run) -> None:
    problem = asked(run, Connection(name="far", base_url=FAR, proxy=url))
    assert problem is not None
    assert problem.fault is (Fault.CONNECTION if url == "http://" else Fault.SETUP)


def test_a_proxy_of_the_environment_that_cannot_be_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "gopher://x")
    problem = asked(run, Connection(name="far", base_url=FAR))
    assert problem is not None
    assert problem.fault is Fault.SETUP
    assert "environment" in str(problem)


@pytest.mark.parametrize("url", ["", "far away", "http://", "ftp://x", "http://[::1", FAR])
@pytest.mark.parametrize("api", ["anthropic", "openai-chat"])
def test_an_address_that_cannot_be_is_an_error(url: str, api: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    problem = asked(run, Connection(name="far", base_url=url, api=api))
    assert problem is not None
    assert problem.fault is (Fault.CONNECTION if url == FAR else Fault.SETUP)


def test_headers_of_ones_own_are_sent_and_not_told(run: Run) -> None:
    with AnthropicServer() as server:
        headers = (("x-team", "blue-team-token"), ("anthropic-version", "2024-01-01"))
        connection = Connection(name="gateway", base_url=server.url, headers=headers)
        assert asked(run, connection) is None
        assert server.requests[0].headers["x-team"] == "blue-team-token"
        assert server.requests[0].headers["anthropic-version"] == "2024-01-01"
        server.script(Refuse(403, "Who is blue-team-token?"))
        problem = asked(run, connection)
    assert problem is not None
    assert "blue-team-token" not in str(problem)


@pytest.mark.parametrize("api", ["anthropic", "openai-chat"])
def test_nobody_is_led_elsewhere(api: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with AnthropicServer() as other, AnthropicServer() as server:
        monkeypatch.setattr(server, "answer", lambda exchange: exchange.send(307, b"", {"location": other.url}))
        problem = asked(run, Connection(name="moved", base_url=server.url, api=api))
        assert other.requests == []
    assert problem is not None
    assert not problem.is_retried
    assert other.url in str(problem)


def test_a_proxy_that_is_not_there_is_what_is_told(run: Run) -> None:
    problem = asked(run, Connection(name="far", base_url=FAR, proxy="http://me:hunter22@127.0.0.1:9"))
    assert problem is not None
    assert "its proxy at 127.0.0.1:9 does not answer" in str(problem)


def test_a_server_that_speaks_no_tls_is_told_as_such(run: Run) -> None:
    with AnthropicServer() as server:
        problem = asked(run, Connection(name="own", base_url=server.url.replace("http:", "https:")))
    assert problem is not None
    assert (problem.fault, problem.is_retried) == (Fault.SETUP, False)
    assert "“own” does not speak TLS" in str(problem)


# -- certificates ---------------------------------------------------------------------------------------------


class SecureServer(AnthropicServer):
    def __init__(self, certificate: Path) -> None:
        super().__init__()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self._http.socket = context.wrap_socket(self._http.socket, server_side=True, do_handshake_on_connect=False)

    @property
    def url(self) -> str:
        return super().url.replace("http:", "https:")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for 127.0.0.1 that nobody signed."""
    pytest.importorskip("cryptography")
    from ipaddress import ip_address

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "fake")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path


def test_certificates_of_ones_own_are_trusted(certificate: Path, run: Run) -> None:
    with SecureServer(certificate) as server:
        trusted = Connection(name="own", base_url=server.url, ca_file=str(certificate))
        assert asked(run, trusted) is None
        problem = asked(run, Connection(name="own", base_url=server.url))
    assert problem is not None
    assert problem.fault is Fault.SETUP
    assert "certificate" in str(problem).lower()


@pytest.mark.parametrize("address", ["http://localhost:11434", "HTTP://10.0.0.2/v1"])
def test_an_unencrypted_connection_trusts_nobody(address: str) -> None:
    """To read the certificates of the system takes 20 ms."""
    none = certificates(address)
    assert isinstance(none, ssl.SSLContext)
    assert (none.verify_mode, none.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert not none.get_ca_certs()


def test_an_encrypted_connection_trusts_the_system() -> None:
    assert certificates("https://api.example.com/v1") is True


def test_a_file_without_certificates_is_named(tmp_path: Path, run: Run) -> None:
    for path in (tmp_path / "none.pem", tmp_path / "odd.pem"):
        if path.name == "odd.pem":
            path.write_text("no certificate", encoding="utf-8")
        problem = asked(run, Connection(name="own", base_url=FAR, ca_file=str(path)))
        assert problem is not None
        assert problem.fault is Fault.SETUP
        assert path.name in str(problem)


def test_a_connection_that_is_closed_meanwhile_is_no_bug(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    async def ask() -> ProviderError:
        provider = ProviderRegistry().open(Connection(name="own", api="openai-chat", base_url=f"{FAR}/v1"), "")
        opened = await provider.client()
        await provider.close()
        with pytest.raises(ProviderError, match="was closed"):
            await provider.models()
        provider._opened, provider._is_closed = opened, False  # it was asked for just before
        with pytest.raises(ProviderError) as told:
            await provider.models()
        return told.value

    problem = run(ask())
    assert (problem.fault, str(problem)) == (Fault.CONNECTION, "The connection to “own” was closed.")
    assert not caplog.records


def test_a_redirect_to_nowhere_is_an_invalid_answer(run: Run) -> None:
    with AnthropicServer() as server:
        server.script(Refuse(304, body=b""))
        problem = asked(run, Connection(name="fake", base_url=server.url))
    assert problem is not None
    assert (problem.fault, str(problem)) == (Fault.GARBAGE, "“fake” sent an invalid answer.")
