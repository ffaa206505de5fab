"""Embedding models of host frameworks as encoders."""

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings

from streetai_core.encoders import HashingEncoder, LangChainEncoder, LlamaIndexEncoder, OfflineMiniLM, as_encoder
from streetai_core.encoders.host import host_encoder
from streetai_core.errors import EncoderError, InputError
from streetai_core.testing.encoder_suite import EncoderSuite


class HashingEmbeddings(Embeddings):
    """A LangChain embedding model that tells similar texts, and writes down what it is asked."""

    def __init__(self, model="hashing-256"):
        self.model = model
        self.asked = []

    def embed_documents(self, texts):
        """Hash them all."""
        self.asked.append(texts)
        return HashingEncoder().encode(texts).tolist()

    def embed_query(self, text):
        """Hash one."""
        self.asked.append(text)
        return HashingEncoder().encode([text])[0].tolist()


class Answering(HashingEmbeddings):
    """A LangChain embedding model that answers what it is told to, or raises it."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def embed_documents(self, texts):
        """The answer, or the error."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class TestConformance(EncoderSuite):
    """A LangChain embedding model is an encoder."""

    def make_encoder(self):
        """A new instance over a new model."""
        return LangChainEncoder(HashingEmbeddings())


def test_langchain_vectors_are_the_models():
    """Documents and queries go to their own methods and come back as unit rows."""
    model = DeterministicFakeEmbedding(size=12)
    encoder = LangChainEncoder(model)
    expected = np.array([*model.embed_documents(["ship", "lamp"]), model.embed_query("book")])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(encoder.encode(["ship", "lamp"]), expected[:2], atol=1e-6)
    assert np.allclose(encoder.encode(["book"], "query"), expected[2:], atol=1e-6)


def test_the_dimension_is_learned_from_the_first_vectors():
    """Encoding teaches it for free; asking before that costs one short text."""
    model = HashingEmbeddings()
    LangChainEncoder(model).encode(["ship", "lamp"])
    assert model.asked == [["ship", "lamp"]]
    model = HashingEmbeddings()
    encoder = LangChainEncoder(model)
    assert (encoder.dim, encoder.dim) == (256, 256)
    assert len(model.asked) == 1


def test_constructing_calls_nothing():
    """No text is embedded before something is asked."""
    model = HashingEmbeddings()
    LangChainEncoder(model)
    assert model.asked == []


def test_the_fingerprint_names_module_class_model_and_dimension():
    """Two models of one class are told apart by their model names; a name of one's own replaces all that."""
    where = f"{HashingEmbeddings.__module__}.HashingEmbeddings"
    assert LangChainEncoder(HashingEmbeddings("large")).fingerprint == f"{where}:large/256"
    assert LangChainEncoder(HashingEmbeddings(model=object())).fingerprint == f"{where}:/256"
    assert LangChainEncoder(HashingEmbeddings(), name="ours").fingerprint == "ours/256"
    fake = LangChainEncoder(DeterministicFakeEmbedding(size=12))
    assert fake.fingerprint == "langchain_core.embeddings.fake.DeterministicFakeEmbedding:/12"


def test_a_failing_host_is_an_encoder_error():
    """Its exception is the cause, also where only the dimension or the fingerprint was asked for."""
    outage = ConnectionError("no route to host")
    with pytest.raises(EncoderError, match="could not embed 2 texts: no route to host") as caught:
        LangChainEncoder(Answering(outage)).encode(["ship", "lamp"])
    assert caught.value.__cause__ is outage
    for attribute in ("dim", "fingerprint"):
        with pytest.raises(EncoderError, match="no route to host"):
            getattr(LangChainEncoder(Answering(outage)), attribute)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ([[1.0, 0.0]], r"shape \(1, 2\), expected \(2, 2\)"),
        ([[1.0, 0.0], [1.0]], "not a matrix of numbers"),
        ([[1.0, float("nan")], [1.0, 0.0]], "NaN, infinity or a number beyond 1e154 for text 0"),
        ([[1.0, 0.0], [1.0, float("-inf")]], "NaN, infinity or a number beyond 1e154 for text 1"),
        ([[1.0, 0.0], [1e300, 1.0]], "NaN, infinity or a number beyond 1e154 for text 1"),
        ([[], []], "vectors of length 0"),
        ([], "not a list of vectors"),
        (None, "not a list of vectors"),
        ([["a", "b"], ["c", "d"]], "not a matrix of numbers"),
    ],
)
def test_answers_that_are_no_vectors_are_refused(answer, complaint):
    """Wrong counts, ragged rows, NaN and things that are no numbers raise before anything is stored."""
    with pytest.raises(EncoderError, match=complaint):
        LangChainEncoder(Answering(answer)).encode(["ship", "lamp"])


def test_vectors_of_another_length_than_before_are_refused():
    """A host that changes its dimension is found out."""
    model = Answering([[3.0, 4.0]])
    encoder = LangChainEncoder(model)
    assert encoder.encode(["ship"]).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]
    model.answer = [[1.0, 2.0, 2.0]]
    with pytest.raises(EncoderError, match=r"shape \(1, 3\), expected \(1, 2\)"):
        encoder.encode(["ship"])


class IndexEmbedding:
    """An embedding model with LlamaIndex's methods."""

    model_name = "hashing-256"

    def get_text_embedding_batch(self, texts):
        """Hash them all."""
        return HashingEncoder().encode(texts).tolist()

    def get_query_embedding(self, query):
        """Hash one, told apart from a text."""
        return HashingEncoder().encode([f"query {query}"])[0].tolist()


def test_llamaindex_methods_are_recognised():
    """Texts and queries go to their own methods, and the model's name stands in the fingerprint."""
    encoder = as_encoder(IndexEmbedding())
    assert isinstance(encoder, LlamaIndexEncoder)
    assert encoder.fingerprint == f"{__name__}.IndexEmbedding:hashing-256/256"
    assert np.allclose(encoder.encode(["ship"]), HashingEncoder().encode(["ship"]), atol=1e-6)
    assert np.allclose(encoder.encode(["ship"], "query"), HashingEncoder().encode(["query ship"]), atol=1e-6)


def test_llamaindex_embeddings_of_the_framework_work():
    """LlamaIndex's own mock model, whose vectors are all 0.5, comes out as unit rows."""
    core = pytest.importorskip("llama_index.core", reason="the extra `llamaindex` is not installed")
    encoder = as_encoder(core.MockEmbedding(embed_dim=4))
    assert isinstance(encoder, LlamaIndexEncoder)
    assert encoder.dim == 4
    assert encoder.encode(["ship", "lamp"]).tolist() == [[0.5] * 4] * 2
    assert encoder.encode(["ship"], "query").tolist() == [[0.5] * 4]


def test_as_encoder_takes_what_it_says():
    """None is the shared default, an encoder is itself, a host's model is wrapped."""
    encoder = HashingEncoder()
    assert as_encoder(encoder) is encoder
    assert as_encoder(None) is as_encoder(None)
    assert isinstance(as_encoder(None), OfflineMiniLM)
    assert isinstance(as_encoder(DeterministicFakeEmbedding(size=3)), LangChainEncoder)


@pytest.mark.parametrize("value", ["all-MiniLM-L6-v2", 384, object(), HashingEmbeddings, HashingEncoder, len])
def test_as_encoder_refuses_everything_else(value):
    """Strings, classes and functions are no encoders; the error says what is."""
    with pytest.raises(InputError, match=r"is not an encoder.*LangChain Embeddings.*LlamaIndex.*None"):
        as_encoder(value)
    assert host_encoder(value) is None
