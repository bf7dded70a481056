"""Mutual TLS for gRPC servers and clients."""

import grpc

from forebay.runtime.certificates import CertificateFolder, Certificates


def server_credentials(folder: CertificateFolder) -> grpc.ServerCredentials:
    """Credentials that ask each client for a certificate, and follow the folder without a restart.

    grpc asks at every handshake, from threads of its own.
    """

    def renewed() -> grpc.ServerCertificateConfiguration | None:
        return server_configuration(folder.current) if folder.refresh() else None

    return grpc.dynamic_ssl_server_credentials(
        server_configuration(folder.current),
        renewed,  # type: ignore[arg-type]  # None means no change, which the stubs do not know
        require_client_authentication=True,
    )


def server_configuration(certificates: Certificates) -> grpc.ServerCertificateConfiguration:
    """Certificates in the form that grpc's servers take."""
    return grpc.ssl_server_certificate_configuration([(certificates.key, certificates.chain)], certificates.authorities)


def channel_credentials(certificates: Certificates) -> grpc.ChannelCredentials:
    """Certificates in the form that grpc's clients take."""
    return grpc.ssl_channel_credentials(certificates.authorities, certificates.key, certificates.chain)
