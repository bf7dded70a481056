"""The operator's settings: one YAML file, which the chart writes."""

from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, ValidationError

from forebay.api.model import Items, Model
from forebay.api.v1alpha1.metadata import LABEL, Name
from forebay.api.values import Flag, Text
from forebay.api.violations import violations
from forebay_operator.errors import SettingsFileError

Namespace = Annotated[str, Text(f"^{LABEL}$", "a label of RFC 1123, as default")]


class Image(Model):
    """The container image of the services."""

    name: Annotated[str, Text(r"^\S+$", "the name of a container image, as forebay.example/service:1.0", longest=512)]
    """Its name, with tag or digest."""
    pull_policy: Literal["Always", "IfNotPresent", "Never"] = "IfNotPresent"
    """When nodes pull it."""
    pull_secrets: Items[Name] = ()
    """Secrets of the services' namespaces that a registry asks for."""


class Placement(Model):
    """Where pods may run, and before whom; each field as Kubernetes has it."""

    node_selector: dict[str, str] = Field(default_factory=dict)
    """Labels of the nodes that they may run on."""
    tolerations: Items[dict[str, Any]] = ()
    """Taints of nodes that they bear."""
    affinity: dict[str, Any] = Field(default_factory=dict)
    """Rules about nodes and other pods."""
    priority_class_name: str = ""
    """Their priority class. Empty: the cluster's default."""


class PodSettings(Placement):
    """What the pods of one kind get beside what they need; each field as Kubernetes has it."""

    resources: dict[str, Any] = Field(default_factory=dict)
    """Requests and limits."""
    topology_spread: Items[dict[str, Any]] = ()
    """Topology spread constraints; the pods' own labels are filled in where `labelSelector` is left out."""
    storage_class: str = ""
    """Storage class of their volumes. Empty: the cluster's default."""


class SparkSettings(Placement):
    """How Compactions run."""

    image: Image | None = None
    """The container image with Spark and Forebay's jobs. Left out: each Compaction has to name one."""
    version: Annotated[str, Text(r"^[0-9]+\.[0-9]+\.[0-9]+$", "three numbers, as 4.3.0", longest=20)] = "4.3.0"
    """The version of Spark in it."""
    service_account: Name = "forebay-spark"
    """The account of each of `namespaces` by which drivers make their executors."""


class Monitoring(Model):
    """What is made for Prometheus."""

    service_monitor: Flag = True
    """Whether services get a ServiceMonitor, where the cluster knows that kind."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Labels by which Prometheus selects ServiceMonitors."""


class Settings(Model):
    """How the operator runs, and what is the same for all services."""

    namespaces: Items[Namespace] = ()
    """Namespaces whose Secrets may be read and written; resources elsewhere are not reconciled."""
    cluster_wide: Flag = False
    """Watch every namespace, and tell resources in one that is not listed why they are not reconciled."""
    image: Image
    """The container image of the services."""
    service: PodSettings = PodSettings()
    """What the pods of services get."""
    valkey: PodSettings = PodSettings()
    """What the pods of managed Valkeys get."""
    spark: SparkSettings = SparkSettings()
    """How Compactions run."""
    monitoring: Monitoring = Monitoring()
    """What is made for Prometheus."""
    leader_election: Flag = False
    """Whether several operators share the work by a Lease: one works, the others wait."""


def read_settings(path: Path) -> Settings:
    """Read a settings file.

    Raises `SettingsFileError` with everything wrong in it.
    """
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsFileError(f"{path}: can't be read: {error.strerror}; name another") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise SettingsFileError(f"{path}: is no YAML: {error}") from error
    try:
        settings = Settings.model_validate(value, by_name=False)
    except ValidationError as error:
        # Not chained: pydantic's text would say the same again.
        raise SettingsFileError("\n".join(f"{path}: {each}" for each in violations(error, Settings))) from None
    if not settings.namespaces:
        raise SettingsFileError(f"{path}: namespaces: is empty; list those whose resources are to be reconciled")
    return settings
