"""The commands that measure still fit the library: nobody runs all of them often."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks import held_out
from tests.evaluation.recordings import dataset

NAMES = sorted(path.stem for path in Path(held_out.__file__).parent.glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", NAMES)
def test_each_can_be_imported(name):
    """What they look into was moved once, and one that is run every few days had been broken for two."""
    assert import_module(f"tests.benchmarks.{name}").__doc__


def test_weights_are_fitted_to_what_the_parts_say(tmp_path, encoder):
    """If it fails, fitting notes nothing of what recall is made of."""
    conversation = held_out.questions_of(dataset(tmp_path).recordings[0], encoder)
    assert conversation.parts.shape[2] == len(held_out.NAMES) + 1
    assert np.ptp(conversation.parts[:, :, 0]) > 0
    assert np.ptp(conversation.parts[:, :, 1:]) > 0
