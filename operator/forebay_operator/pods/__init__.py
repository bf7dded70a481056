"""Calls to the services in pods: configuration in, status out."""

from forebay_operator.pods.podclient import PodClient
from forebay_operator.pods.podclients import PodClients
from forebay_operator.pods.podview import PodView

__all__ = ["PodClient", "PodClients", "PodView"]
