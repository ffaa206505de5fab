"""The runtime of the models is told not to report usage before it is there to do so."""

import os
import subprocess
import sys

import pytest

_PROGRAM = """
import os, sys
seen = []
sys.addaudithook(
    lambda event, given: event == "import" and given[0] == "onnxruntime"
    and seen.append(os.environ.get("ORT_DISABLE_TELEMETRY"))
)
{}
print(seen[0])
"""

WAYS = {
    "the offline model": "from streetai_core.encoders.offline import OfflineMiniLM as M; M().embed(['a'], 'query')",
    "a name": "from streetai_core.encoders.fast_embed import FastEmbedEncoder as M; print(M().dim, end=' ')",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("own", [None, "0"])
def test_it_is_silenced_before_it_is_imported(way, own):
    """It looks only then; and what the app has decided stays."""
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    if own is not None:
        environment["ORT_DISABLE_TELEMETRY"] = own
    command = [sys.executable, "-c", _PROGRAM.format(WAYS[way])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == (own or "1")
