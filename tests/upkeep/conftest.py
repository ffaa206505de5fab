"""What these tests share."""

import pytest


@pytest.fixture
def path(tmp_path):
    """Where the database is."""
    return tmp_path / "memories.db"
