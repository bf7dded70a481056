"""Pure builders of all Kubernetes objects that the operator makes, as plain dictionaries for server-side apply."""

from forebay_operator.resources.announcer import announcer_leftovers, announcer_objects
from forebay_operator.resources.checksums import digest, server_digest
from forebay_operator.resources.conduitnode import conduitnode_leftovers, conduitnode_objects
from forebay_operator.resources.names import CompactionNames, Names, ServiceNames, SpillNames
from forebay_operator.resources.outfeed import outfeed_objects
from forebay_operator.resources.ownership import owner_reference
from forebay_operator.resources.purge import purge_job
from forebay_operator.resources.router import router_leftovers, router_objects
from forebay_operator.resources.secrets import config_secret, noted_clients, server_secret, tls_secret, valkey_secret
from forebay_operator.resources.service import service_leftovers
from forebay_operator.resources.sparkapplication import spark_application
from forebay_operator.resources.sparkjob import spark_job
from forebay_operator.resources.sparkrun import SparkRun
from forebay_operator.resources.store import store_objects
from forebay_operator.resources.valkey import valkey_objects
from forebay_operator.resources.workload import claim

__all__ = [
    "CompactionNames",
    "Names",
    "ServiceNames",
    "SparkRun",
    "SpillNames",
    "announcer_leftovers",
    "announcer_objects",
    "claim",
    "conduitnode_leftovers",
    "conduitnode_objects",
    "config_secret",
    "digest",
    "noted_clients",
    "outfeed_objects",
    "owner_reference",
    "purge_job",
    "router_leftovers",
    "router_objects",
    "server_digest",
    "server_secret",
    "service_leftovers",
    "spark_application",
    "spark_job",
    "store_objects",
    "tls_secret",
    "valkey_objects",
    "valkey_secret",
]
