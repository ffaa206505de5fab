"""Embeddings on disk: nothing is embedded twice, and no vector is ever another text's."""

import numpy as np
import pytest

from streetai_core.encoders.base import Encoder
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder, default_folder


class AsymmetricEncoder(Encoder):
    """Questions get other vectors than documents, as models with instructions make them."""

    fingerprint = "asymmetric/2"
    dim = 2

    def embed(self, texts, kind):
        """One of two directions."""
        return np.array([[1.0, 0.0] if kind == "query" else [0.0, 1.0] for _ in texts], dtype=np.float32)


def test_a_second_run_embeds_nothing(tmp_path):
    """If it fails, every run of a benchmark takes an hour."""
    texts = [f"message number {number}" for number in range(50)]
    first = DiskCachedEncoder(HashingEncoder(64), tmp_path)
    made = first.encode(texts)
    first.save()
    second = DiskCachedEncoder(HashingEncoder(64), tmp_path)
    again = second.encode(texts[::-1])[::-1]
    assert (50, 0) == (first.encoded, second.encoded)
    assert np.array_equal(made, again)
    assert np.array_equal(made, HashingEncoder(64).encode(texts))


def test_a_text_twice_in_one_call_is_embedded_once(tmp_path):
    """If it fails, repeated messages cost time, or get another's place."""
    encoder = DiskCachedEncoder(HashingEncoder(64), tmp_path)
    made = encoder.encode(["one", "two", "one"])
    assert 2 == encoder.encoded
    assert np.array_equal(made[0], made[2])
    assert np.array_equal(made, HashingEncoder(64).encode(["one", "two", "one"]))


def test_questions_and_documents_are_kept_apart(tmp_path):
    """If it fails, a model that treats questions differently is measured wrongly."""
    encoder = DiskCachedEncoder(AsymmetricEncoder(), tmp_path)
    assert [[0, 1]] == encoder.encode(["same"]).tolist()
    assert [[1, 0]] == encoder.encode(["same"], "query").tolist()


def test_encoders_do_not_share_vectors(tmp_path):
    """If it fails, changing the model changes nothing."""
    small, large = DiskCachedEncoder(HashingEncoder(32), tmp_path), DiskCachedEncoder(HashingEncoder(64), tmp_path)
    for encoder in (small, large):
        encoder.encode(["a text"])
        encoder.save()
    assert (1, 32) == DiskCachedEncoder(HashingEncoder(32), tmp_path).encode(["a text"]).shape
    assert 2 == len(list(tmp_path.glob("*.npz")))


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_embedded(tmp_path):
    """If it fails, a run of an hour ends with an error that names neither what was written nor what to do."""
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(InputError, match=r"cannot keep embeddings in .*file.*--embeddings"):
        DiskCachedEncoder(HashingEncoder(64), tmp_path / "file" / "embeddings")


def test_a_folder_that_goes_away_is_named(tmp_path):
    """If it fails, whoever unplugs the disk with the embeddings gets an error of the system alone."""
    folder = tmp_path / "embeddings"
    encoder = DiskCachedEncoder(HashingEncoder(64), folder)
    encoder.encode(["a text"])
    folder.rmdir()
    folder.write_text("in the way", encoding="utf-8")
    with pytest.raises(InputError, match="cannot keep embeddings in"):
        encoder.save()


def test_two_runs_at_the_same_time_keep_each_others_vectors(tmp_path):
    """If it fails, the later of two runs throws away what the earlier one embedded."""
    first, second = (DiskCachedEncoder(HashingEncoder(64), tmp_path) for _ in range(2))
    first.encode(["of the first"])
    second.encode(["of the second"])
    first.save()
    second.save()
    third = DiskCachedEncoder(HashingEncoder(64), tmp_path)
    third.encode(["of the first", "of the second"])
    assert 0 == third.encoded


@pytest.mark.parametrize("damage", [lambda raw: raw[:100], lambda _: b"", lambda raw: raw[:-400] + b"x" * 400])
def test_a_damaged_file_is_made_again(tmp_path, damage):
    """If it fails, a full disk ends all later runs, or gives them wrong vectors."""
    encoder = DiskCachedEncoder(HashingEncoder(64), tmp_path)
    encoder.encode(["a text", "another text"])
    encoder.save()
    path = next(tmp_path.glob("*.npz"))
    path.write_bytes(damage(path.read_bytes()))
    again = DiskCachedEncoder(HashingEncoder(64), tmp_path)
    assert np.array_equal(HashingEncoder(64).encode(["a text"]), again.encode(["a text"]))
    again.save()
    assert 0 == len(list(tmp_path.glob("*.part")))


def test_vectors_of_another_length_are_not_taken(tmp_path):
    """If it fails, a file that somebody copied under another name poisons the results."""
    encoder = DiskCachedEncoder(HashingEncoder(64), tmp_path)
    encoder.encode(["a text"])
    encoder.save()
    path = next(tmp_path.glob("*.npz"))
    path.rename(path.with_name(path.name.replace("64", "32")))
    assert (1, 32) == DiskCachedEncoder(HashingEncoder(32), tmp_path).encode(["a text"]).shape


def test_it_is_the_encoder_in_all_else(tmp_path):
    """If it fails, texts are cut elsewhere in a benchmark than in an app."""
    plain, cached = HashingEncoder(64), DiskCachedEncoder(HashingEncoder(64), tmp_path)
    for name in ("fingerprint", "dim", "symmetric", "max_tokens"):
        assert getattr(plain, name) == getattr(cached, name)
    assert plain.count_tokens(["abc", ""]) == cached.count_tokens(["abc", ""])
    assert (0, 64) == cached.encode([]).shape


def test_the_folder_is_the_users_cache(monkeypatch, tmp_path):
    """If it fails, embeddings land in whatever folder the command is started in."""
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert tmp_path / "streetai" / "embeddings" == default_folder()
