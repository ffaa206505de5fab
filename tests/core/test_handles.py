"""What stands for something open is the same when it is copied, and does not go to another process."""

import copy
import pickle

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import PickledHandleError


@pytest.fixture
def registry(tmp_path):
    """A registry with a memory in it."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder()) as registry:
        registry.get("mara").add_message("My boat lies at berth thirty-one.", role="user")
        yield registry


HANDLES = {
    "registry": lambda registry: registry,
    "memory": lambda registry: registry.get("mara"),
    "store": lambda registry: registry.store,
    "encoder": lambda registry: registry.encoder,
}

every_handle = pytest.mark.parametrize("handle", HANDLES.values(), ids=HANDLES)


@every_handle
@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy])
def test_a_copy_is_the_thing_itself(registry, handle, again):
    """A copy with half of its parts its own would close the file that the other one uses."""
    one = handle(registry)
    assert again(one) is one
    assert again({"memory": [one]})["memory"][0] is one


@every_handle
def test_a_pickle_is_refused_with_what_to_do(registry, handle):
    """Pools of processes and checkpoints pickle what they are given; "cannot pickle a lock" helped nobody."""
    one = handle(registry)
    with pytest.raises(
        PickledHandleError, match=f"a {type(one).__name__} cannot be pickled.* (make|Make|call) "
    ) as caught:
        pickle.dumps({"memory": one})
    assert isinstance(caught.value, TypeError)


def test_what_was_found_is_no_handle(registry):
    """Hits, prompts and messages are values: they are copied, and go anywhere."""
    memory = registry.get("mara")
    for value in (memory.retrieve("boat"), memory.messages(), registry.config):
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value  # noqa: S301 - made in the line itself
