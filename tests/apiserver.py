"""A real Kubernetes API server with its etcd and the real controllers, as processes of a test run."""

import json
import os
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from itertools import count
from pathlib import Path

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509 import DNSName, IPAddress

from authority import Authority
from kubeaccess import Access, binaries, program
from ports import free_port
from processes import Running

CHECKOUT = Path(__file__).parent.parent
CRDS = CHECKOUT / "charts" / "forebay" / "files" / "crds"
SERVERS = ("etcd", "kube-apiserver", "kube-controller-manager")
READY_SECONDS = 60.0
TOKEN = "token-of-this-test-run"
CONTROLLERS = (
    "deployment-controller",
    "disruption-controller",
    "endpointslice-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "persistentvolume-binder-controller",
    "persistentvolume-expander-controller",
    "persistentvolumeclaim-protection-controller",
    "replicaset-controller",
    "serviceaccount-controller",
    "statefulset-controller",
)
"""Those that act on what the operator makes. Others would evict all pods, since no node reports here."""
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived", "ResponseStarted"],
    "rules": [{"level": "Metadata"}],
}
namespaces = count(1)


def lacking() -> str:
    """Why no API server can be started here; empty when one can."""
    absent = [name for name in SERVERS if not os.access(binaries() / name, os.X_OK)]
    if absent:
        return f"needs {', '.join(absent)} in {binaries()} (KUBE_BINARIES names another folder)"
    return "" if program("kubectl") else "needs kubectl"


