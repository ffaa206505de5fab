"""Short forms of the torture programs about disks: without power, failing, full."""

import importlib.util

import pytest

from tests.torture.programs import SEED, needs_apsw, passed, run

needs_limits = pytest.mark.skipif(
    importlib.util.find_spec("resource") is None, reason="this system has no resource limits; run it on Linux or macOS"
)


@needs_apsw
def test_power_failures_lose_nothing(tmp_path):
    """With full durability nothing is lost, with fast a tail at most; without syncing the images are torn."""
    found = passed("power", "--images", 80, "--controls", 20, "--operations", 50, "--folder", tmp_path)
    assert found["copies_of_log"] > 10
    assert (found["lost"], found["torn"], found["torn_fast"]) == (0, 0, 0)
    assert found["off_images_torn"] > 0
    assert found["fast_images_without_tail"] > 0


@needs_apsw
def test_a_run_that_shows_nothing_has_not_passed(tmp_path):
    """If the only image without syncing is an empty disk, nothing was seen to be torn: exit code 1, files kept."""
    few = ("--images", 1, "--controls", 1, "--operations", 5)
    done = run("power", *few, "--seed", SEED, "--folder", tmp_path)
    assert done.returncode == 1
    assert "shows nothing: no image was torn without syncing either" in done.stdout
    assert f"the files are kept in {tmp_path}" in done.stdout


@needs_apsw
def test_a_failing_disk_leaves_the_memory_whole(tmp_path):
    """Also where COMMIT raises and its write is found all the same."""
    found = passed("disk", "--stride", 140, "--syncs", 2, "--folder", tmp_path)
    assert (found["ram_is_not_disk"], found["half"], found["wrong_error"]) == (0, 0, 0)
    assert (found["stuck"], found["damaged"]) == (0, 0)


@needs_limits
def test_a_full_disk_is_recovered_from(tmp_path):
    """A typed error, reading goes on, and writing on the same handle when there is space."""
    found = passed("full", "--points", 10, "--folder", tmp_path)
    assert (found["lost"], found["half"], found["wrong_error"], found["stuck"]) == (0, 0, 0, 0)
    assert found["refused"] == found["points"] >= 10
