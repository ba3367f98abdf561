"""Starts a simulated cluster for a test, and moves its time. `cluster` is a fixture of pytest."""
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import urllib.request

import pytest


class Cluster:
    """A cluster whose clock stands still unless it is moved; options are those of `kubesim serve`."""

    def __init__(self, *options):
        self._folder = tempfile.TemporaryDirectory()
        self.kubeconfig = os.path.join(self._folder.name, "kubeconfig")
        command = shlex.split(os.environ.get("KUBESIM", "npx kubesim"))
        command += ["serve", "--clock", "manual", "--http-port", "0", "--kubeconfig-out", self.kubeconfig]
        self._process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
        for line in self._process.stdout:
            if served := re.search(r"serving on (http://\S+)", line):
                self.url = served[1]
                return
        raise RuntimeError(f"kubesim ended with {self._process.wait()}")

    def control(self, method, path, body=None):
        """Asks the control path, as /kubesim/v1/openapi describes it."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/kubesim/v1/{path}", data, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def advance(self, span):
        """Lets time go by ("90s", or milliseconds). Everything that is due has happened when it returns."""
        return self.control("POST", "clock", {"advance": span})

    def faults(self, **faults):
        """What fails from now on, such as `partitioned=["worker-1"]`; what is left out is healed."""
        return self.control("PUT", "faults", faults)

    def reset(self):
        """Begins a new world with the settings of the start."""
        return self.control("POST", "reset", {})

    def close(self):
        self._process.send_signal(signal.SIGINT)
        self._process.communicate()
        self._folder.cleanup()


@pytest.fixture(scope="session")
def served_cluster():
    cluster = Cluster()
    yield cluster
    cluster.close()


@pytest.fixture
def cluster(served_cluster):
    """A new world for each test, of one server: KUBECONFIG leads to it, for `kubernetes` and `kopf` too."""
    served_cluster.reset()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECONFIG", served_cluster.kubeconfig)
        # The library has read the variable when it was imported.
        if library := sys.modules.get("kubernetes.config.kube_config"):
            patch.setattr(library, "KUBE_CONFIG_DEFAULT_LOCATION", served_cluster.kubeconfig)
        yield served_cluster
