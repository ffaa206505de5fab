"""Every function that remembers what it was given forgets it with the rest."""

import importlib
import inspect
import pkgutil
import re

import streetai_core
from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder

FORGOTTEN = "Quillfeather"

WITHOUT_TEXT = {
    "streetai_core.adapters.stainless._client_class": "classes of clients",
    "streetai_core.adapters.stainless._resource_class": "classes of clients",
    "streetai_core.evaluation.provenance._digest_of": "names of installed packages",
    "streetai_core.stores.checksums._weights": "lengths of vectors",
    "streetai_core.stores.sqlite_writing._of_rows": "statements of the library",
    "streetai_core.text.matters._telling": "places in a table of the library",
    "streetai_core.text.wishes._compiled": "forms of the library",
    "streetai_core.transfer.codec.codec_of": "classes of rows",
}
"""What is given to those functions that remember something, but nothing that anybody has said."""


def modules():
    """All modules of the library that do nothing when they are imported."""
    found = pkgutil.walk_packages(streetai_core.__path__, "streetai_core.")
    return [importlib.import_module(one.name) for one in found if not one.name.endswith("__main__")]


def caches():
    """The functions that remember what they were given, by name; those of classes too."""
    spaces = [vars(module) for module in modules()]
    spaces += [vars(value) for space in list(spaces) for value in space.values() if inspect.isclass(value)]
    found = {
        f"{value.__module__}.{value.__qualname__}": value
        for space in spaces
        for value in list(space.values())
        if hasattr(value, "cache_clear") and str(getattr(value, "__module__", "")).startswith("streetai_core.")
    }
    return {name: function for name, function in found.items() if inspect.signature(function).parameters}


def remember(function):
    """Give a function the name, and a number where it wants one."""
    wanted = inspect.signature(function, eval_str=True).parameters.values()
    function(*(FORGOTTEN if parameter.annotation is str else 8 for parameter in wanted))


def test_every_function_that_remembers_text_forgets_it(tmp_path):
    """A name or a word that stays in RAM after it was erased shows in a dump of the process; new caches count too."""
    found = caches()
    assert set(found) >= set(WITHOUT_TEXT), "a function that is listed is gone"
    with_text = {name: function for name, function in found.items() if name not in WITHOUT_TEXT}
    assert with_text
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(64)) as registry:
        memory = registry.get("m")
        memory.add_message("The berth is number 31.", "user", name=FORGOTTEN)
        for function in with_text.values():
            remember(function)
            assert function.cache_info().currsize
        memory.forget(author=FORGOTTEN)
    assert [name for name, function in with_text.items() if function.cache_info().currsize] == []


def test_patterns_of_a_forgotten_name_are_in_no_cache_of_pythons(tmp_path):
    """`re` keeps what it has compiled lately, and with it whom a question was searched for."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(64)) as registry:
        memory = registry.get("m")
        memory.add_message("The berth is number 31.", "user", name="Zebedee Quux")
        memory.add_message("The dog is called Ada.", "user", name="Mara")
        memory.retrieve("What did Zebedee say of the berth?")
        assert any("Quux" in str(key) for key in re._cache)
        memory.forget(author="Zebedee Quux")
    assert not any("Quux" in str(key) for key in re._cache)
