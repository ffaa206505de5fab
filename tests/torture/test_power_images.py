"""What a power failure leaves of what was written, by hand."""

import random

import pytest

apsw = pytest.importorskip("apsw", reason="apsw is not installed; run: pip install 'streetai[torture]'")

from streetai_core.testing.torture.recording import Step, crash  # noqa: E402 - needs apsw

SAFE = [Step("write", "a", 0, b"safe" * 256), Step("sync", "a")]
UNSAFE = [Step("write", "a", 1024, b"risk" * 256), Step("write", "a", 0, b"over" * 256), Step("truncate", "a", 512)]


@pytest.mark.parametrize(("fate", "expected"), [("none", b"safe" * 256), ("all", b"over" * 128)])
def test_what_was_synced_is_there(fate, expected):
    """And of the rest all or nothing."""
    assert crash(SAFE + UNSAFE, fate, random.Random(1)) == {"a": expected}


def test_a_prefix_is_one_of_the_states_in_between():
    """No write without those before it."""
    states = {bytes(crash(SAFE + UNSAFE, "prefix", random.Random(seed))["a"]) for seed in range(100)}
    assert states == {
        b"safe" * 256,
        b"safe" * 256 + b"risk" * 256,
        b"over" * 256 + b"risk" * 256,
        b"over" * 128,
    }


def test_mixed_sectors_are_old_new_or_noise():
    """Each sector for itself; what was synced and not written since is never touched."""
    steps = [*SAFE, Step("write", "a", 512, b"next" * 256)]
    seen = set()
    for seed in range(200):
        content = crash(steps, "mixed", random.Random(seed))["a"]
        assert content[:512] == b"safe" * 128
        middle = content[512:1024]
        seen.add("old" if middle == b"safe" * 128 else "new" if middle == b"next" * 128 else "noise")
    assert seen == {"old", "new", "noise"}


def test_a_sync_of_one_file_saves_no_other():
    """The log may be safe while the database is not."""
    steps = [Step("write", "a", 0, b"a"), Step("write", "b", 0, b"b"), Step("sync", "b")]
    assert crash(steps, "none", random.Random(1)) == {"a": b"", "b": b"b"}


def test_a_deleted_file_is_gone():
    """Deleting is safe at once; files without a name are where SQLite sorts, and are left out."""
    steps = [*SAFE, Step("delete", "a"), Step("write", "", 0, b"x"), Step("acknowledged", number=3)]
    assert crash(steps, "all", random.Random(1)) == {}
    assert crash([*steps, Step("write", "a", 0, b"new")], "all", random.Random(1)) == {"a": b"new"}