class ApiServer:
    """etcd, kube-apiserver and kube-controller-manager on free loopback ports, with RBAC and Pod Security admission."""

    def __init__(self, folder: Path) -> None:
        """Everything is kept in `folder`; nothing runs yet."""
        self.folder = folder
        self.port = free_port()
        self.etcd_urls = [f"http://127.0.0.1:{free_port()}" for _ in range(2)]
        self.url = f"https://127.0.0.1:{self.port}"
        self.admin = self.access("admin", TOKEN)
        self.audit_log = folder / "audit.log"
        self.processes: dict[str, Running] = {}
        self._write_certificates()
        (folder / "tokens.csv").write_text(f'{TOKEN},admin,admin,"system:masters"\n')
        (folder / "audit.yaml").write_text(json.dumps(AUDIT_POLICY))

    @property
    def kubeconfig(self) -> Path:
        """The administrator's."""
        return self.admin.kubeconfig

    def access(self, name: str, token: str) -> Access:
        """The access of whoever has a token."""
        return Access(self.folder, self.url, self.folder / "ca.crt", name, token)

    def account(self, namespace: str, name: str) -> Access:
        """The access of a service account, for an hour."""
        token = self.admin.kubectl("create", "token", name, "-n", namespace, "--duration", "1h")
        return self.access(f"{namespace}.{name}", token.strip())

    def start(self) -> None:
        """Start all, and return when it serves and has the custom resources of the chart."""
        self._start_etcd()
        self.start_server()
        self.start_controllers()
        self.install_resources()

    def stop(self) -> None:
        """Kill all: nothing of it is needed again."""
        for process in reversed(self.processes.values()):
            process.kill()

    def start_server(self) -> None:
        """Start the API server and wait until it serves."""
        self._run(
            "server",
            [
                binaries() / "kube-apiserver",
                f"--etcd-servers={self.etcd_urls[0]}",
                "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1",
                "--endpoint-reconciler-type=none",
                f"--secure-port={self.port}",
                f"--tls-cert-file={self.folder / 'apiserver.crt'}",
                f"--tls-private-key-file={self.folder / 'apiserver.key'}",
                f"--token-auth-file={self.folder / 'tokens.csv'}",
                "--service-account-issuer=https://kubernetes.default.svc",
                f"--service-account-key-file={self.folder / 'accounts.pub'}",
                f"--service-account-signing-key-file={self.folder / 'accounts.key'}",
                "--service-cluster-ip-range=172.30.0.0/16",
                "--authorization-mode=RBAC",
                "--allow-privileged",
                f"--audit-policy-file={self.folder / 'audit.yaml'}",
                f"--audit-log-path={self.audit_log}",
            ],
        )
        wait(self._serves, self.server)

    def stop_server(self) -> None:
        """Kill the API server; etcd keeps what it had. Asked politely, it waits a minute for its watches."""
        self.server.kill()

    def restart_controllers(self) -> None:
        """After an absence of the API server they would wait for a while by themselves."""
        self.processes["controllers"].kill()
        self.start_controllers()

    def start_controllers(self) -> None:
        """Start the controllers."""
        self._run(
            "controllers",
            [
                binaries() / "kube-controller-manager",
                f"--kubeconfig={self.kubeconfig}",
                f"--controllers={','.join(CONTROLLERS)}",
                f"--root-ca-file={self.folder / 'ca.crt'}",
                "--leader-elect=false",
                "--bind-address=127.0.0.1",
                f"--secure-port={free_port()}",
                "--pv-recycler-pod-template-filepath-nfs=",
                "--pvclaimbinder-sync-period=2s",
                "--kube-api-qps=200",
                "--kube-api-burst=400",
            ],
        )

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """The API server is away while this is held."""
        self.stop_server()
        try:
            yield
        finally:
            self.start_server()
            self.restart_controllers()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Connections stay open and nothing is answered, watches included, while this is held."""
        self.server.freeze()
        try:
            yield
        finally:
            self.server.thaw()
            wait(self._serves, self.server)
            self.restart_controllers()

    def install_resources(self) -> None:
        """Apply the custom resource definitions of the chart, as far as they are there."""
        if any(CRDS.glob("*.yaml")):
            self.admin.kubectl("apply", "--server-side", "--force-conflicts", "-f", CRDS)
            self.admin.kubectl("wait", "--for=condition=Established", "-f", CRDS, "--timeout=60s", within=90)

    def namespace(self, prefix: str = "test", **labels: str) -> str:
        """A new namespace, with its default service account."""
        name = f"{prefix}-{next(namespaces)}"
        metadata = {"name": name, "labels": labels}
        self.admin.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        self.admin.kubectl("wait", "--for=create", "serviceaccount/default", "-n", name, "--timeout=30s")
        return name

    def _start_etcd(self) -> None:
        clients, peers = self.etcd_urls
        self._run(
            "etcd",
            [
                binaries() / "etcd",
                f"--data-dir={self.folder / 'etcd'}",
                f"--listen-client-urls={clients}",
                f"--advertise-client-urls={clients}",
                f"--listen-peer-urls={peers}",
                f"--initial-advertise-peer-urls={peers}",
                f"--initial-cluster=default={peers}",
                "--unsafe-no-fsync",
                "--log-level=warn",
            ],
        )

    @property
    def server(self) -> Running:
        """The kube-apiserver."""
        return self.processes["server"]

    def _run(self, name: str, command: list[object]) -> None:
        self.processes[name] = Running(command, self.folder / f"{name}.log")

    def _serves(self) -> bool:
        context = ssl.create_default_context(cafile=self.folder / "ca.crt")
        request = urllib.request.Request(f"{self.url}/readyz", headers={"Authorization": f"Bearer {TOKEN}"})  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=5, context=context) as answer:  # noqa: S310
                return bool(answer.status == 200)
        except urllib.error.HTTPError as error:
            error.close()
            return False
        except OSError:
            return False

    def _write_certificates(self) -> None:
        authority = Authority("kubernetes test")
        names = [DNSName("localhost"), DNSName("kubernetes.default.svc"), IPAddress(ip_address("127.0.0.1"))]
        chain, key = authority.issue("kube-apiserver", *names)
        accounts = Authority("service accounts").key
        files = {
            "ca.crt": authority.pem,
            "apiserver.crt": chain,
            "apiserver.key": key,
            "accounts.key": accounts.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
            "accounts.pub": accounts.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        }
        for name, content in files.items():
            (self.folder / name).write_bytes(content)


def wait(check: Callable[[], bool], process: Running) -> None:
    """Wait for a server. Raises `AssertionError` with the end of its log when it ends or takes too long."""
    deadline = time.monotonic() + READY_SECONDS
    while not check():
        if not process.running or time.monotonic() > deadline:
            raise AssertionError(f"{process.log} ends:\n{process.tail()}")
        time.sleep(0.05)
