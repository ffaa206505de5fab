"""For all tests: nothing may connect to another machine, and random choices are the same in every run."""

import gc
import ipaddress
import os
import signal
import sys

import pytest

from streetai_core.encoders import default_encoder
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder
from tests.seeds import fix_examples

fix_examples()

_LOCAL_NAMES = frozenset({"localhost", ""})
_violations: list[str] = []


def _is_local(host):
    """Whether a host is this machine."""
    if host is None or host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host.decode() if isinstance(host, bytes) else host).is_loopback
    except ValueError:
        return False


def _watch(event, arguments):
    """Refuse and remember every look-up of and connection to another machine."""
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in {"socket.connect", "socket.sendto"} and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    if not _is_local(host):
        _violations.append(f"{event} {host}")
        raise OSError(f"the tests may not use the network, and something asked for {host}")


sys.addaudithook(_watch)


@pytest.fixture(scope="module")
def real_encoder(tmp_path_factory):
    """The real model; what tests of other files of this run have embedded is not embedded again."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        # Each process has a folder of its own in that of the run.
        folder = folder.parent
    encoder = DiskCachedEncoder(default_encoder(), folder / "embeddings")
    yield encoder
    encoder.save()


@pytest.fixture
def no_collector():
    """The garbage collector comes only where a test calls it."""
    gc.disable()
    yield
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is there before the first test stays, so the garbage collector need not go through it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_configure():
    """Let Ctrl-C reach what tests start, which a shell that starts the tests in the background has ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionfinish(session, exitstatus):
    """Fail the whole run if anything tried, even if the code under test swallowed the refusal."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["violations"] = _violations
    elif _violations:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """Take over what tests in another process tried, if they are shared out with `-n`."""
    _violations.extend(getattr(node, "workeroutput", {}).get("violations", ()))


def pytest_terminal_summary(terminalreporter):
    """Say what tried."""
    for violation in _violations:
        terminalreporter.write_line(f"NETWORK USED: {violation}", red=True)
