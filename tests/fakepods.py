"""Services in pods, for tests of reconciling: they take configurations as the real ones do."""

from dataclasses import dataclass, field

from forebay.runtime import ConfigDocument, FieldViolation, ResourceResult
from forebay_operator.pods import PodView


@dataclass
class FakeService:
    """One service in a pod."""

    name: str
    reachable: bool = True
    document: ConfigDocument = field(default_factory=lambda: ConfigDocument(0))
    refused: dict[str, str] = field(default_factory=dict)
    """What is wrong with a resource, by its name."""
    applied: list[int] = field(default_factory=list)
    """The revisions that were sent, those that it ignored too."""

    async def view(self) -> PodView:
        if not self.reachable:
            return PodView(self.name, problem="no answer")
        results = tuple(self.result(manifest) for manifest in self.document.manifests)
        return PodView(self.name, True, True, revision=self.document.revision, version="0.1.0", results=results)

    async def apply(self, document: ConfigDocument) -> PodView:
        self.applied.append(document.revision)
        if document.revision > self.document.revision:
            self.document = document
        return await self.view()

    def result(self, manifest: dict) -> ResourceResult:
        metadata = manifest["metadata"]
        problem = self.refused.get(metadata["name"])
        violations = (FieldViolation("spec", problem),) if problem else ()
        identity = manifest["kind"], metadata["namespace"], metadata["name"]
        return ResourceResult(*identity, metadata["uid"], metadata["generation"], violations)

    def peers(self) -> set[str]:
        """The names of the Peerfeeds that it has."""
        return self.children("Peerfeed")

    def children(self, kind: str) -> set[str]:
        """The names of the resources of a kind that it has."""
        return {each["metadata"]["name"] for each in self.document.manifests if each["kind"] == kind}


class FakePods:
    """What `PodClients` do."""

    def __init__(self) -> None:
        self.services: dict[str, FakeService] = {}
        self.trusted: dict[str, object] = {}

    async def trust(self, service: str, certificates: object) -> None:
        self.trusted[service] = certificates

    def client(self, service: str, pod: dict, port: int, server_name: str) -> FakeService:
        assert service in self.trusted
        return self.service(pod["metadata"]["name"])

    def service(self, pod: str) -> FakeService:
        return self.services.setdefault(pod, FakeService(pod))

    async def retain(self, service: str, pods: list) -> None:
        if not pods:
            self.trusted.pop(service, None)
