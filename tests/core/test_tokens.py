"""Counting: with tiktoken only with a file that is on this machine already, and with counters of users."""

# ruff: noqa: RUF001 - texts in many scripts are what is counted

import json
from importlib.resources import files

import numpy as np
import pytest

from streetai_core import EstimatedTokens, MemoryRegistry, TiktokenTokens
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError, ModelFileError


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


@pytest.mark.parametrize(
    "text",
    [
        "К стоматологу я записан на вторник в 16:40, будут удалять зуб мудрости.",
        "Η αδελφή μου η Ελένη μετακόμισε στη Θεσσαλονίκη και δουλεύει ως μαία.",
        "أختي أسماء انتقلت إلى الإسكندرية وتعمل ممرضة هناك.",
        "בוקר טוב, אתה יכול לעזור לי לתכנן את השבוע? אימצנו כלב מהמקלט.",
        "मेरी बहन प्रियंका पुणे चली गई है और वहाँ नर्स का काम करती है।",
        "สวัสดีครับ พรุ่งนี้ผมต้องไปหาหมอฟันตอนบ่ายสามโมง แมวของเราชื่อถั่วดำ",
        "妹の美咲は福岡に引っ越して、病院で助産師をしています。",
        "제 여동생 수진이는 부산으로 이사해서 병원에서 간호사로 일해요.",
        "My sister has moved to Leeds, and works as a midwife there.",
    ],
)
def test_the_estimate_is_no_less_than_a_tenth_below_real_tokens(local_files, text):
    """A budget that is what a model takes would be exceeded by half, and by as much as is recalled."""
    estimate, real = EstimatedTokens().count(text), TiktokenTokens().count(text)
    assert 0.9 * real <= estimate <= 2.0 * real


def test_the_estimate_adds_up():
    """By hand: a quarter for each Latin letter and mark, a half for other letters, one for a CJK character."""
    counter = EstimatedTokens()
    assert [counter.measure(text) for text in ("boat", "Café", "\u201cno\u201d", "Łódź", "лодка", "港", "")] == [
        4, 4, 4, 6, 10, 4, 0,
    ]  # fmt: skip


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


class Counting(dict):
    """Gives what it was told, and is empty."""

    def __init__(self, given):
        super().__init__()
        self.given = given

    def count(self, text):
        """What it was told."""
        return self.given


@pytest.mark.parametrize("given", [6.25, None, "5", -3])
def test_a_counter_that_gives_no_whole_number_is_named(tmp_path, given):
    """The database would refuse the sum of it, as if it were damaged; nothing is stored."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), token_counter=Counting(given)) as registry:
        memory = registry.get("m")
        for call in (lambda: memory.add_message("hello there", "user"), lambda: memory.build_prompt("hello there")):
            with pytest.raises(InputError, match=r"Counting\.count must return a whole number from 0, got .*11 char"):
                call()
        assert memory.messages() == []


def test_a_counter_may_give_whole_numbers_of_numpy(tmp_path):
    """Tokenizers do; what is stored and shown has Python's."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), token_counter=Counting(np.int64(7))) as registry:
        memory = registry.get("m")
        memory.add_message("hello there", "user")
        assert memory.stats()["history_tokens"] == 11
        inspector = memory.build_prompt("hello there, who are you?").inspector
        assert json.loads(json.dumps(inspector))["tokens_full_history"] == 22


def test_no_download_is_started(tmp_path, monkeypatch):
    """A missing file is an error that says how to get it once."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(ModelFileError, match="get_encoding"):
        TiktokenTokens()
    assert list(tmp_path.iterdir()) == []
