"""Values with a fault are refused, and the message has the field's name."""

import re

import pytest

from helmchart import HelmError, render

FAULTS = {
    "unknown-top": ({"namespace": ["news"]}, "namespace"),
    "unknown-nested": ({"image": {"repo": "a"}}, "repo"),
    "unknown-toleration": ({"operator": {"tolerations": [{"keys": "a"}]}}, "keys"),
    "unknown-affinity": ({"service": {"affinity": {"nodeAfinity": {}}}}, "nodeAfinity"),
    "unknown-resources": ({"valkey": {"resources": {"request": {}}}}, "request"),
    "text-for-list": ({"namespaces": "news"}, "namespaces"),
    "upper-case-namespace": ({"namespaces": ["News"]}, "namespaces/0"),
    "twice": ({"namespaces": ["news", "news"]}, "namespaces"),
    "text-for-flag": ({"clusterWide": "yes"}, "clusterWide"),
    "policy": ({"image": {"pullPolicy": "Sometimes"}}, "image/pullPolicy"),
    "digest": ({"image": {"digest": "latest"}}, "image/digest"),
    "tag-in-name": ({"image": {"tag": "a:b"}}, "image/tag"),
    "quantity": ({"operator": {"resources": {"limits": {"memory": "2 GB"}}}}, "operator/resources/limits/memory"),
    "valkey-memory": ({"valkey": {"resources": {"limits": {"memory": "1Gi"}}}}, "valkey/resources/limits/memory"),
    "label-name": ({"monitoring": {"labels": {"a b": "c"}}}, "monitoring/labels"),
    "label": ({"commonLabels": {"team": "a b"}}, "commonLabels/team"),
    "number-for-label": ({"service": {"nodeSelector": {"zone": 1}}}, "service/nodeSelector/zone"),
    "spark-version": ({"spark": {"version": "4"}}, "spark/version"),
    "spark-resources": ({"spark": {"resources": {}}}, "resources"),
    "port": ({"networkPolicy": {"apiServerPorts": [70000]}}, "networkPolicy/apiServerPorts/0"),
    "null": ({"image": {"tag": None, "repository": 5}}, "image/repository"),
}


@pytest.mark.parametrize(("values", "field"), FAULTS.values(), ids=FAULTS)
def test_it_is_refused_by_name(values, field):
    with pytest.raises(HelmError, match=re.escape(field)):
        render(values)


def test_a_parent_chart_may_pass_its_global_values():
    assert render({"global": {"anything": 1}})
