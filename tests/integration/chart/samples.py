"""Sets of values that users give, and what the chart makes of each."""

from functools import cache

import pytest

from helmchart import MONITORING, render

TOLERATION = {"key": "news", "operator": "Exists", "effect": "NoSchedule"}
SPREAD = {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway"}
PODS = {
    "resources": {"requests": {"cpu": 1, "memory": "1Gi"}, "limits": {"memory": "2Gi"}},
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "tolerations": [TOLERATION],
    "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}},
    "priorityClassName": "system-cluster-critical",
}
SAMPLES = {
    "defaults": {},
    "cluster-wide": {"clusterWide": True, "namespaces": ["news", "system"]},
    "namespaces": {"namespaces": ["news", "more-news"]},
    "leader-election": {"leaderElection": {"enabled": True}},
    "monitoring": {
        "monitoring": {
            "labels": {"release": "prometheus"},
            "prometheusRule": {"enabled": True},
            "dashboards": {"enabled": True, "labels": {"grafana_dashboard": "yes"}},
        }
    },
    "everything": {
        "commonLabels": {"team": "news"},
        "image": {"digest": f"sha256:{'0' * 64}", "pullPolicy": "Always", "pullSecrets": ["registry"]},
        "operator": {**PODS, "podAnnotations": {"example.com/note": "yes"}},
        "service": {**PODS, "topologySpread": [SPREAD], "storageClass": "fast"},
        "valkey": {
            **PODS,
            "resources": {"requests": {"cpu": "50m"}},
            "topologySpread": [SPREAD],
            "storageClass": "fast",
        },
        "spark": {
            "image": {
                "repository": "example.com/spark",
                "tag": "1",
                "pullPolicy": "Always",
                "pullSecrets": ["registry"],
            },
            "version": "4.3.1",
            "serviceAccount": "compactions",
            **{name: value for name, value in PODS.items() if name != "resources"},
        },
        "clusterWide": True,
        "leaderElection": {"enabled": True},
    },
    "little": {
        "crds": {"enabled": False},
        "networkPolicy": {"enabled": False},
        "monitoring": {"serviceMonitor": {"enabled": False}},
    },
}


@cache
def rendered(sample, **options):
    """The objects of a sample, in a cluster that knows Prometheus. They are shared: leave them as they are."""
    return render(SAMPLES[sample], apis=[MONITORING], **options)


each_sample = pytest.mark.parametrize("sample", SAMPLES)
