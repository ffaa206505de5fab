"""Engines: opened late, shared in a process, found again."""

import gc
import json
from pathlib import Path

import pytest
from llama_index.core import MockEmbedding, Settings

from streetai_core import Config, MemoryRegistry, Strategy
from streetai_core.encoders import HashingEncoder, default_encoder
from streetai_core.errors import ClosedError, ConfigError, InputError, StrategyError
from streetai_core.stores import ReferenceStore
from streetai_llamaindex.opening import encoder_name, opening_of, reopened


def test_opening_does_nothing_until_it_is_used(tmp_path):
    """An import or a constructor in a web server touches no disk."""
    path = tmp_path / "folder" / "memory.db"
    opening = opening_of(path=path, embed_model=HashingEncoder())
    assert list(tmp_path.iterdir()) == []
    opening.registry.get("u").add_message("hello there, old friend of mine", "user")
    assert path.is_file()


def test_one_engine_for_one_file(tmp_path, monkeypatch):
    """9.12: Two memories on one path are one engine, however the path is written; other settings are another one."""
    encoder = HashingEncoder()
    opening = opening_of(path=tmp_path / "a.db", embed_model=encoder)
    lease = opening.lease()
    monkeypatch.chdir(tmp_path)
    assert opening_of(path="a.db", embed_model=encoder) is opening
    others = [
        opening_of(path="a.db", embed_model=HashingEncoder()),
        opening_of(path="a.db", embed_model=encoder, config=Config(top_stacks=2)),
    ]
    assert all(other is not opening for other in others)
    assert opening.registry is opening_of(path="a.db", embed_model=encoder).registry
    opening.release(lease)


def test_a_given_engine_is_one_opening_and_stays_open(registry):
    """9.12: What the application opened is the application's to close."""
    opening = opening_of(registry)
    assert opening_of(registry) is opening
    assert opening.registry is registry
    opening.release(opening.lease())
    registry.get("u").add_message("still open after that, as it should be", "user")


def test_the_last_one_closes(tmp_path):
    """Closing one of two memories on a file does not cut the other one off; closing the last one frees the file."""
    opening = opening_of(path=tmp_path / "a.db", embed_model=HashingEncoder())
    first, second = opening.lease(), opening.lease()
    registry = opening.registry
    opening.release(first)
    assert registry.ids() == []
    opening.release(second)
    with pytest.raises(ClosedError):
        registry.ids()
    assert opening.registry.ids() == []


def test_unused_engines_are_closed(tmp_path):
    """A server with a file for each user does not collect open files for ever."""
    opening = opening_of(path=tmp_path / "a.db", embed_model=HashingEncoder())
    lease, registry = opening.lease(), opening.registry
    opening_of(path=tmp_path / "b.db")
    assert registry.ids() == []
    del lease
    gc.collect()
    opening_of(path=tmp_path / "c.db")
    with pytest.raises(ClosedError):
        registry.ids()


def test_an_address_leads_back(tmp_path):
    """9.12: What comes back from JSON in the same process is on the same engine."""
    openings = [
        opening_of(path=tmp_path / "a.db", embed_model=HashingEncoder()),
        opening_of(embed_model=HashingEncoder()),
        opening_of(MemoryRegistry(tmp_path / "b.db")),
    ]
    for opening in openings:
        assert reopened(json.loads(json.dumps(opening.address))) is opening


def foreign(opening):
    """The address as another process sees it."""
    return json.loads(json.dumps({**opening.address, "engine": "made by another process"}))


def test_an_address_of_another_process_leads_to_the_file(tmp_path):
    """9.12: A workflow that is resumed by another worker opens the same file, with the same settings."""
    config = Config(top_stacks=2)
    opening = opening_of(path=tmp_path / "a.db", config=config)
    there = reopened(foreign(opening))
    assert (there.path, there.registry.config) == (opening.path, config)
    assert there.registry.encoder.fingerprint == default_encoder().fingerprint


class NewestFirst(Strategy):
    """What was said last."""

    def score(self, known):
        """One more for each message."""
        return known.sequence


