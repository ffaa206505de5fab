"""Tests of the stores."""

import pytest

# The suites are library modules: without this, a failing assert would not say what it compared.
pytest.register_assert_rewrite(
    "streetai_core.testing.store_suite",
    "streetai_core.testing.store_cues",
    "streetai_core.testing.store_deleting",
    "streetai_core.testing.store_inputs",
    "streetai_core.testing.store_learning",
    "streetai_core.testing.store_provenance",
    "streetai_core.testing.store_sharing",
    "streetai_core.testing.store_words",
)
