"""What the packages offer, and nothing by accident."""

import importlib
import subprocess
import sys

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


WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {framework!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
from {package} import {name}
"""


@pytest.mark.parametrize(
    ("package", "name", "framework", "line"),
    [
        ("streetai_langchain", "StreetAIMemory", "langchain_core", "pip install 'streetai[langchain]'"),
        ("streetai_langchain", "StreetAIMemoryMiddleware", "langchain_core", "pip install 'streetai[langchain]'"),
        ("streetai_llamaindex", "StreetAIChatMemoryBuffer", "llama_index", "pip install 'streetai[llamaindex]'"),
    ],
)
def test_where_the_framework_is_not_installed_the_error_says_what_to_install(package, name, framework, line):
    """Who has installed the core alone is told in one line; what else fails is told as it is."""
    code = WITHOUT.format(package=package, name=name, framework=framework)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    told = run.stderr.splitlines()[-1]
    assert "MissingExtraError" in told
    assert line in told
