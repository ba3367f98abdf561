import json
import urllib.request

import pytest

from kubesim import cluster, served_cluster  # noqa: F401


def ready(cluster):
    with urllib.request.urlopen(f"{cluster.url}/api/v1/nodes/worker-1") as answer:
        node = json.load(answer)
    return next(each["status"] for each in node["status"]["conditions"] if each["type"] == "Ready")


def test_a_node_that_is_cut_off(cluster):
    cluster.advance("30s")
    assert ready(cluster) == "True"
    cluster.faults(partitioned=["worker-1"])
    cluster.advance("1m")
    assert ready(cluster) == "Unknown"
    cluster.faults()
    cluster.advance("30s")
    assert ready(cluster) == "True"


def test_a_new_world_for_each_test(cluster):
    cluster.advance("30s")
    assert ready(cluster) == "True"


def test_the_library_finds_it_that_was_imported_before(request):
    kubernetes = pytest.importorskip("kubernetes")
    cluster = request.getfixturevalue("cluster")
    kubernetes.config.load_kube_config()
    assert kubernetes.client.Configuration.get_default_copy().host == cluster.url
