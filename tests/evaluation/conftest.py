"""What the tests of measuring share: the small data, and an encoder without a model."""

import pytest

from streetai_core.encoders.hashing import HashingEncoder
from tests.evaluation import recordings


@pytest.fixture
def data(tmp_path):
    """Two small conversations."""
    return recordings.dataset(tmp_path)


@pytest.fixture
def harbour(data):
    """The first of them."""
    return data.recordings[0]


@pytest.fixture
def encoder():
    """Hashed words, as long as a vector of the default model."""
    return HashingEncoder(384)
