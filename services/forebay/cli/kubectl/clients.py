"""The clients of a service: the certificates that were issued to them, and writing those to files."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from cryptography import x509

from forebay.cli.kubectl.cluster import the_service
from forebay.cli.kubectl.credentials import certificate_files, clients_of, files_of, secret_name, write_files
from forebay.cli.kubectl.errors import KubectlError
from forebay.cli.kubectl.objects import Object
from forebay.cli.kubectl.program import Kubectl
from forebay.cli.options import Output
from forebay.cli.printing import print_json, print_table

TIME = "%Y-%m-%dT%H:%M:%SZ"


class Client(NamedTuple):
    """A name for which a certificate is issued."""

    name: str
    secret: str
    """The Secret that holds it."""
    principals: tuple[str, ...] = ()
    """Who the certificate says that it is; empty before it is issued."""
    expires: datetime | None = None
    """When it ends (UTC); the operator renews it long before."""


def show_clients(kubectl: Kubectl, title: str, output: Output) -> None:
    """Print the clients of a service. Raises `CliError`."""
    service = the_service(kubectl, title)
    names = {client: secret_name(service, client) for client in clients_of(service)}
    secrets = [Object(body) for body in kubectl.items("secrets", *names.values())]
    found = clients(names, {secret.name: secret for secret in secrets})
    if output is Output.JSON:
        print_json([plain(client) for client in found])
        return
    rows = [(each.name, each.secret, " ".join(each.principals) or "not issued yet", expiry(each)) for each in found]
    print_table("", ("client", "secret", "principal", "expires"), rows)


def clients(names: Mapping[str, str], secrets: Mapping[str, Object]) -> list[Client]:
    """The clients, given the name of each one's Secret, and the Secrets that are there. Raises `KubectlError`."""
    return [
        issued(client, secrets[secret]) if secret in secrets else Client(client, secret)
        for client, secret in names.items()
    ]


def issued(name: str, secret: Object) -> Client:
    """A client whose Secret is there. Raises `KubectlError` when that holds no certificate."""
    try:
        certificate = x509.load_pem_x509_certificate(files_of(secret)["tls.crt"])
    except ValueError:
        raise KubectlError(
            f"Secret {secret.name}: tls.crt is no certificate", "Delete it: the operator makes it anew."
        ) from None
    return Client(name, secret.name, principals(certificate), certificate.not_valid_after_utc)


def principals(certificate: x509.Certificate) -> tuple[str, ...]:
    """The names by which services know whoever shows a certificate."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ()
    return (*names.get_values_for_type(x509.DNSName), *names.get_values_for_type(x509.UniformResourceIdentifier))


def save_client(kubectl: Kubectl, title: str, client: str, folder: Path) -> None:
    """Write the files of a client's certificate. Raises `CliError` or `OSError`."""
    files = certificate_files(kubectl, the_service(kubectl, title), client)
    write_files(folder, files)
    print(f"{folder}: {', '.join(files)} of client {client}. Use them by `forebay ... --tls {folder}`.")


def expiry(client: Client) -> str:
    """When a client's certificate ends, as text."""
    return f"{client.expires:{TIME}}" if client.expires else ""


def plain(client: Client) -> dict[str, object]:
    """A client as JSON has it."""
    return {
        "client": client.name,
        "secret": client.secret,
        "principals": list(client.principals),
        "expires": expiry(client) or None,
    }