def test_a_strategy_of_ones_own_cannot_be_guessed(tmp_path):
    """9.12: JSON has its name. Whoever opens the file with it has it, for anybody else recall alone fails, and says so.

    If it fails, a workflow that another worker resumes cannot be read, or finds by another strategy.
    """
    config = Config(strategy=NewestFirst(), top_stacks=2)
    made = opening_of(path=tmp_path / "a.db", embed_model=HashingEncoder(), config=config)
    assert reopened(json.loads(json.dumps(made.address))) is made
    address = foreign(made)
    assert address["config"]["strategy"] == "NewestFirst"
    again = reopened(address, embed_model=HashingEncoder())
    assert again.config is config
    address["path"] = str(tmp_path / "elsewhere.db")
    lost = reopened(address, embed_model=HashingEncoder())
    memory = lost.registry.get("u")
    memory.add_message("The boat lies at berth 3.", "user")
    with pytest.raises(StrategyError, match=r"NewestFirst.*this process does not know it"):
        memory.retrieve("Where does the boat lie?")
    assert memory.retrieve("Where does the boat lie?", strategy="hybrid")
    assert foreign(lost)["config"] == address["config"]


def test_an_embedding_model_cannot_be_guessed(tmp_path):
    """A memory that was made with the application's own model is never filled with vectors of another one."""
    model = MockEmbedding(embed_dim=8)
    made = opening_of(path=tmp_path / "a.db", embed_model=model)
    address = foreign(made)
    assert reopened(address) is made
    address["path"] = str(tmp_path / "elsewhere.db")
    lost = reopened(address)
    with pytest.raises(InputError, match=r"MockEmbedding.*from_dict\(data, embed_model=...\)"):
        _ = lost.registry
    assert reopened(address, embed_model=model).registry.encoder.dim == 8


def test_ram_of_another_process_is_empty(tmp_path):
    """What was in RAM only is gone in another process, and says so by being empty, not by failing."""
    there = reopened(foreign(opening_of(embed_model=HashingEncoder())))
    assert (there.path, there.is_persistent) == (None, False)


def test_ram_that_was_closed_does_not_come_back_empty():
    """A closed memory in RAM says that it is closed, not that nothing was ever said."""
    opening = opening_of(embed_model=HashingEncoder())
    lease = opening.lease()
    opening.registry.get("u").add_message("hello there, old friend of mine", "user")
    opening.release(lease)
    with pytest.raises(InputError, match="in RAM and is closed"):
        _ = opening.registry


def test_settings_are_never_asked(monkeypatch):
    """9.18: Without an embedding model and without OpenAI's package the default model is used."""
    monkeypatch.setattr(Settings, "_embed_model", None)
    opening = opening_of()
    assert opening.registry.encoder.fingerprint == default_encoder().fingerprint
    assert Settings._embed_model is None


def test_any_embedding_of_llamaindex(tmp_path):
    """9.18: The application's own embedding model makes the vectors."""
    with MemoryRegistry(tmp_path / "unused.db"):
        opening = opening_of(embed_model=MockEmbedding(embed_dim=8))
        assert opening.registry.encoder.dim == 8


def test_names_of_models(registry):
    """The default model has no name in an address: every process has it."""
    assert encoder_name(None) is encoder_name(default_encoder()) is None
    assert encoder_name(registry.encoder) == "streetai_core.encoders.hashing.HashingEncoder:"
    assert encoder_name(MockEmbedding(embed_dim=8)).endswith("MockEmbedding:unknown")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"path": 7}, "path must be a path as text, got 7"),
        ({"path": MemoryRegistry(ReferenceStore())}, "got a MemoryRegistry, which goes into registry="),
        ({"path": ""}, "path must be a path as text, got ''"),
        ({"path": "a\0b"}, "path must be a path as text"),
        ({"path": ":memory:"}, "without a path"),
        ({"path": "~/memory.db"}, "expanduser"),
        ({"registry": "memory.db"}, "registry must be a streetai_core.MemoryRegistry, got str"),
        ({"config": {}}, "config must be a streetai_core.Config, got dict"),
        ({"embed_model": "openai"}, "is not an encoder"),
        ({"embed_model": MockEmbedding}, "is not an encoder"),
    ],
)
def test_wrong_arguments_are_named(arguments, problem):
    """A mistake shows where it is made, not at the first message."""
    with pytest.raises(InputError, match=problem):
        opening_of(**arguments)


@pytest.mark.parametrize("kind", [str, Path])
def test_a_url_is_no_path(tmp_path, monkeypatch, kind):
    """A folder with the name of the server would be made, at the first message."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="only files can be used so far"):
        opening_of(path=kind("postgresql://ada:hush@localhost/x"))
