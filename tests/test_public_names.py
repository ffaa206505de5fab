"""What the packages offer, and nothing by accident."""

import importlib

import pytest


@pytest.mark.parametrize(
    "package", ["streetai_core", "streetai_langchain", "streetai_core.encoders", "streetai_core.stores"]
)
def test_public_names_exist_and_are_sorted(package):
    """`__all__` is complete, sorted, and every name in it can be imported."""
    module = importlib.import_module(package)
    constants = [name for name in module.__all__ if name.startswith("__")]
    names = [name for name in module.__all__ if name not in constants]
    assert names == sorted(names)
    for name in module.__all__:
        assert getattr(module, name) is not None
