"""Counting with tiktoken: only with a file that is on this machine already."""

from importlib.resources import files

import pytest

from streetai_core import EstimatedTokens, MemoryRegistry, TiktokenTokens
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import ModelFileError


@pytest.fixture
def local_files(monkeypatch):
    """The encodings that llama-index-core brings along."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(files("llama_index.core") / "_static" / "tiktoken_cache"))


def test_real_tokens_are_counted(local_files):
    """By the encoding's own rules: a space goes with its word, special tokens are plain text."""
    counter = TiktokenTokens()
    assert counter.count("") == 0
    assert counter.count("hello world") == 2
    assert counter.count("<|endoftext|>") > 1
    assert TiktokenTokens("cl100k_base").count("hello world") == 2


def test_a_memory_counts_with_it(tmp_path, local_files):
    """Budgets and the inspector are in its tokens."""
    text = "antidisestablishmentarianism " * 20
    sent = []
    for counter in (TiktokenTokens(), EstimatedTokens()):
        path = tmp_path / type(counter).__name__
        with MemoryRegistry(path, encoder=HashingEncoder(), token_counter=counter) as registry:
            sent.append(registry.get("m").build_prompt(text).inspector["tokens_sent"])
    assert sent[0] == TiktokenTokens().count(text) + 4
    assert sent[0] != sent[1]


def test_no_download_is_started(tmp_path, monkeypatch):
    """A missing file is an error that says how to get it once."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(ModelFileError, match="get_encoding"):
        TiktokenTokens()
    assert list(tmp_path.iterdir()) == []
