"""Servers on this machine under names of the internet.

Clients look into the environment for a proxy and for certificates that they trust. So they reach these servers by the
URLs that they would have anyway, and no other ones.
"""

import ssl
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.adapters.wire.server import Handler, Wire, listening

_NEVER = {"content_commitment", "data_encipherment", "key_agreement", "key_encipherment", "encipher_only"}
_USAGE = x509.KeyUsage(
    digital_signature=True,
    key_cert_sign=True,
    crl_sign=True,
    decipher_only=False,
    **dict.fromkeys(_NEVER, False),
)
"""Of a certificate that vouches for itself."""

_PROXY = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
_OTHERS = ("all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY", "SSL_CERT_DIR")
"""What else clients look for."""


class _Named(Handler):
    """A proxy that goes nowhere: it answers in the name of whoever is asked for."""

    wires: dict
    certificate: ssl.SSLContext
    host = None

    def do_CONNECT(self):  # noqa: N802 - the name of the method
        """Be the host, from now on encrypted."""
        if not any(name.startswith(f"{self.path}/") for name in self.wires):
            self.send_error(502, f"there is no {self.path} on this machine")
            return
        self.host = self.path
        self.send_response(200)
        self.end_headers()
        self.request = self.certificate.wrap_socket(self.request, server_side=True)
        self.setup()

    def do_POST(self):  # noqa: N802 - the same
        """Answer for the server that is asked for."""
        if self.host is None:  # unencrypted: the whole URL stands in the request
            url = urlsplit(self.path)
            at, self.path = url.netloc, url.path + (url.query and f"?{url.query}")
        else:
            at = self.host
        self.wire = next((wire for name, wire in self.wires.items() if f"{at}{self.path}".startswith(name)), None)
        if self.wire is None:
            self.send_error(502, f"there is no {at}{self.path} on this machine")
        else:
            super().do_POST()

    def finish(self):
        """End an encrypted connection, which nobody else knows of."""
        super().finish()
        if self.host is not None:
            self.request.close()


@contextmanager
def internet(apis, folder, environment):
    """A `Wire` for each name until the block ends; nothing invalid may have come in.

    Args:
        apis: by name, such as "api.openai.com:443/v1/responses" with the beginning of a path: a module beside this one.
        folder: where the certificate is written.
        environment: pytest's `monkeypatch`, which puts variables of the environment back.
    """
    wires = {name: Wire(api) for name, api in apis.items()}
    file = _certificate({name.partition(":")[0] for name in apis}, folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    handler = type("Named", (_Named,), {"wires": wires, "certificate": context})
    with listening(handler, wires.values()) as url:
        for name in _OTHERS:
            environment.delenv(name, raising=False)
        for name in _PROXY:
            environment.setenv(name, url)
        environment.setenv("SSL_CERT_FILE", str(file))
        yield wires


def _certificate(hosts, folder):
    """The file of a certificate for these hosts, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "servers on this machine")])
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    now = datetime.now(timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in sorted(hosts)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_USAGE, critical=True)
        .add_extension(identifier, critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "certificate.pem"
    pem = serialization.Encoding.PEM
    plain = serialization.NoEncryption()
    file.write_bytes(made.public_bytes(pem) + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    return file
